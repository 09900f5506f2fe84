// Reports of a benchmark against their text, JSON there and back, and the rule of compare.
#include "../cli/bench/changes.hpp"
#include "../cli/bench/report.hpp"
#include "../cli/bench/summary.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace rung;
using namespace rung::cli;

namespace {

Summary around(double median, double share) {
  Summary s;
  s.n = 20;
  s.min = median * 0.9;
  s.lower = median * 0.95;
  s.median = median;
  s.upper = median * 1.05;
  s.mad = median * 0.05;
  s.interval = {median * (1 - share), median * (1 + share)};
  return s;
}

/// One kernel at 4000 GB/s beside a library at 2000, a ceiling at 5000, on a memory of 5000 GB/s.
BenchPoint sample_point(std::size_t n, double speed = 1) {
  BenchPoint p;
  p.input = "uniform, seed 0";
  p.operation = "sum";
  p.shape = {n};
  p.acc = Acc::same;
  p.machine = Machine::gpu;
  p.device = "Test GPU";
  p.mode = Mode::graph;
  p.logical_bytes = 4.0 * static_cast<double>(n);
  p.sets = 50;
  p.theoretical = 5e12;
  p.precision = 0.005;
  p.noise = Ratio{1.001, {0.992, 1.004}, 20};
  BenchRow kernel;
  kernel.name = "vector";
  kernel.verdict = RowVerdict::pass;
  kernel.launch = "grid 8, block 256";
  kernel.seconds = around(p.logical_bytes / 4e12 / speed, 0.001);
  kernel.stopped = "precision";
  kernel.megahertz = 1980;
  kernel.speedups = {{"cub", {2 * speed, {1.9 * speed, 2.1 * speed}, 20}}};
  kernel.previous = Speedup{"shuffle", {1.5, {1.4, 1.6}, 20}};
  BenchRow library;
  library.role = Role::reference;
  library.name = "cub::DeviceReduce::Sum";
  library.column = "cub";
  library.version = "CUB 3.0.1";
  library.verdict = RowVerdict::pass;
  library.seconds = around(p.logical_bytes / 2e12, 0.001);
  library.stopped = "max-time";
  library.dropped = 3;
  BenchRow ceiling;
  ceiling.role = Role::ceiling;
  ceiling.name = "ceiling-read";
  ceiling.seconds = around(p.logical_bytes / 5e12, 0.001);
  ceiling.stopped = "precision";
  p.ceiling = 5e12;
  BenchRow wrong;
  wrong.name = "broken";
  wrong.verdict = RowVerdict::fail;
  wrong.mismatches = 1;
  wrong.first = {{7, "2", "3", 0}};
  BenchRow skipped;
  skipped.name = "atomic";
  skipped.verdict = RowVerdict::skipped;
  skipped.note = "floats, only";
  p.rows = {kernel, library, ceiling, wrong, skipped};
  p.warnings = {"3 samples dropped"};
  return p;
}

BenchReport sample_report(double speed = 1) {
  return {{{"rung", "0.1.0"}, {"command", "rung bench reduce"}},
          {sample_point(1 << 20, speed), sample_point(1 << 24, speed)}};
}

/// Without the kernel that is wrong.
BenchReport sound_report() {
  BenchReport report = sample_report();
  for (auto& point : report.points)
    std::erase_if(point.rows, [](const BenchRow& row) { return row.verdict == RowVerdict::fail; });
  return report;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Change change_of(const std::vector<ChangeRow>& rows, const std::string& name) {
  for (const auto& row : rows)
    if (row.name == name) return row.change;
  return Change::only_before;
}

}  // namespace

TEST_CASE("bench report: bandwidth, and the floor that two runs may differ by") {
  BenchPoint p = sample_point(1 << 20);
  CHECK(*p.bandwidth(p.rows[0]) == doctest::Approx(4e12));
  CHECK_FALSE(p.bandwidth(p.rows[3]).has_value());
  CHECK(p.floor() == doctest::Approx(0.008));
  p.noise->interval = {0.999, 1.001};
  CHECK(p.floor() == doctest::Approx(0.005));
  p.machine = Machine::sim;
  CHECK_FALSE(p.bandwidth(p.rows[0]).has_value());
}

TEST_CASE("bench report: the terminal's table") {
  const std::string text = bench_text(sample_point(1 << 20), false);
  CHECK(text.starts_with("reduce sum of f32, 1048576 (4.0 MiB), acc same, on gpu: Test GPU, graph\n"));
  for (const char* part : {"4000", "80%", "2000", "40%", "100%", "x cub", "noise floor (A/A) 1.001 [0.992, 1.004]",
                           "stopped by --max-time, with cub::DeviceReduce::Sum not within --precision",
                           "SM clock 1980 MHz, 3 samples dropped", "50 inputs in turn", "FAIL",
                           "broken: 1 result is wrong\n  [7] got 2, want 3\n", "atomic: skipped: floats, only"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  // A bar of 20 characters is the theoretical bandwidth.
  CHECK(count(text, "█") == 16 + 8 + 20);
  // The wrong kernel has no time.
  const std::size_t line = text.find("broken");
  CHECK(text.substr(line, text.find('\n', line) - line).find(" us") == std::string::npos);
}

TEST_CASE("bench report: a reference that is wrong is not read as the kernel's failure") {
  BenchPoint p = sample_point(1 << 20);
  p.rows.erase(p.rows.begin() + 3);
  p.rows[0].speedups.clear();
  p.rows[1].verdict = RowVerdict::fail;
  p.rows[1].seconds.reset();
  p.rows[1].mismatches = 2;
  const std::string text = bench_text(p, false);
  CHECK(contains(text, "\ncub::DeviceReduce::Sum  differs"));
  CHECK(contains(text, "reference cub::DeviceReduce::Sum differs from the exact answer in 2 results; "));
  CHECK(!contains(text, "FAIL"));
  CHECK(contains(bench_markdown({{}, {p}}), "| cub::DeviceReduce::Sum | differs |"));
}

TEST_CASE("bench report: simulated times have no spread") {
  BenchPoint p = sample_point(1 << 20);
  p.machine = Machine::sim;
  const std::string text = bench_text(p, false);
  CHECK(contains(text, "time to simulate"));
  for (const char* part : {"95%", "mad", "stopped", "GB/s"}) CHECK(!contains(text, part));
}

TEST_CASE("bench report: an interval that holds 1 is no difference") {
  BenchPoint p = sample_point(1 << 20);
  p.rows[0].speedups[0].ratio = {1.01, {0.99, 1.03}, 20};
  CHECK(contains(bench_text(p, false), "1.01 ="));
  CHECK(contains(bench_markdown({{}, {p}}), "1.01 [0.99, 1.03] no difference"));
}

TEST_CASE("bench report: JSON there and back is the same JSON") {
  const std::string text = bench_json(sample_report());
  CHECK(contains(text, "\"schema\": \"rung-bench-1\""));
  const BenchReport read = read_bench_json(text, "a.json");
  CHECK(bench_json(read) == text);
  REQUIRE(read.points.size() == 2);
  CHECK(read.points[1].shape == Shape{1 << 24});
  CHECK(read.points[0].rows[0].speedups[0].ratio.interval.high == doctest::Approx(2.1));
  CHECK(read.points[0].rows[1].dropped == 3);
}

TEST_CASE("bench report: what is no benchmark is refused with the file's name") {
  for (const char* text : {"", "[]", "{}", R"({"schema": "rung-report-1"})", R"({"schema": "rung-bench-1"})",
                           R"({"schema": "rung-bench-1", "environment": {}, "points": [{}]})"}) {
    CAPTURE(text);
    try {
      read_bench_json(text, "a.json");
      FAIL("accepted");
    } catch (const FileError& error) {
      const std::string what = error.what();
      CHECK((what.starts_with("a.json: ") || what == "a.json:1: not JSON from here on"));
      CHECK(!contains(what, "exception"));
    }
  }
}

TEST_CASE("bench report: a plot without anything to draw says so") {
  CHECK(contains(bench_svg({{}, {}}), "nothing to draw"));
  CHECK(!contains(bench_svg(sample_report()), "nothing to draw"));
}

TEST_CASE("bench report: CSV has a line a row, each as long as the head") {
  const std::string text = bench_csv(sample_report());
  CHECK(count(text, "\n") == 1 + 2 * 5);
  const std::string head = text.substr(0, text.find('\n'));
  CHECK(contains(head, "speedup over cub,speedup over cub low,speedup over cub high,schema,rung,command"));
  const std::string row = text.substr(head.size() + 1, text.find('\n', head.size() + 1) - head.size() - 1);
  // "uniform, seed 0" and the launch, with commas in them, are quoted.
  CHECK(count(row, ",") == count(head, ",") + 2);
  CHECK(contains(row, ",4194304,5e+12,"));
}

TEST_CASE("bench report: Markdown has one table for sizes of the same work") {
  const std::string text = bench_markdown(sample_report());
  CHECK(count(text, "| shape") == 1);
  CHECK(contains(text, "| 1048576 | `vector` |"));
  CHECK(contains(text, "2 [1.9, 2.1]"));
  CHECK(contains(text, "x the one before"));
  CHECK(contains(text, "cub is CUB 3.0.1."));
  CHECK(contains(text, "- command: `rung bench reduce`"));
  CHECK_FALSE(contains(text, "atomic"));
}

TEST_CASE("bench report: a plot by size, bars for one size") {
  const std::string lines = bench_svg(sample_report());
  CHECK(lines.starts_with("<svg "));
  CHECK(lines.ends_with("</svg>\n"));
  CHECK(count(lines, "<polyline") == 3);
  CHECK(contains(lines, ">2^20<"));
  const std::string bars = bench_svg({{}, {sample_point(1 << 20)}});
  CHECK(count(bars, "<polyline") == 0);
  CHECK(count(bars, "4000 GB/s") == 1);
}

TEST_CASE("bench report: means over a sweep") {
  BenchReport report = sample_report();
  report.points[0].rows[0].speedups[0].ratio = {0.5, {0.4, 0.6}, 20};
  const auto means = means_of({&report.points[0], &report.points[1]});
  REQUIRE(means.size() == 1);
  CHECK(means[0].kernel == "vector");
  CHECK(means[0].points == 2);
  CHECK(means[0].mean == doctest::Approx(1));
  CHECK(means[0].least == 0.5);
  CHECK(means[0].behind == 1);
  CHECK(contains(sweep_summary(report), "vector"));
  CHECK(sweep_summary({{}, {report.points[0]}}).empty());
}

TEST_CASE("compare: the same twice is no difference") {
  const auto rows = compare_benches(sound_report(), sound_report());
  CHECK(rows.size() == 6);
  for (const auto& row : rows) CHECK(row.change == Change::none);
  CHECK(changes_text(rows) == "6 rows compared: 6 no difference, 0 slower, 0 faster\n");
}

TEST_CASE("compare: beyond the floor and with disjoint intervals") {
  CHECK(change_of(compare_benches(sample_report(), sample_report(1 / 1.05)), "vector") == Change::slower);
  CHECK(change_of(compare_benches(sample_report(), sample_report(1.05)), "vector") == Change::faster);
  // Disjoint intervals, but within the floor of 0.8 %.
  CHECK(change_of(compare_benches(sample_report(), sample_report(1.007)), "vector") == Change::none);
  // Beyond the floor, but the intervals touch.
  BenchReport wide = sample_report(1.05);
  for (auto& point : wide.points) point.rows[0].seconds->interval.high *= 1.06;
  CHECK(change_of(compare_benches(sample_report(), wide), "vector") == Change::none);
  // The larger floor of the two counts.
  BenchReport noisy = sample_report(1.05);
  for (auto& point : noisy.points) point.noise->interval.high = 1.1;
  CHECK(change_of(compare_benches(sample_report(), noisy), "vector") == Change::none);
  CHECK(change_of(compare_benches(noisy, sample_report()), "vector") == Change::none);
}

TEST_CASE("compare: calls that wait for the device are not judged by its noise") {
  BenchReport before = sound_report(), after = sound_report();
  for (BenchReport* report : {&before, &after})
    for (auto& point : report->points) point.rows[1].waits = true;
  for (auto& point : after.points) point.rows[1].seconds = around(point.rows[1].seconds->median * 2, 0.001);
  const auto rows = compare_benches(before, read_bench_json(bench_json(after), "a.json"));
  CHECK(change_of(rows, "cub::DeviceReduce::Sum") == Change::not_judged);
  CHECK(changes_text(rows) ==
        "4 rows compared: 4 no difference, 0 slower, 0 faster; 2 not judged: they wait for the host, are simulated, or "
        "have one sample\n");
}

TEST_CASE("compare: the simulator's times are not judged") {
  BenchReport before = sample_report(), after = sample_report(1 / 2.0);
  for (BenchReport* report : {&before, &after})
    for (auto& point : report->points) point.machine = Machine::sim;
  const auto rows = compare_benches(before, after);
  CHECK(change_of(rows, "vector") == Change::not_judged);
  CHECK(violations(rows, {{true, 0.02}}).empty());
  CHECK_FALSE(any_kernel_compared(rows));
  for (auto& point : after.points) point.rows[0].verdict = RowVerdict::fail;
  CHECK_FALSE(wrong_results(compare_benches(before, after)).empty());
}

TEST_CASE("compare: one sample has no interval, and is not judged") {
  for (const auto& [n, m] : {std::pair(1, 20), std::pair(20, 1), std::pair(1, 1)}) {
    BenchReport before = sample_report(), after = sample_report(1 / 2.0);
    before.points[0].rows[0].seconds->n = static_cast<std::size_t>(n);
    after.points[0].rows[0].seconds->n = static_cast<std::size_t>(m);
    CHECK(change_of(compare_benches(before, after), "vector") == Change::not_judged);
  }
}

TEST_CASE("compare: limits are on kernels alone") {
  BenchReport slower = sample_report(1 / 1.05);
  for (auto& point : slower.points) point.rows[1].seconds = around(point.rows[1].seconds->median * 2, 0.001);
  const auto rows = compare_benches(sample_report(), slower);
  CHECK(change_of(rows, "cub::DeviceReduce::Sum") == Change::slower);
  CHECK(violations(rows, {{true, 0.02}}).size() == 2);
  CHECK(violations(rows, {{true, 0.06}}).empty());
  CHECK(violations(rows, {{false, 0.02}}).empty());
  CHECK(violations(compare_benches(slower, sample_report()), {{false, 0.02}}).size() == 2);
}

TEST_CASE("compare: rows that only one has are said, and no change") {
  BenchReport fewer = sound_report();
  fewer.points.pop_back();
  const auto rows = compare_benches(sound_report(), fewer);
  CHECK(std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.change == Change::only_before; }) == 3);
  CHECK(
      contains(changes_text(rows), "3 rows compared: 3 no difference, 0 slower, 0 faster; 3 not in NEW, 0 not in OLD"));
  CHECK(contains(changes_text(compare_benches(fewer, sound_report())), "0 not in NEW, 3 not in OLD"));
  CHECK(violations(rows, {{true, 0.001}}).empty());
}

TEST_CASE("a wide interval is a plain percentage") {
  BenchPoint point = sample_point(1 << 20);
  point.rows.front().seconds = around(1e-3, 1.9);
  const std::string text = bench_text(point, false);
  CHECK(contains(text, "190%"));
  CHECK(!contains(text, "e+"));
}
