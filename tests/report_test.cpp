// Reports against their text, which is a contract with programs that read them.
#include "../cli/report/report.hpp"
#include "../cli/commands/check.hpp"
#include "../cli/commands/generate.hpp"
#include "../cli/commands/output.hpp"
#include "../cli/report/table.hpp"
#include "../cli/text.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace rung;
using namespace rung::cli;

namespace {

/// A passing kernel, a wrong one, a skipped one, and a reference that is right.
Run sample_run(Machine machine) {
  Run run;
  run.input = "a,b.npy";
  run.operation = "sum along axis 1";
  run.dtype = DType::f32;
  run.shape = {1024, 1024};
  run.acc = Acc::same;
  run.machine = machine;
  run.device = "Test device";
  run.logical_bytes = 4194304;
  if (machine != Machine::sim) run.references = {{"cub", "CUB 3.0.1"}};
  Row good;
  good.name = "vector";
  good.verdict = RowVerdict::pass;
  good.launch = "grid 8, block 256";
  good.error = 0.25;
  good.bound = 0.5;
  good.seconds = 0.001;
  if (machine != Machine::sim) good.speedup = {2.0};
  Row bad;
  bad.name = "broken";
  bad.verdict = RowVerdict::fail;
  bad.error = std::numeric_limits<double>::quiet_NaN();
  bad.bound = 0;
  bad.mismatches = 2;
  bad.first = {{7, "nan", "1.5", std::nullopt}, {9, "2", "1", 8388608}};
  Row skipped;
  skipped.name = "atomic";
  skipped.verdict = RowVerdict::skipped;
  skipped.note = "no such | atomic";
  Row reference;
  reference.kind = RowKind::reference;
  reference.name = "cub::DeviceReduce::Sum";
  reference.verdict = RowVerdict::pass;
  reference.error = 0;
  reference.bound = 0.5;
  reference.seconds = 0.002;
  run.rows = {good, bad};
  if (machine != Machine::sim) run.rows.push_back(reference);
  run.rows.push_back(skipped);
  return run;
}

Report sample_report() {
  return {{{"rung", "0.1.0"}, {"command", "rung reduce 'a,b.npy'"}}, {sample_run(Machine::gpu)}};
}

template <class T>
Result result_of(DType dtype, Shape shape, const std::vector<T>& elements) {
  Result result{dtype, std::move(shape), true, allocate_bytes(elements.size() * sizeof(T))};
  std::memcpy(result.values.get(), elements.data(), elements.size() * sizeof(T));
  return result;
}

/// The values of a report's only run, without blanks.
std::string values_in_json(Result result) {
  Report report = sample_report();
  report.runs[0].result = std::move(result);
  std::string text = to_json(report);
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }), text.end());
  const std::size_t start = text.find("\"values\":") + 9;
  return text.substr(start, text.find("},\"times\"") - start);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Sums i32 as often as it is told to, and then leaves the output as it is, or spoils it.
class Summer : public Runnable {
 public:
  Summer(int good_runs, bool spoils) : good_runs_(good_runs), spoils_(spoils) {}
  Plan plan(const Problem&, const Launch&, const DeviceProperties&) const override { return {}; }
  void run(const Problem& p, const Launch&, const DeviceProperties&, const Buffers& b, Stream) const override {
    auto& out = *static_cast<std::int64_t*>(b.out);
    if (good_runs_-- > 0) {
      out = 0;
      for (std::size_t i = 0; i < p.n; ++i) out += static_cast<const std::int32_t*>(b.in)[i];
    } else if (spoils_) {
      ++out;
    }
  }

 private:
  mutable int good_runs_;
  bool spoils_;
};

template <class T>
HostArray array_of(DType dtype, Shape shape, const std::vector<T>& elements) {
  HostArray array{dtype, std::move(shape), allocate_bytes(elements.size() * sizeof(T))};
  std::memcpy(array.data.get(), elements.data(), elements.size() * sizeof(T));
  return array;
}

}  // namespace

TEST_CASE("the table on stderr") {
  CHECK(to_text(sample_run(Machine::gpu), false) ==
        "reduce sum along axis 1 of f32, 1024x1024 (4.0 MiB), acc same, on gpu: Test device\n"
        "against cub (CUB 3.0.1)\n"
        "kernel                  verdict  error  bound      time   GB/s  x cub\n"
        "vector                  pass      0.25    0.5  1.000 ms  4.194      2\n"
        "broken                  FAIL       nan  exact         -      -      -\n"
        "cub::DeviceReduce::Sum  pass         0    0.5  2.000 ms  2.097      -\n"
        "broken: 2 results are wrong\n"
        "  [7] got nan, want 1.5\n"
        "  [9] got 2, want 1 (8388608 ulp)\n"
        "atomic: skipped: no such | atomic\n");
}

