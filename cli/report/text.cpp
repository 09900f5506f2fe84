#include "../text.hpp"
#include "../io/io.hpp"

#include "report.hpp"
#include "table.hpp"

#include <array>

namespace rung::cli {
namespace {

std::string number(const std::optional<double>& value, int digits) { return value ? significant(*value, digits) : "-"; }

/// A failure is seen without colour too.
constexpr const char* failed = "FAIL";

std::string verdict_text(const Row& row) {
  if (row.verdict != RowVerdict::fail) return std::string(name_of(row.verdict));
  return row.kind == RowKind::reference ? reference_differs : failed;
}

std::pair<std::string, std::string> paint_verdict(const std::string& cell) {
  const std::string end = "\x1b[0m";
  if (cell == name_of(RowVerdict::pass)) return {"\x1b[32m", end};
  if (cell == failed) return {"\x1b[1;31m", end};
  if (cell == name_of(RowVerdict::unverifiable) || cell == reference_differs) return {"\x1b[33m", end};
  return {};
}

std::string table(const Run& run, bool color) {
  const bool simulated = run.machine == Machine::sim;
  std::vector<Column> columns{
      {"kernel"}, {"verdict"}, {"error", true}, {"bound", true}, {simulated ? simulator_time : "time", true}};
  if (!simulated) {
    columns.push_back({"GB/s", true});
    for (const auto& reference : run.references) columns.push_back({"x " + reference.name, true});
  }
  Table rows(std::move(columns));
  for (const Row& row : run.rows) {
    if (row.verdict == RowVerdict::skipped) continue;
    const bool exact = row.bound && *row.bound == 0;
    std::vector<std::string> cells{row.name, verdict_text(row), number(row.error, 3),
                                   exact ? "exact" : number(row.bound, 3),
                                   row.seconds ? seconds_text(*row.seconds) : "-"};
    if (!simulated) {
      const auto bandwidth = run.bandwidth(row);
      cells.push_back(bandwidth ? plain(*bandwidth / 1e9, 4) : "-");
      for (std::size_t i = 0; i < run.references.size(); ++i)
        cells.push_back(i < row.speedup.size() ? number(row.speedup[i], 3) : "-");
    }
    rows.add(std::move(cells));
  }
  constexpr std::size_t verdict_column = 1;
  return rows.text([&](const std::string& cell, std::size_t column) {
    return color && column == verdict_column ? paint_verdict(cell) : std::pair<std::string, std::string>();
  });
}

std::string wrong_results(const Row& row) {
  std::string out = row.kind == RowKind::reference
                        ? reference_remark(row.name, row.mismatches) + "\n"
                        : row.name + ": " + std::to_string(row.mismatches) +
                              (row.mismatches == 1 ? " result is" : " results are") + " wrong\n";
  for (const Mismatch& m : row.first) {
    out += "  [" + std::to_string(m.index) + "] got " + m.got + ", want " + m.want;
    if (m.ulp) out += " (" + std::to_string(*m.ulp) + " ulp)";
    out += '\n';
  }
  return out;
}

}  // namespace

std::string_view name_of(RowKind kind) {
  static constexpr std::array<std::string_view, 3> names{"kernel", "reference", "preparation"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(RowVerdict verdict) {
  static constexpr std::array<std::string_view, 5> names{"pass", "fail", "unverifiable", "unchecked", "skipped"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string reference_remark(const std::string& name, std::size_t mismatches) {
  return "reference " + name + " differs from the exact answer in " + std::to_string(mismatches) +
         (mismatches == 1 ? " result" : " results") + "; kernels are judged by that answer, not by the reference";
}

bool reports_values(Family family, const Shape& shape) {
  return family == Family::reduce && element_count(shape) <= most_values;
}

std::string value_text(const Run& run) {
  if (!run.result || !run.result->has_values || element_count(run.result->shape) != 1) return {};
  return io::to_text(run.result->dtype, run.result->values.get());
}

std::optional<double> Run::bandwidth(const Row& row) const {
  if (row.kind == RowKind::preparation || machine == Machine::sim || !row.seconds || !(*row.seconds > 0))
    return std::nullopt;
  return logical_bytes / *row.seconds;
}

std::string heading(const Run& run) {
  std::string text = std::string(name_of(run.family));
  if (!run.operation.empty()) text += " " + run.operation;
  text += " of " + std::string(name_of(run.dtype)) + ", " + to_string(run.shape) + " (" +
          bytes_text(byte_count(run.shape, run.dtype)) + ")";
  if (run.acc) text += ", acc " + std::string(name_of(*run.acc));
  return text + ", on " + std::string(name_of(run.machine)) + ": " + run.device;
}

std::string to_text(const Run& run, bool color) {
  std::string out = heading(run) + "\n";
  std::vector<std::string> versions;
  for (const auto& reference : run.references) versions.push_back(reference.name + " (" + reference.version + ")");
  if (!versions.empty()) out += "against " + join(versions, ", ") + "\n";
  out += table(run, color);
  for (const Row& row : run.rows)
    if (row.verdict == RowVerdict::fail) out += wrong_results(row);
  std::vector<Remark> remarks;
  for (const Row& row : run.rows)
    if (!row.note.empty())
      remarks.push_back({row.name, (row.verdict == RowVerdict::skipped ? "skipped: " : "") + row.note});
  for (const std::string& line : by_text(remarks)) out += line + "\n";
  return out;
}

}  // namespace rung::cli
