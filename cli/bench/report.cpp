#include "report.hpp"

#include "../text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rung::cli {

std::string_view name_of(Role role) {
  static constexpr std::array<std::string_view, 3> names{"kernel", "reference", "ceiling"};
  return names[static_cast<std::size_t>(role)];
}

std::optional<double> BenchPoint::bandwidth(const BenchRow& row) const {
  if (machine == Machine::sim || !row.seconds || !(row.seconds->median > 0)) return std::nullopt;
  return logical_bytes / row.seconds->median;
}

bool BenchPoint::writes_count() const {
  constexpr double least = 0.01;
  // A whole array's one value is 1 % of an input only where that is too small for any bandwidth.
  const bool along_axes = operation.find(" along ") != std::string::npos;
  return family == Family::reduce && along_axes && traffic && traffic->written > least * traffic->read;
}

std::optional<double> BenchPoint::share_with_writes(const BenchRow& row) const {
  const auto reads = bandwidth(row);
  if (!reads || !ceiling || !writes_count() || row.role == Role::ceiling) return std::nullopt;
  return (traffic->read + traffic->written) / row.seconds->median / *ceiling;
}

bool has_bandwidth(const BenchReport& report) {
  for (const BenchPoint& point : report.points)
    for (const BenchRow& row : point.rows)
      if (point.bandwidth(row)) return true;
  return false;
}

double BenchPoint::floor() const {
  if (!noise) return precision;
  return std::max({precision, std::fabs(noise->interval.low - 1), std::fabs(noise->interval.high - 1)});
}

std::string_view BenchPoint::mode_name() const { return file ? "end-to-end" : name_of(mode); }

namespace {

std::string what_text(const BenchPoint& p) {
  std::string text(name_of(p.family));
  if (!p.operation.empty()) text += " " + p.operation;
  return text + " of " + std::string(name_of(p.dtype));
}

std::string how_text(const BenchPoint& p) {
  std::string text;
  if (p.acc) text += ", acc " + std::string(name_of(*p.acc));
  if (p.launch.block) text += ", block " + std::to_string(p.launch.block);
  if (p.launch.grid) text += ", grid " + std::to_string(p.launch.grid);
  if (p.launch.items) text += ", items " + std::to_string(p.launch.items);
  return text + ", on " + std::string(name_of(p.machine)) + ": " + p.device +
         (p.file ? ", end-to-end from " + p.file->format : "") +
         (p.machine == Machine::sim ? ", simulated: times are the simulator's, not a GPU's"
          : p.file                  ? ""
                                    : ", " + std::string(name_of(p.mode)));
}

}  // namespace

std::string heading(const BenchPoint& p) {
  return what_text(p) + ", " + to_string(p.shape) + " (" + bytes_text(byte_count(p.shape, p.dtype)) + ")" + how_text(p);
}

std::string cached_text(double share) {
  // Its last page counts as a whole one.
  constexpr double nearly_all = 0.999;
  return share >= nearly_all ? "file in the page cache" : plain(share * 100, 3) + " % of the file in the page cache";
}

std::string table_heading(const BenchPoint& p) { return what_text(p) + how_text(p); }

std::vector<std::vector<const BenchPoint*>> tables_of(const BenchReport& report) {
  std::vector<std::vector<const BenchPoint*>> tables;
  for (const BenchPoint& point : report.points) {
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const auto& table) {
      return table_heading(*table.front()) == table_heading(point);
    });
    if (same == tables.end())
      tables.push_back({&point});
    else
      same->push_back(&point);
  }
  return tables;
}

std::vector<std::string> reference_columns(const std::vector<const BenchPoint*>& points) {
  std::vector<std::string> names;
  for (const BenchPoint* point : points)
    for (const BenchRow& row : point->rows)
      if (row.role == Role::reference && row.verdict != RowVerdict::skipped &&
          std::find(names.begin(), names.end(), row.column) == names.end())
        names.push_back(row.column);
  return names;
}

}  // namespace rung::cli
