// The table on the terminal, with bars.
#include "../text.hpp"

#include "../report/table.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rung::cli {
namespace {

constexpr std::size_t bar_width = 20;

/// Names and notes may come from a file.
std::string line(const std::string& text) { return printable(text) + "\n"; }

std::string percent(double share, int digits = 3) { return plain(share * 100, digits) + "%"; }

/// In eighths of a character; none for what is no number.
std::string bar(double share) {
  static constexpr std::array<const char*, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = share > 0 ? static_cast<std::size_t>(std::lround(std::min(share, 1.0) * bar_width * 8)) : 0;
  std::string out;
  for (std::size_t k = 0; k < eighths / 8; ++k) out += "█";
  return out + parts[eighths % 8];
}

/// The median of paired ratios; "=" where its interval contains 1.
std::string ratio_text(const Ratio& ratio) { return plain(ratio.median, 4) + (ratio.no_difference() ? " =" : ""); }

std::string speedup_text(const BenchRow& row, const std::string& over) {
  for (const Speedup& s : row.speedups)
    if (s.over == over) return ratio_text(s.ratio);
  return "-";
}

std::string verdict_text(const BenchRow& row) {
  if (row.verdict == RowVerdict::fail) return row.role == Role::reference ? reference_differs : "FAIL";
  return row.suspect ? "SUSPECT" : row.role == Role::ceiling ? "" : std::string(name_of(row.verdict));
}

std::pair<std::string, std::string> paint(const std::string& cell) {
  const std::string end = "\x1b[0m";
  if (cell == "pass") return {"\x1b[32m", end};
  if (cell == "FAIL" || cell == "SUSPECT") return {"\x1b[1;31m", end};
  if (cell == "unverifiable" || cell == reference_differs) return {"\x1b[33m", end};
  return {};
}

/// The bandwidth that fills a bar.
double full_bar(const BenchPoint& point) {
  double most = point.theoretical;
  if (most == 0)
    for (const BenchRow& row : point.rows) most = std::max(most, point.bandwidth(row).value_or(0));
  return most;
}

/// How steady the samples were: half the 95 % interval, the median absolute deviation, their number.
std::array<std::string, 3> spread(const BenchRow& row) {
  if (!row.seconds) return {"-", "-", "-"};
  const Summary& s = *row.seconds;
  if (s.n < 2) return {"-", "-", std::to_string(s.n)};
  return {percent(std::max(s.interval.high - s.median, s.median - s.interval.low) / s.median, 2),
          percent(s.mad / s.median, 2), std::to_string(s.n)};
}

constexpr const char* writes_column = "+writes";

bool shows_writes(const BenchPoint& point) {
  return std::any_of(point.rows.begin(), point.rows.end(),
                     [&](const BenchRow& row) { return point.share_with_writes(row).has_value(); });
}

/// What the column counts.
std::string writes_text(const BenchPoint& point) {
  if (!shows_writes(point)) return {};
  const auto bytes = [](double count) { return bytes_text(static_cast<std::size_t>(count)); };
  return std::string(writes_column) + ": of the ceiling, counting the " + bytes(point.traffic->written) +
         " that are written beside the " + bytes(point.traffic->read) + " read";
}

std::string table(const BenchPoint& point, bool color) {
  const bool simulated = point.machine == Machine::sim;
  const bool writes = shows_writes(point);
  const auto references = reference_columns({&point});
  std::vector<Column> columns{{"kernel"}, {"verdict"}, {simulated ? simulator_time : "median", true}};
  if (!simulated) {
    columns.insert(columns.end(), {{"+-95%", true}, {"mad", true}, {"n", true}});
    columns.push_back({point.file ? "file GB/s" : "GB/s", true});
    if (!point.file) columns.insert(columns.end(), {{"peak", true}, {"ceiling", true}});
    if (writes) columns.push_back({writes_column, true});
    for (const auto& name : references) columns.push_back({"x " + name, true});
    columns.push_back({""});
  }
  Table rows(std::move(columns));
  const double full = full_bar(point);
  for (const BenchRow& row : point.rows) {
    if (row.verdict == RowVerdict::skipped) continue;
    std::vector<std::string> cells{row.name, verdict_text(row), row.seconds ? seconds_text(row.seconds->median) : "-"};
    if (!simulated) {
      for (const auto& cell : spread(row)) cells.push_back(cell);
      const auto bandwidth = point.bandwidth(row);
      cells.push_back(bandwidth ? plain(*bandwidth / 1e9, 4) : "-");
      if (!point.file) {
        cells.push_back(bandwidth && point.theoretical > 0 ? percent(*bandwidth / point.theoretical) : "-");
        cells.push_back(bandwidth && point.ceiling ? percent(*bandwidth / *point.ceiling) : "-");
      }
      if (writes) {
        const auto share = point.share_with_writes(row);
        cells.push_back(share ? percent(*share) : "-");
      }
      for (const auto& name : references) cells.push_back(speedup_text(row, name));
      cells.push_back(bandwidth && full > 0 ? bar(*bandwidth / full) : "");
    }
    rows.add(std::move(cells));
  }
  constexpr std::size_t verdict_column = 1;
  return rows.text([&](const std::string& cell, std::size_t column) {
    return color && column == verdict_column ? paint(cell) : std::pair<std::string, std::string>();
  });
}

std::string noise_text(const BenchPoint& point) {
  if (!point.noise) return {};
  const Interval& i = point.noise->interval;
  const std::string text = "noise floor (A/A) " + plain(point.noise->median, 4);
  return point.noise->n < 2 ? text : text + " [" + plain(i.low, 4) + ", " + plain(i.high, 4) + "]";
}

/// What stopped the samples: one clause, with the exceptions.
std::string stop_text(const BenchPoint& point) {
  if (point.machine == Machine::sim) return {};
  std::vector<std::string> late;
  std::size_t timed = 0;
  std::string rule;
  for (const BenchRow& row : point.rows) {
    if (!row.seconds) continue;
    ++timed;
    if (row.stopped == "precision" || row.stopped == "others") continue;
    late.push_back(row.name);
    rule = row.stopped;
  }
  if (timed == 0) return {};
  if (late.empty()) return "stopped by --precision " + percent(point.precision);
  return "stopped by " + (rule == "max-time" ? std::string("--max-time") : rule) +
         (late.size() == timed ? "" : ", with " + join(late, ", ") + " not within --precision");
}

std::string clock_text(const BenchPoint& point) {
  double low = 0, high = 0;
  std::size_t dropped = 0;
  for (const BenchRow& row : point.rows) {
    dropped += row.dropped;
    if (!row.megahertz) continue;
    low = low == 0 ? *row.megahertz : std::min(low, *row.megahertz);
    high = std::max(high, *row.megahertz);
  }
  if (high == 0) return {};
  return "SM clock " + plain(low, 4) + (high != low ? " to " + plain(high, 4) : "") + " MHz, " +
         std::to_string(dropped) + " samples dropped";
}

std::string mismatches(const BenchRow& row) {
  std::string out =
      line(row.role == Role::reference ? reference_remark(row.name, row.mismatches)
                                       : row.name + ": " + std::to_string(row.mismatches) +
                                             (row.mismatches == 1 ? " result is" : " results are") + " wrong");
  for (const Mismatch& m : row.first)
    out += line("  [" + std::to_string(m.index) + "] got " + m.got + ", want " + m.want);
  return out;
}

}  // namespace

std::string bench_text(const BenchPoint& point, bool color) {
  std::string out = line(heading(point)) + table(point, color);
  std::vector<std::string> facts;
  for (auto&& fact : {noise_text(point), stop_text(point), clock_text(point)})
    if (!fact.empty()) facts.push_back(fact);
  if (point.file) facts.push_back(cached_text(point.file->cached));
  if (point.sets > 1) facts.push_back(std::to_string(point.sets) + " inputs in turn");
  if (!facts.empty()) out += line(join(facts, "; "));
  if (const std::string writes = writes_text(point); !writes.empty()) out += line(writes);
  for (const BenchRow& row : point.rows)
    if (row.verdict == RowVerdict::fail) out += mismatches(row);
  std::vector<Remark> remarks;
  for (const BenchRow& row : point.rows)
    if (!row.note.empty())
      remarks.push_back({row.name, (row.verdict == RowVerdict::skipped ? "skipped: " : "") + row.note});
  for (const std::string& remark : by_text(remarks)) out += line(remark);
  return out;
}

}  // namespace rung::cli
