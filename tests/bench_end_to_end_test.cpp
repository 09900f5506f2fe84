// Command lines of processes, their pairing with made-up times, and what processes of /bin/sh report.
#include "../cli/bench/changes.hpp"
#include "../cli/bench/end_to_end.hpp"
#include "../cli/bench/process.hpp"
#include "../cli/report/report.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace rung;
using namespace rung::cli;

namespace {

using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

RunOptions parsed(const Words& words) { return std::get<RunOptions>(parse_command_line(words)); }

ProcessSubject subject(Role role, const std::string& name) {
  ProcessSubject s;
  s.row.role = role;
  s.row.name = name;
  s.row.column = role == Role::reference ? name : "";
  s.row.verdict = RowVerdict::pass;
  s.run.kernels = {name};
  return s;
}

BenchPoint point_of_gpu() {
  BenchPoint p;
  p.operation = "sum";
  p.shape = {1000};
  p.machine = Machine::gpu;
  p.device = "Test GPU";
  p.mode = Mode::graph;
  p.file = FileInput{"csv", 1};
  p.logical_bytes = 6000;
  return p;
}

/// What an error says, with its exit status and hint.
template <class F>
std::string failure(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return std::to_string(error.exit_status()) + ": " + error.what() + " / " + error.hint();
  }
  return "none";
}

Finished shell(const std::string& script) { return run_process("/bin/sh", {"-c", script}); }

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

}  // namespace

TEST_CASE("end to end: the command line of what was asked for") {
  RunOptions o;
  o.op = Op::max;
  o.axes = {-1, 0};
  o.kernels = {"vector"};
  o.device = {Machine::gpu, 1};
  o.launch.block = 256;
  o.read.from = io::Format::csv;
  o.read.delimiter = "-";
  o.read.header = true;
  o.files = {"-odd name.csv"};
  CHECK(words_of(o) == Words{"reduce", "--op=max", "--acc=wide", "--axis=-1,0", "--kernel=vector", "--device=gpu:1",
                             "--block=256", "--from=csv", "--delimiter=-", "--header=yes", "--", "-odd name.csv"});
  const RunOptions again = parsed(words_of(o));
  CHECK(again.files == o.files);
  CHECK(again.axes == o.axes);
  CHECK(again.device.ordinal == 1);
}

TEST_CASE("end to end: every option that a run takes is in its command line") {
  const std::vector<Words> lines{
      {"reduce",        "--op=argmin", "--acc=same",   "--keepdims", "--axis=0,2", "--kernel=a,b",
       "--device=auto", "--block=1",   "--grid=2",     "--items=3",  "--from=raw", "--dtype=c64",
       "--shape=2x3x4", "--offset=8",  "--endian=big", "--to=csv",   "--check",    "--time",
       "--json=-",      "--csv=c d",   "--markdown=m", "--",         "one"},
      {"reduce", "--op=sum", "--acc=wide", "--kernel=best", "--device=auto", "--", "one", "two"},
      {"transpose", "--axes=1,0", "--kernel=best", "--device=sim", "--columns=2,5-7", "--header=no", "--missing=nan",
       "--output=o p", "--", "x"},
      {"transpose", "--kernel=best", "--device=cpu", "--shape=scalar", "--", "x"},
      {"reverse", "--axis=-2", "--kernel=best", "--device=gpu", "--", "-"}};
  for (const Words& words : lines) {
    CAPTURE(words.front());
    Words again = words_of(parsed(words));
    Words sorted = words;
    // The order is the function's own.
    std::sort(again.begin(), again.end());
    std::sort(sorted.begin(), sorted.end());
    CHECK(again == sorted);
  }
}

TEST_CASE("end to end: a run takes over the work, and not the reports") {
  RunOptions asked;
  asked.family = Family::transpose;
  asked.axes = {1, 0};
  asked.json = "report.json";
  asked.launch.items = 2;
  asked.files = {"typed.npy"};
  const RunOptions run = process_run(asked, {"window"}, {Machine::gpu, 0}, {.dtype = DType::f32}, "in.npy", "out");
  CHECK(words_of(run) == Words{"transpose", "--axes=1,0", "--kernel=window", "--device=gpu", "--items=2", "--dtype=f32",
                               "--output=out", "--", "in.npy"});
}