TEST_CASE("a reference that is wrong is not read as the kernel's failure") {
  Run run = sample_run(Machine::gpu);
  run.rows.erase(run.rows.begin() + 1);
  Row& reference = run.rows[1];
  reference.verdict = RowVerdict::fail;
  reference.mismatches = 1;
  reference.first = {{0, "3", "nan", std::nullopt}};
  const std::string text = to_text(run, false);
  CHECK(contains(text, "\ncub::DeviceReduce::Sum  differs"));
  CHECK(
      contains(text,
               "reference cub::DeviceReduce::Sum differs from the exact answer in 1 result; kernels are judged by that "
               "answer, not by the reference\n  [0] got 3, want nan\n"));
  CHECK(!contains(text, "FAIL"));
  CHECK(!contains(text, "wrong"));
  CHECK(contains(to_text(run, true), "\x1b[33mdiffers\x1b[0m"));
  const std::string markdown = to_markdown({{}, {run}});
  CHECK(contains(markdown, "| `cub::DeviceReduce::Sum` | differs |"));
  CHECK(!contains(markdown, "fail"));
}

TEST_CASE("colour is put on verdicts alone, and takes no width") {
  const std::string plain = to_text(sample_run(Machine::gpu), false), painted = to_text(sample_run(Machine::gpu), true);
  CHECK(contains(painted, "\x1b[32mpass   \x1b[0m  "));
  CHECK(contains(painted, "\x1b[1;31mFAIL   \x1b[0m  "));
  std::string stripped;
  for (std::size_t i = 0; i < painted.size(); ++i) {
    if (painted[i] == '\x1b')
      i = painted.find('m', i);
    else
      stripped += painted[i];
  }
  CHECK(stripped == plain);
}

TEST_CASE("simulated times are marked, and give no bandwidth and no speedup") {
  const std::string text = to_text(sample_run(Machine::sim), false);
  CHECK(contains(text, "time to simulate"));
  CHECK(!contains(text, "GB/s"));
  CHECK(!contains(text, "  x "));
  const Report report{{}, {sample_run(Machine::sim)}};
  CHECK(contains(to_json(report), "\"simulated\": true"));
  CHECK(contains(to_json(report), "\"bytes_per_second\": null"));
}

TEST_CASE("JSON") {
  CHECK(to_json(Report{{{"rung", "0.1.0"}}, {}}) ==
        "{\n  \"schema\": \"rung-report-1\",\n  \"environment\": {\n    \"rung\": \"0.1.0\"\n  },\n  \"runs\": [],\n  "
        "\"failures\": []\n}\n");
  const std::string text = to_json(sample_report());
  for (const std::string part :
       {"\"input\": \"a,b.npy\"", "\"family\": \"reduce\"", "\"dtype\": \"f32\"", "\"accumulator\": \"same\"",
        "\"kernel\": \"vector\"", "\"verdict\": \"pass\"", "\"seconds\": 0.001", "\"bytes_per_second\": 4194304000.0",
        "\"cub\": 2.0", "\"verdict\": \"fail\"", "\"error\": \"nan\"", "\"mismatches\": 2", "\"want\": \"1.5\"",
        "\"verdict\": \"skipped\"", "\"kind\": \"reference\"", "\"version\": \"CUB 3.0.1\"", "\"simulated\": false"})
    CHECK_MESSAGE(contains(text, part), part);
}

