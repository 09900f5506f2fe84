// Reports against their text, which is a contract with programs that read them; generated data against arithmetic.
#include "../cli/report/report.hpp"
#include "../cli/commands/check.hpp"
#include "../cli/commands/generate.hpp"
#include "../cli/commands/output.hpp"
#include "../cli/report/table.hpp"
#include "../cli/text.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

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
  bad.first = {{7, "nan", "1.5", std::numeric_limits<double>::quiet_NaN()}, {9, "2", "1", 8388608}};
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

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class T>
std::vector<T> values(const HostArray& array) {
  std::vector<T> out(array.size());
  std::memcpy(out.data(), array.data.get(), array.bytes());
  return out;
}

template <class T>
HostArray array_of(DType dtype, Shape shape, const std::vector<T>& elements) {
  HostArray array{dtype, std::move(shape), allocate_bytes(elements.size() * sizeof(T))};
  std::memcpy(array.data.get(), elements.data(), elements.size() * sizeof(T));
  return array;
}

bool settled_by_exact_data(const HostArray& array, Op op = Op::sum) {
  const Problem p = reduce_problem(array.dtype, array.shape, {}, op, Acc::wide);
  return make_judge(p, array.data.get()).exact_data;
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
        "  [9] got 2, want 1 (8.38861e+06 ulp)\n"
        "atomic: skipped: no such | atomic\n");
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
  CHECK(contains(text, "time (simulated)"));
  CHECK(!contains(text, "GB/s"));
  CHECK(!contains(text, "  x "));
  const Report report{{}, {sample_run(Machine::sim)}};
  CHECK(contains(to_json(report), "\"simulated\": true"));
  CHECK(contains(to_json(report), "\"bytes_per_second\": null"));
}

TEST_CASE("JSON") {
  CHECK(
      to_json(Report{{{"rung", "0.1.0"}}, {}}) ==
      "{\n  \"schema\": \"rung-report-1\",\n  \"environment\": {\n    \"rung\": \"0.1.0\"\n  },\n  \"runs\": []\n}\n");
  const std::string text = to_json(sample_report());
  for (const std::string part :
       {"\"input\": \"a,b.npy\"", "\"family\": \"reduce\"", "\"dtype\": \"f32\"", "\"accumulator\": \"same\"",
        "\"kernel\": \"vector\"", "\"verdict\": \"pass\"", "\"seconds\": 0.001", "\"bytes_per_second\": 4194304000.0",
        "\"cub\": 2.0", "\"verdict\": \"fail\"", "\"error\": \"nan\"", "\"mismatches\": 2", "\"want\": \"1.5\"",
        "\"verdict\": \"skipped\"", "\"kind\": \"reference\"", "\"version\": \"CUB 3.0.1\"", "\"simulated\": false"})
    CHECK_MESSAGE(contains(text, part), part);
}

TEST_CASE("JSON of a file name that is not UTF-8 is still JSON") {
  Report report = sample_report();
  report.runs[0].input = "\xff.npy";
  CHECK(contains(to_json(report), "\xef\xbf\xbd.npy"));
}

TEST_CASE("CSV: one line a row, the environment in each") {
  Report report = sample_report();
  report.runs[0].rows.resize(1);
  CHECK(to_csv(report) ==
        "input,family,operation,dtype,shape,accumulator,machine,device,kind,kernel,verdict,error,bound,seconds,"
        "bytes_per_second,mismatches,launch,note,speedup over cub,schema,rung,command\n"
        "\"a,b.npy\",reduce,sum along axis 1,f32,1024x1024,same,gpu,Test device,kernel,vector,pass,0.25,0.5,0.001,"
        "4194304000,0,\"grid 8, block 256\",,2,rung-report-1,0.1.0,\"rung reduce 'a,b.npy'\"\n");
}