TEST_CASE("end to end: in turn, paired, and the first against itself") {
  BenchPoint point = point_of_gpu();
  std::vector<ProcessSubject> subjects{subject(Role::kernel, "a"), subject(Role::kernel, "wrong"),
                                       subject(Role::kernel, "b"), subject(Role::reference, "cpu")};
  subjects[1].row.verdict = RowVerdict::fail;
  std::string order;
  std::size_t taken = 0;
  // The machine slows down from round to round, and the ratios within a round are always the same.
  time_processes(point, subjects, {0.005, 8, 8, 1e9}, [&](const RunOptions& run) {
    const std::string& name = run.kernels.front();
    order += name.front();
    const double drift = 1.0 + static_cast<double>(taken++ / 4);
    return drift * (name == "a" ? 1 : name == "b" ? 2 : 6);
  });
  // Three commands, and a again in the middle.
  CHECK(order.substr(0, 8) == "abacabac");
  CHECK(order.size() == 32);
  REQUIRE(subjects[0].row.seconds.has_value());
  CHECK(subjects[0].row.seconds->n == 8);
  CHECK(subjects[0].row.seconds->median == doctest::Approx(4.5));
  REQUIRE(subjects[0].row.speedups.size() == 1);
  CHECK(subjects[0].row.speedups[0].over == "cpu");
  CHECK(subjects[0].row.speedups[0].ratio.median == doctest::Approx(6));
  CHECK(subjects[0].row.speedups[0].ratio.interval.low == doctest::Approx(6));
  CHECK(subjects[2].row.speedups[0].ratio.median == doctest::Approx(3));
  REQUIRE(subjects[2].row.previous.has_value());
  CHECK(subjects[2].row.previous->over == "a");
  CHECK(subjects[2].row.previous->ratio.median == doctest::Approx(0.5));
  CHECK_FALSE(subjects[1].row.seconds.has_value());
  CHECK(subjects[3].row.speedups.empty());
  CHECK(subjects[0].row.stopped == "most-samples");
  REQUIRE(point.noise.has_value());
  CHECK(point.noise->median == doctest::Approx(1));
}

TEST_CASE("end to end: of the simulator no ratio is drawn") {
  BenchPoint point = point_of_gpu();
  point.machine = Machine::sim;
  std::vector<ProcessSubject> subjects{subject(Role::kernel, "a"), subject(Role::kernel, "b")};
  time_processes(point, subjects, {0.005, 3, 3, 1e9}, [](const RunOptions&) { return 1.0; });
  CHECK(subjects[0].row.seconds->n == 3);
  CHECK_FALSE(point.noise.has_value());
  CHECK_FALSE(subjects[1].row.previous.has_value());
}

TEST_CASE("end to end: reports name the mode and the file, and compare tells it from other modes") {
  BenchPoint point = point_of_gpu();
  point.rows = {subject(Role::kernel, "vector").row};
  point.rows[0].seconds = Summary{20, 3, 3, 3, 3, 0, {3, 3}};
  CHECK(heading(point) == "reduce sum of f32, 1000 (3.9 KiB), on gpu: Test GPU, end-to-end from csv");
  const BenchReport report{{}, {point}};
  const std::string json = bench_json(report);
  CHECK(contains(json, "\"mode\": \"end-to-end\""));
  CHECK(contains(json, "\"bytes_per_second\": 2000.0"));
  CHECK(bench_json(read_bench_json(json, "a.json")) == json);
  CHECK(contains(bench_csv(report), ",end-to-end,6000,"));
  CHECK(contains(bench_markdown(report), "| GB/s of file |"));
  CHECK(contains(bench_markdown(report), "; file in the page cache."));
  CHECK_FALSE(contains(bench_markdown(report), "of peak"));
  const std::string text = bench_text(point, false);
  CHECK(contains(text, "file GB/s"));
  CHECK(contains(text, "file in the page cache"));
  CHECK_FALSE(contains(text, "ceiling"));
  const auto same = compare_benches(report, read_bench_json(json, "a.json"));
  REQUIRE(same.size() == 1);
  CHECK(same[0].change == Change::none);
  BenchPoint kernel_alone = point;
  kernel_alone.file.reset();
  CHECK(compare_benches(report, {{}, {kernel_alone}})[0].change == Change::only_before);
  point.file->cached = 0.41;
  CHECK(contains(bench_text(point, false), "41 % of the file in the page cache"));
}

