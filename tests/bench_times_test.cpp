// Times that say little, and times that cannot be.
#include "../cli/bench/report.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

using namespace rung;
using namespace rung::cli;

namespace {

BenchPoint point_of_one_sample() {
  BenchPoint p;
  p.shape = {4};
  p.noise = Ratio{1.5, {1.5, 1.5}, 1};
  BenchRow row;
  row.name = "k";
  row.verdict = RowVerdict::pass;
  row.seconds = Summary{1, 1, 1, 1, 1, 0, {1, 1}};
  row.stopped = "max-time";
  row.speedups = {{"lib", {2, {2, 2}, 1}}};
  BenchRow reference = row;
  reference.role = Role::reference;
  reference.column = "lib";
  reference.speedups.clear();
  p.rows = {row, reference};
  return p;
}

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("bench report: times that cannot be are no benchmark") {
  const auto refused = [](auto&& spoil) {
    BenchReport report{{}, {point_of_one_sample()}};
    spoil(report.points[0]);
    try {
      read_bench_json(bench_json(report), "a.json");
    } catch (const FileError& error) {
      return std::string_view(error.what()).starts_with("a.json: not a benchmark");
    }
    return false;
  };
  CHECK(!refused([](BenchPoint&) {}));
  for (double Summary::*member : {&Summary::min, &Summary::lower, &Summary::median, &Summary::upper})
    for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
      CHECK(refused([&](BenchPoint& p) { (*p.rows[1].seconds).*member = bad; }));
  CHECK(refused([](BenchPoint& p) { p.rows[0].seconds->interval.low = 0; }));
  CHECK(refused([](BenchPoint& p) { p.rows[0].seconds->interval.high = -1; }));
  CHECK(refused([](BenchPoint& p) { p.rows[0].seconds->mad = -1; }));
  CHECK(refused([](BenchPoint& p) { p.rows[0].seconds->n = 0; }));
  CHECK(refused([](BenchPoint& p) { p.rows[0].speedups[0].ratio.median = -2; }));
  CHECK(refused([](BenchPoint& p) { p.noise->interval.low = 0; }));
  CHECK(!refused([](BenchPoint& p) { p.noise = Ratio{}; }));
  CHECK(refused([](BenchPoint& p) { p.rows[0].runs_a_sample = 0; }));
  CHECK(refused([](BenchPoint& p) { p.rows.clear(); }));
}

TEST_CASE("bench report: times in an order that cannot be are no benchmark") {
  const auto refusal = [](const Summary& seconds, const Ratio& noise) {
    BenchReport report{{}, {point_of_one_sample()}};
    report.points[0].rows[1].seconds = seconds;
    report.points[0].noise = noise;
    try {
      read_bench_json(bench_json(report), "a.json");
      return std::string("accepted");
    } catch (const FileError& error) {
      return std::string(error.what());
    }
  };
  const Summary times{9, 1, 2, 3, 4, 1, {2, 4}};
  const Ratio ratio{1.5, {1, 2}, 9};
  CHECK(refusal(times, ratio) == "accepted");
  struct Swap {
    double Summary::*member;
    double value;
    const char* said;
  };
  for (const auto& [member, value, said] : {Swap{&Summary::min, 2.5, "min is above lower_quartile"},
                                            {&Summary::lower, 3.5, "lower_quartile is above median"},
                                            {&Summary::upper, 2.5, "median is above upper_quartile"}}) {
    Summary wrong = times;
    wrong.*member = value;
    CHECK(refusal(wrong, ratio) == "a.json: not a benchmark: points[0]: rows[1]: seconds: " + std::string(said));
  }
  struct Beside {
    Interval interval;
    const char* said;
  };
  for (const auto& [interval, said] : {Beside{{3.5, 4}, "low is above median"}, {{1, 1.2}, "median is above high"}}) {
    Summary wrong = times;
    wrong.interval = interval;
    CHECK(refusal(wrong, ratio) == "a.json: not a benchmark: points[0]: rows[1]: seconds: " + std::string(said));
    CHECK(refusal(times, {1.5, interval, 9}) == "a.json: not a benchmark: points[0]: noise: " + std::string(said));
  }
}

TEST_CASE("bench report: one sample has no interval") {
  const BenchPoint p = point_of_one_sample();
  const std::string text = bench_text(p, false);
  CHECK(text.find("1.000 s      -    -  1") != std::string::npos);
  CHECK(text.find("noise floor (A/A) 1.5; stopped") != std::string::npos);
  CHECK(bench_markdown({{}, {p}}).find("[2, 2]") == std::string::npos);
}

TEST_CASE("bench report: numbers that are no counts are refused") {
  const std::string text = bench_json({{}, {point_of_one_sample()}});
  const std::size_t at = text.find("\"shape\": ["), end = text.find(']', at), bytes = text.find("\"logical_bytes\": ");
  REQUIRE(end != std::string::npos);
  REQUIRE(bytes != std::string::npos);
  const auto refused = [](const std::string& edited) {
    try {
      read_bench_json(edited, "a.json");
      return std::string("accepted");
    } catch (const FileError& error) {
      return std::string(error.what());
    }
  };
  const auto with_shape = [&](const std::string& shape) {
    return refused(text.substr(0, at) + "\"shape\": " + shape + text.substr(end + 1));
  };
  for (const char* extent : {"-5", "1e30", "18446744073709551616", "1.5", "true", "null", "[3]"})
    CHECK(with_shape("[7, " + std::string(extent) + "]") ==
          "a.json: not a benchmark: points[0]: shape[1]: the extent is not a count");
  for (const char* extents : {"4611686018427387904", "4294967296, 4294967296"})
    CHECK(mentions(with_shape("[" + std::string(extents) + "]"), "a.json: not a benchmark: points[0]: shape 4"));
  for (const char* shape : {"5", "{}", "{\"a\": 3}", "null", "\"4\""})
    CHECK(with_shape(shape) == "a.json: not a benchmark: points[0]: shape is not an array");
  CHECK(mentions(refused(text.substr(0, bytes) + "\"logical_bytes\": -1" + text.substr(bytes + 17)), "logical_bytes"));
  CHECK(mentions(refused(R"({"schema": "rung-bench-1", "environment": {}, "points": {}})"), "points is not an array"));
}

TEST_CASE("bench report: what else cannot be is refused, with its place") {
  const std::string text = bench_json({{}, {point_of_one_sample()}});
  const auto refused = [&](const std::string& good, const std::string& bad) {
    const std::size_t at = text.rfind(good);
    REQUIRE(at != std::string::npos);
    try {
      read_bench_json(text.substr(0, at) + bad + text.substr(at + good.size()), "a.json");
      return std::string("accepted");
    } catch (const FileError& error) {
      return std::string(error.what());
    }
  };
  const std::string start = "a.json: not a benchmark: ";
  CHECK(refused("\"dropped\": 0", "\"dropped\": -1") == start + "points[0]: rows[1]: dropped is not a count");
  CHECK(refused("\"waits\": false", "\"waits\": 0") == start + "points[0]: rows[1]: waits is neither true nor false");
  CHECK(refused("\"seconds\": {", "\"minutes\": {") == start + "points[0]: rows[1]: seconds is missing");
  CHECK(refused("\"mad\": 0.0", "\"mad\": \"0\"") == start + "points[0]: rows[1]: seconds: mad is not a number");
  CHECK(refused("\"low\": 1.0", "\"low\": 1e999") == start + "a number is beyond f64");
  CHECK(refused("\"stopped\": \"max-time\"", "\"stopped\": 1") == start + "points[0]: rows[1]: stopped is not a text");
  CHECK(refused("\"role\": \"reference\"", "\"role\": \"x\"") == start + "points[0]: rows[1]: role: unknown name x");
  CHECK(refused("\"runs_a_sample\": 1", "\"runs_a_sample\": 0") == start + "points[0]: rows[1]: runs_a_sample is 0");
  CHECK(refused("\"pairs\": 1", "\"pears\": 1") == start + "points[0]: rows[0]: speedup over lib: pairs is missing");
  CHECK(refused("\"block\": 0", "\"block\": -1") == start + "points[0]: launch: block is not a count");
  CHECK(refused("\"dtype\": \"f32\"", "\"dtype\": \"f33\"") == start + "points[0]: dtype: unknown name f33");
  CHECK(refused("\"warnings\": []", "\"warnings\": [1]") ==
        start + "points[0]: warnings[0]: the warning is not a text");
  CHECK(refused("\"environment\": {}", "\"environment\": {\"driver\": 5}") ==
        start + "environment: driver is not a text");
  CHECK(refused("\"points\": [", "\"dots\": [") == start + "points is missing");
  CHECK(refused("\"points\": [", "\"points\": [7,") == start + "points[0]: it is not an object");
  CHECK(mentions(refused("\"first_mismatches\": []", "\"first_mismatches\": {}"), "first_mismatches is not an array"));
  CHECK(mentions(refused("\"speedup\": {}", "\"speedup\": []"), "speedup is not an object"));
  CHECK(mentions(refused("\"megahertz\": null", "\"megahertz\": -1"), "megahertz is below 0"));
  CHECK(mentions(refused("\"precision\": 0.0", "\"precision\": -0.1"), "precision is below 0"));
  CHECK(mentions(refused("\"ceiling\": null", "\"ceiling\": -1"), "ceiling is below 0"));
  CHECK(refused("\"environment\": {}", "\"environment\": []") == start + "environment is not an object");
}