TEST_CASE("Markdown") {
  CHECK(to_markdown(sample_report()) ==
        "**reduce sum along axis 1 of f32, 1024x1024 (4.0 MiB), acc same, on gpu: Test device**; cub is CUB 3.0.1\n\n"
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
  std::vector<std::int32_t> many(1001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int32_t>(i);
  CHECK(array_text(array_of(DType::i32, {1001}, many)) == "[   0    1    2 ...  998  999 1000]");
}

TEST_CASE("random words are SplitMix64's") {
  // The reference sequence of seed 0 starts e220a8397b1dcdaf 6e789e6aa1b965f4 (Vigna, splitmix64.c): a stream is that
  // sequence from a state of its own, so neighbours in a stream differ by one step.
  const auto step = [](std::uint64_t state) {
    std::uint64_t z = state + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  CHECK(step(0) == 0xe220a8397b1dcdafu);
  CHECK(random_word(0, 0) == step(step(0)));
  CHECK(random_word(5, 3) == step(step(5) + 3 * 0x9e3779b97f4a7c15u));
}

TEST_CASE("uniform data stay in their range and fill it") {
  const auto floats = values<float>(generate({100000}, DType::f32, Distribution::uniform, 1));
  double sum = 0;
  for (const float v : floats) {
    REQUIRE(v >= 0);
    REQUIRE(v < 1);
    sum += v;
  }
  // The mean of 10^5 uniform numbers has a deviation of 0.0009; this allows eleven of them.
  CHECK(std::abs(sum / 1e5 - 0.5) < 0.01);
  std::set<int> bytes;
  for (const std::int8_t v : values<std::int8_t>(generate({10000}, DType::i8, Distribution::uniform, 1)))
    bytes.insert(v);
  CHECK(bytes.size() == 256);
  for (const std::uint8_t v : values<std::uint8_t>(generate({1000}, DType::boolean, Distribution::uniform, 1)))
    REQUIRE(v <= 1);
}

TEST_CASE("normal data have mean 0 and deviation 1, and integers refuse them") {
  const auto draws = values<double>(generate({100000}, DType::f64, Distribution::normal, 2));
  double sum = 0, squares = 0;
  for (const double v : draws) {
    sum += v;
    squares += v * v;
  }
  CHECK(std::abs(sum / 1e5) < 0.03);
  CHECK(std::abs(squares / 1e5 - 1) < 0.05);
  CHECK_THROWS_AS(generate({3}, DType::i32, Distribution::normal, 0), UsageError);
  CHECK_THROWS_AS(generate({3}, DType::boolean, Distribution::normal, 0), UsageError);
}

TEST_CASE("arange counts as far as the type does, exactly") {
  const auto u8 = values<std::uint8_t>(generate({300}, DType::u8, Distribution::arange, 9));
  CHECK(u8[255] == 255);
  CHECK(u8[299] == 43);
  const auto f16 = values<F16>(generate({3000}, DType::f16, Distribution::arange, 9));
  CHECK(to_float(f16[2047]) == 2047);
  CHECK(to_float(f16[2048]) == 0);
  CHECK(to_float(f16[2999]) == 951);
  const auto bf16 = values<BF16>(generate({300}, DType::bf16, Distribution::arange, 9));
  CHECK(to_float(bf16[255]) == 255);
  CHECK(to_float(bf16[256]) == 0);
  const auto c64 = values<Complex<float>>(generate({4}, DType::c64, Distribution::arange, 9));
  CHECK(c64[3].re == 3);
  CHECK(c64[3].im == 0);
}

TEST_CASE("exact data cannot round in any order") {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128}) {
    const double limit = dtype == DType::f64 || dtype == DType::c128 ? 0x1p53 : 0x1p24;
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 24, (std::size_t{1} << 24) + 1, std::size_t{1} << 40}) {
      const ExactRule rule = exact_rule(dtype, n);
      REQUIRE(rule.magnitude >= 1);
      const double places = std::ceil(static_cast<double>(n) / static_cast<double>(rule.stride));
      CHECK(places * static_cast<double>(rule.magnitude) <= limit);
    }
  }
  bool negative = false, positive = false;
  for (const float v : values<float>(generate({1000}, DType::f32, Distribution::exact, 3))) {
    REQUIRE(v == std::trunc(v));
    REQUIRE(std::abs(v) <= 100);
    negative = negative || v < 0;
    positive = positive || v > 0;
  }
  CHECK(negative);
  CHECK(positive);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    CHECK(settled_by_exact_data(generate({5000}, dtype, Distribution::exact, 3)));
}

TEST_CASE("data are taken for exact only when they are") {
  CHECK(settled_by_exact_data(array_of<float>(DType::f32, {3}, {8388608, 8388607, 1})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {3}, {8388608, 8388607, 2})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {3}, {8388608, -8388607, 2})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, 0.5F})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, INFINITY})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, NAN})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, 2}), Op::prod));
}

TEST_CASE("a seed names one array, and seeds differ") {
  for (const auto& row : dtype_table) {
    const auto a = generate({64}, row.dtype, Distribution::uniform, 7),
               b = generate({64}, row.dtype, Distribution::uniform, 7);
    const auto c = generate({64}, row.dtype, Distribution::uniform, 8);
    CHECK(std::memcmp(a.data.get(), b.data.get(), a.bytes()) == 0);
    CHECK(std::memcmp(a.data.get(), c.data.get(), a.bytes()) != 0);
  }
}