TEST_CASE("JSON: values are whole, and what JSON has no number for is text") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK(values_in_json(result_of<std::int64_t>(DType::i64, {2}, {INT64_MIN, INT64_MAX})) ==
        "[-9223372036854775808,9223372036854775807]");
  CHECK(values_in_json(result_of<std::uint64_t>(DType::u64, {}, {UINT64_MAX})) == "[18446744073709551615]");
  CHECK(values_in_json(result_of<std::int8_t>(DType::i8, {2}, {-128, 65})) == "[-128,65]");
  CHECK(values_in_json(result_of<Bool>(DType::boolean, {3}, {{0}, {1}, {9}})) == "[false,true,true]");
  CHECK(values_in_json(result_of<double>(DType::f64, {6}, {nan, inf, -inf, -0.0, 0.1, 5e-324})) ==
        "[\"nan\",\"inf\",\"-inf\",-0.0,0.1,5e-324]");
  // The f64 of the same value: 0x1.99999ap-4.
  CHECK(values_in_json(result_of<float>(DType::f32, {}, {0.1f})) == "[0.10000000149011612]");
  CHECK(values_in_json(result_of<F16>(DType::f16, {2}, {{0x3c01}, {0x7c00}})) == "[1.0009765625,\"inf\"]");
  CHECK(values_in_json(result_of<BF16>(DType::bf16, {2}, {{0x3f81}, {0x7fc0}})) == "[1.0078125,\"nan\"]");
  CHECK(values_in_json(result_of<Complex<float>>(DType::c64, {2}, {{1.5f, -2}, {0, -HUGE_VALF}})) ==
        "[[1.5,-2.0],[0.0,\"-inf\"]]");
  CHECK(values_in_json(result_of<Complex<double>>(DType::c128, {}, {{nan, 1}})) == "[[\"nan\",1.0]]");
  CHECK(values_in_json({DType::f32, {0, 3}, true, nullptr}) == "[]");
  CHECK(values_in_json({DType::f32, {2000}, false, nullptr}) == "null");
  CHECK(reports_values(Family::reduce, {10, 100}));
  CHECK_FALSE(reports_values(Family::reduce, {1001}));
  CHECK_FALSE(reports_values(Family::transpose, {2}));
}

TEST_CASE("JSON: stages, and files that failed") {
  Report report = sample_report();
  CHECK(contains(to_json(report), "\"result\": null"));
  CHECK(contains(to_json(report), "\"times\": null"));
  report.runs[0].stages = Stages{0.5, 0.25, 2, 0.125, std::nullopt, true};
  report.failures = {{"\xff", "not there", "", 3}, {"b", "no axis", "leave it out", 2}};
  const std::string text = to_json(report);
  CHECK(contains(text,
                 "\"times\": {\n        \"read\": 0.5,\n        \"upload\": 0.25,\n        \"kernel\": 2.0,\n        "
                 "\"download\": 0.125,\n        \"write\": null,\n        \"mapped\": true\n"));
  CHECK(contains(text,
                 "\"input\": \"\xef\xbf\xbd\",\n      \"error\": \"not there\",\n      \"hint\": null,\n      "
                 "\"exit_status\": 3\n"));
  CHECK(contains(text, "\"hint\": \"leave it out\",\n      \"exit_status\": 2"));
  CHECK(contains(to_markdown(report), "- `b`: no axis\n"));
}

TEST_CASE("JSON of a file name that is not UTF-8 is still JSON") {
  Report report = sample_report();
  report.runs[0].input = "\xff.npy";
  CHECK(contains(to_json(report), "\xef\xbf\xbd.npy"));
}

TEST_CASE("CSV: one line a row, the environment in each") {
  Report report = sample_report();
  report.runs[0].rows.resize(1);
  report.runs[0].input = "a,\"b\".npy";
  report.runs[0].result = result_of<float>(DType::f32, {1, 1}, {7.5f});
  report.failures = {{"no", "no: not there", "look elsewhere", 3}};
  CHECK(to_csv(report) ==
        "input,family,operation,dtype,shape,accumulator,machine,device,kind,kernel,verdict,error,bound,seconds,"
        "bytes_per_second,mismatches,launch,note,result,speedup over cub,schema,rung,command\n"
        "\"a,\"\"b\"\".npy\",reduce,sum along axis 1,f32,1024x1024,same,gpu,Test "
        "device,kernel,vector,pass,0.25,0.5,0.001,"
        "4194304000,0,\"grid 8, block 256\",,7.5,2,rung-report-1,0.1.0,\"rung reduce 'a,b.npy'\"\n"
        "no,,,,,,,,failure,,,,,,,,,no: not there,,,rung-report-1,0.1.0,\"rung reduce 'a,b.npy'\"\n");
}

TEST_CASE("Markdown") {
  CHECK(to_markdown(sample_report()) ==
        "**`a,b.npy`: reduce sum along axis 1 of f32, 1024x1024 (4.0 MiB), acc same, on gpu: Test device**; cub is CUB "
        "3.0.1\n\n"
        "| kernel | verdict | error | bound | time | GB/s | x cub | note |\n"
        "|---|---|---:|---:|---:|---:|---:|---|\n"
        "| `vector` | pass | 0.25 | 0.5 | 1.000 ms | 4.194 | 2 | |\n"
        "| `broken` | fail | nan | exact | | | | |\n"
        "| `cub::DeviceReduce::Sum` | pass | 0 | 0.5 | 2.000 ms | 2.097 | | |\n"
        "| `atomic` | skipped | | | | | | no such \\| atomic |\n\n"
        "- rung: `0.1.0`\n"
        "- command: `rung reduce 'a,b.npy'`\n");
}

