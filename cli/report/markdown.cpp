#include "../text.hpp"

#include "report.hpp"
#include "table.hpp"

namespace rung::cli {
namespace {

std::string number(const std::optional<double>& value, int digits) { return value ? significant(*value, digits) : ""; }

/// A name as code, whatever backticks are in it.
std::string code(const std::string& name) {
  std::string fence = "`";
  while (name.find(fence) != std::string::npos) fence += '`';
  const std::string space = fence.size() > 1 ? " " : "";
  return fence + space + name + space + fence;
}

std::string run_table(const Run& run) {
  const bool simulated = run.machine == Machine::sim;
  std::vector<Column> columns{
      {"kernel"},    {"verdict"}, {"error", true}, {"bound", true}, {simulated ? simulator_time : "time", true},
      {"GB/s", true}};
  for (const auto& reference : run.references) columns.push_back({"x " + reference.name, true});
  columns.push_back({"note"});
  Table table(std::move(columns));
  for (const Row& row : run.rows) {
    const auto bandwidth = run.bandwidth(row);
    std::vector<std::string> cells{"`" + row.name + "`",
                                   row.verdict == RowVerdict::fail && row.kind == RowKind::reference
                                       ? reference_differs
                                       : std::string(name_of(row.verdict)),
                                   number(row.error, 3),
                                   row.bound && *row.bound == 0 ? "exact" : number(row.bound, 3),
                                   row.seconds ? seconds_text(*row.seconds) : "",
                                   bandwidth ? plain(*bandwidth / 1e9, 4) : ""};
    for (std::size_t i = 0; i < run.references.size(); ++i)
      cells.push_back(i < row.speedup.size() ? number(row.speedup[i], 3) : "");
    cells.push_back(row.note);
    table.add(std::move(cells));
  }
  return table.markdown();
}

}  // namespace

std::string to_markdown(const Report& report) {
  std::string out;
  for (const auto& run : report.runs) {
    out += "**" + code(run.input) + ": " + heading(run) + "**";
    for (const auto& reference : run.references) out += "; " + reference.name + " is " + reference.version;
    if (const std::string value = value_text(run); !value.empty()) out += "; the result is `" + value + "`";
    out += "\n\n" + run_table(run) + "\n";
  }
  for (const Failure& failure : report.failures) out += "- " + code(failure.input) + ": " + failure.error + "\n";
  if (!report.failures.empty()) out += "\n";
  for (const auto& [name, value] : report.environment) out += "- " + name + ": `" + value + "`\n";
  return out;
}

}  // namespace rung::cli
