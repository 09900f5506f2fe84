// The share of the ceiling that counts what a reduction along axes writes.
#include "../cli/bench/report.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace rung;
using namespace rung::cli;

namespace {

BenchRow row_of(Role role, const char* name, double seconds) {
  BenchRow row;
  row.role = role;
  row.name = name;
  row.verdict = role == Role::ceiling ? RowVerdict::unchecked : RowVerdict::pass;
  row.seconds = Summary{20, seconds, seconds, seconds, seconds, 0, {seconds, seconds}};
  return row;
}

/// 4 x 1000000 f32 in a second, by a kernel that the ceiling takes half the time of: 16 MB are read, and `written`
/// bytes are written.
BenchPoint point_that_writes(double written) {
  BenchPoint p;
  p.operation = "sum along axis 0";
  p.shape = {4, 1000000};
  p.machine = Machine::gpu;
  p.device = "Test GPU";
  p.logical_bytes = 16e6;
  p.traffic = Traffic{16e6, written};
  p.ceiling = 32e6;
  p.rows = {row_of(Role::kernel, "axis", 1), row_of(Role::ceiling, "ceiling-read", 0.5)};
  return p;
}

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("bench report: what an axis reduction writes is counted beside what it reads") {
  // Half of the ceiling is read; with a quarter more written that is 5/8, with half as much 3/4.
  BenchPoint p = point_that_writes(4e6);
  CHECK(*p.bandwidth(p.rows[0]) == doctest::Approx(16e6));
  CHECK(*p.share_with_writes(p.rows[0]) == doctest::Approx(0.625));
  CHECK(*point_that_writes(8e6).share_with_writes(p.rows[0]) == doctest::Approx(0.75));
  // The ceiling writes nothing.
  CHECK_FALSE(p.share_with_writes(p.rows[1]).has_value());
  // Up to 1 % of what is read it makes no difference.
  CHECK_FALSE(point_that_writes(16e4).share_with_writes(p.rows[0]).has_value());
  CHECK(point_that_writes(17e4).share_with_writes(p.rows[0]).has_value());
  // A whole array has one value; a mover's GB/s count what it writes already.
  const auto none = [&](auto&& change) {
    BenchPoint changed = point_that_writes(4e6);
    change(changed);
    return !changed.share_with_writes(changed.rows[0]).has_value();
  };
  CHECK(none([](BenchPoint& q) { q.operation = "sum"; }));
  CHECK(none([](BenchPoint& q) { q.family = Family::reverse; }));
  CHECK(none([](BenchPoint& q) { q.traffic.reset(); }));
  CHECK(none([](BenchPoint& q) { q.ceiling.reset(); }));
  CHECK(none([](BenchPoint& q) { q.machine = Machine::sim; }));
  CHECK(none([](BenchPoint& q) { q.rows[0].seconds.reset(); }));
}

TEST_CASE("bench report: tables show the share with writes where writes count") {
  const BenchPoint p = point_that_writes(4e6);
  const std::string text = bench_text(p, false), markdown = bench_markdown({{}, {p}});
  CHECK(mentions(text, "50%    62.5%"));
  CHECK(mentions(text, "\n+writes: of the ceiling, counting the 3.8 MiB that are written beside the 15.3 MiB read\n"));
  CHECK(mentions(markdown, "| of ceiling | of ceiling, with writes |"));
  CHECK(mentions(markdown, "| 50 % | 62.5 % |"));
  CHECK(mentions(markdown, "| 100 % | |"));
  const BenchPoint few = point_that_writes(4);
  CHECK_FALSE(mentions(bench_text(few, false), "writes"));
  CHECK_FALSE(mentions(bench_markdown({{}, {few}}), "writes"));
}

TEST_CASE("bench report: what is read and written is in JSON and CSV, and a report without it is read") {
  const std::string text = bench_json({{}, {point_that_writes(4e6)}});
  const BenchReport read = read_bench_json(text, "a.json");
  REQUIRE(read.points[0].traffic.has_value());
  CHECK(read.points[0].traffic->read == 16e6);
  CHECK(read.points[0].traffic->written == 4e6);
  CHECK(bench_json(read) == text);
  CHECK(mentions(bench_csv(read), ",note,bytes_read,bytes_written,"));
  CHECK(mentions(bench_csv(read), ",1.6e+07,4e+06,"));

  const std::size_t from = text.find("   \"bytes\": {"), to = text.find("},\n", from) + 3;
  REQUIRE(from != std::string::npos);
  const BenchReport old = read_bench_json(text.substr(0, from) + text.substr(to), "old.json");
  CHECK_FALSE(old.points[0].traffic.has_value());
  CHECK(old.points[0].logical_bytes == 16e6);
  CHECK_FALSE(mentions(bench_text(old.points[0], false), "writes"));
  CHECK(mentions(bench_json(old), "\"bytes\": null"));
  CHECK_FALSE(read_bench_json(bench_json(old), "old.json").points[0].traffic.has_value());

  const std::size_t written = text.find("\"written\": ");
  REQUIRE(written != std::string::npos);
  try {
    read_bench_json(text.substr(0, written) + "\"written\": -" + text.substr(written + 11), "bad.json");
    FAIL("accepted");
  } catch (const FileError& error) {
    CHECK(std::string(error.what()) == "bad.json: not a benchmark: points[0]: bytes: written is below 0");
  }
}