TEST_CASE("the environment says what was typed, as a shell would take it") {
  const Environment facts = read_environment({"reduce", "it's here.npy", "--op=max", ""});
  std::set<std::string> names;
  std::string command;
  for (const auto& [name, value] : facts) {
    names.insert(name);
    if (name == "command") command = value;
  }
  CHECK(command == "rung reduce 'it'\\''s here.npy' --op=max ''");
  for (const std::string name : {"rung", "compiler", "processor", "threads", "date"}) CHECK(names.count(name) == 1);
}

TEST_CASE("tables align by characters, not bytes") {
  Table table({{"name"}, {"n", true}});
  table.add({"\xc3\xa9", "5"});
  table.add({"abcde", "10"});
  CHECK(table.text() == "name    n\n\xc3\xa9       5\nabcde  10\n");
}

TEST_CASE("times and sizes") {
  CHECK(seconds_text(1.5) == "1.500 s");
  CHECK(seconds_text(0.0123) == "12.30 ms");
  CHECK(seconds_text(0.000456) == "456.0 us");
  CHECK(seconds_text(2.5e-9) == "2.500 ns");
  CHECK(seconds_text(0) == "0.000 ns");
  CHECK(bytes_text(1) == "1 byte");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(std::uint64_t{1} << 50) == "1024.0 TiB");
}

TEST_CASE("arrays as text") {
  CHECK(array_text(array_of<std::int32_t>(DType::i32, {2, 3}, {1, 2, 3, 4, 5, 60})) == "[[ 1  2  3]\n [ 4  5 60]]");
  CHECK(array_text(array_of<std::int8_t>(DType::i8, {}, {-7})) == "-7");
  CHECK(array_text(array_of<std::int8_t>(DType::i8, {0}, {})) == "[]");
  CHECK(array_text(array_of<std::int8_t>(DType::i8, {2, 1, 2}, {1, 2, 3, 4})) == "[[[1 2]]\n\n [[3 4]]]");
  CHECK(array_text(array_of<std::int8_t>(DType::i8, {2, 0, 3}, {})) == "[[]\n\n []]");
  constexpr std::size_t deep = 200'000;  // more than a stack has frames
  CHECK(array_text(array_of<std::int8_t>(DType::i8, Shape(deep, 1), {5})) ==
        std::string(deep, '[') + "5" + std::string(deep, ']'));
  std::vector<std::int32_t> many(1001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int32_t>(i);
  CHECK(array_text(array_of(DType::i32, {1001}, many)) == "[   0    1    2 ...  998  999 1000]");
}

TEST_CASE("a result is judged after the first run and after the timed ones, and only what the run itself wrote") {
  const HostArray data = generate({1000}, DType::i32, Distribution::arange, 0);
  const Problem p = reduce_problem(data.dtype, data.shape, {}, Op::sum, Acc::wide);
  const auto device = open_device(Machine::cpu);
  StageTimes times;
  Execution execution(*device, p, data.data.get(), times);
  const Judge judge = make_judge(p, data.data.get());
  constexpr int always = 1 << 30;

  const Row right = check_one(execution, Summer(always, false), {}, {}, judge);
  CHECK(right.verdict == RowVerdict::pass);
  CHECK(right.seconds.has_value());
  CHECK(*static_cast<const std::int64_t*>(static_cast<const void*>(execution.result().get())) == 499500);

  // The right answer of the run before is still in the buffer, were it not for the sentinel.
  const Row idle = check_one(execution, Summer(0, false), {}, {}, judge);
  CHECK(idle.verdict == RowVerdict::fail);
  CHECK(!idle.seconds);
  CHECK(idle.mismatches == 1);
  REQUIRE(idle.first.size() == 1);
  CHECK(idle.first[0].want == "499500");

  const HostArray none = generate({0, 3}, DType::i32, Distribution::arange, 0);
  for (const std::vector<std::size_t>& axes : {std::vector<std::size_t>{}, {1}}) {
    const Problem empty = reduce_problem(none.dtype, none.shape, axes, Op::sum, Acc::wide);
    Execution nothing(*device, empty, none.data.get(), times);
    const Row row = check_one(nothing, Summer(always, false), {}, {}, make_judge(empty, none.data.get()));
    CHECK(row.verdict == RowVerdict::pass);
    CHECK(!row.seconds);
  }

  const Row late = check_one(execution, Summer(1, true), {}, {}, judge);
  CHECK(late.verdict == RowVerdict::fail);
  CHECK(!late.seconds);
  CHECK(contains(late.note, "after the timed runs"));
}