TEST_CASE("end to end: what a checked run reports is what the point is described by") {
  Run run;
  run.input = "in.npy";
  run.family = Family::reverse;
  run.operation = "along axis 0";
  run.dtype = DType::i16;
  run.shape = {3, 4};
  run.machine = Machine::sim;
  run.device = "a machine";
  Row kernel, library, wrong;
  kernel.name = "vector";
  kernel.verdict = RowVerdict::pass;
  kernel.launch = "grid 1";
  library.kind = RowKind::reference;
  wrong.name = "direct";
  wrong.verdict = RowVerdict::fail;
  wrong.mismatches = 1;
  wrong.first = {{7, "2", "3", 0}};
  run.rows = {kernel, library, wrong};
  const BenchPoint point = read_check_json(to_json({{}, {run}}), "check.json");
  CHECK(point.family == Family::reverse);
  CHECK(point.operation == "along axis 0");
  CHECK(point.dtype == DType::i16);
  CHECK(point.shape == Shape{3, 4});
  CHECK(point.machine == Machine::sim);
  CHECK(point.device == "a machine");
  REQUIRE(point.rows.size() == 2);
  CHECK(point.rows[0].launch == "grid 1");
  CHECK(point.rows[1].verdict == RowVerdict::fail);
  CHECK(point.rows[1].first[0].want == "3");
  CHECK(contains(failure([] { read_check_json("{}", "check.json"); }), "3: check.json: "));
}

TEST_CASE("end to end: a process's end, its errors and its time") {
  const Finished ends = shell("echo lost; echo told >&2; exit 7");
  CHECK(ends.status == 7);
  CHECK(ends.signal == 0);
  CHECK(ends.errors == "told\n");
  CHECK(ends.seconds > 0);
  CHECK(shell("sleep 0.2").seconds >= 0.2);
  CHECK(shell("kill -KILL $$").signal == SIGKILL);
  // Nothing to read, and nobody waits for it.
  CHECK(shell("read line && exit 1; exit 0").status == 0);
  CHECK(contains(failure([] { run_process("/nowhere/rung", {}); }), "3: cannot start a process"));
}

TEST_CASE("end to end: a process's error is reported as its own") {
  const auto told = [](const std::string& errors, int status, int signal = 0) {
    return failure([&] { throw_failure({0, status, signal, errors}, {"reduce", "a.npy"}); });
  };
  CHECK(told("rung: warning: odd\nrung: no GPU: why\nhint: -d cpu\n", 4) == "4: no GPU: why / -d cpu");
  CHECK(told("rung: a.npy: short\n", 3) == "3: a.npy: short / ");
  CHECK(told("rung: bad\n", 2) == "2: bad / ");
  CHECK(told("", 5) == "3: rung reduce a.npy: exit status 5 / ");
  CHECK(told("", 0, SIGSEGV) == "3: rung reduce a.npy: ended by signal 11 / ");
}

TEST_CASE("end to end: files beside, and what is in them") {
  std::string folder;
  {
    ScratchFolder scratch;
    folder = scratch.path();
    const std::string a = scratch.file("a"), b = scratch.file("b");
    const std::string long_text((std::size_t{1} << 20) + 5, 'x');
    write(a, long_text);
    write(b, long_text);
    CHECK(same_bytes(a, b));
    CHECK(cached_share(a) > 0);
    write(b, long_text + "y");
    CHECK_FALSE(same_bytes(a, b));
    write(b, long_text.substr(1) + "y");
    CHECK_FALSE(same_bytes(a, b));
    CHECK_FALSE(same_bytes(a, scratch.file("none")));
    write(b, "");
    CHECK(cached_share(b) == 1);
    CHECK((std::filesystem::status(folder).permissions() & std::filesystem::perms::others_all) ==
          std::filesystem::perms::none);
  }
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("end to end: what contradicts it is refused") {
  for (const Words& words : {Words{"bench", "reduce", "--end-to-end", "--mode", "hot"},
                             Words{"bench", "reduce", "--end-to-end", "-a", "mode=cold"}})
    CHECK(contains(failure([&] { parse_command_line(words); }), "2: --mode and --end-to-end"));
  CHECK(std::get<BenchOptions>(parse_command_line({"bench", "reduce", "--end-to-end"})).end_to_end);
}
