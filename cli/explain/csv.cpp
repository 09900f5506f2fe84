#include "../report/fields.hpp"
#include "../text.hpp"
#include "parts.hpp"

#include <utility>

namespace rung::cli {
namespace {

/// The counters of a kernel (`at` is empty), or of one line of its source.
std::vector<std::string> counters(const std::string& kind, const ExplainRow& row, const std::string& at,
                                  sim::Traffic traffic, const sim::Tally& t) {
  const sim::Profile& p = row.profile;
  return {kind,
          row.name,
          launches_text(p),
          std::to_string(p.barriers),
          csv_number(sim::occupancy(main_launch(p), p.static_shared)),
          at,
          std::string(name_of(traffic)),
          std::to_string(t.requests),
          std::to_string(t.lanes),
          std::to_string(t.bytes),
          unit_of(traffic),
          std::to_string(t.units),
          std::to_string(t.ideal)};
}

std::vector<std::string> bare(const std::string& kind, const ExplainRow& row, const std::string& at) {
  constexpr std::size_t counted = 7;  // columns of counters() after the place
  std::vector<std::string> cells{kind, row.name, "", "", "", at};
  cells.resize(cells.size() + counted);
  return cells;
}

void add_cells(std::vector<std::vector<std::string>>& lines, std::vector<std::string> cells, std::string note,
               std::string better = {}) {
  cells.push_back(std::move(note));
  cells.push_back(std::move(better));
  lines.push_back(std::move(cells));
}

std::vector<std::vector<std::string>> row_lines(const ExplainReport& report, const ExplainRow& row) {
  std::vector<std::vector<std::string>> lines;
  if (row.skipped()) {
    add_cells(lines, bare("skipped", row, ""), row.why);
    return lines;
  }
  for (std::size_t k = 0; k < sim::traffic_names.size(); ++k) {
    const auto traffic = static_cast<sim::Traffic>(k);
    if (row.profile.of(traffic).requests != 0)
      add_cells(lines, counters("kernel", row, "", traffic, row.profile.of(traffic)), "");
  }
  for (const sim::Line& line : row.profile.lines) {
    const bool costs = line.tally.excess() != 0;
    const auto remedy = costs ? remedy_for(report, row, line.traffic) : std::nullopt;
    add_cells(lines, counters("line", row, line.at, line.traffic, line.tally),
              costs ? cause_of(line.traffic, line.worst) : "", remedy ? remedy->kernel : "");
  }
  for (const sim::Finding& finding : row.findings) add_cells(lines, bare("fault", row, finding.at), to_string(finding));
  return lines;
}

}  // namespace

/// A line for each counter of a kernel, each line of its source, each fault and each kernel that was skipped; in all
/// of them what was run and the environment.
std::string explain_csv(const ExplainReport& report) {
  std::string out =
      "input,family,operation,dtype,shape,accumulator,kind,kernel,launch,barriers,occupancy,at,access,requests,lanes,"
      "bytes,unit,units,ideal,note,better,schema";
  for (const auto& fact : report.environment) out += "," + csv_field(fact.first);
  out += '\n';
  for (const ExplainRow& row : report.rows)
    for (const auto& line : row_lines(report, row)) {
      std::vector<std::string> cells{report.input,
                                     std::string(name_of(report.family)),
                                     report.operation,
                                     std::string(name_of(report.dtype)),
                                     to_string(report.shape),
                                     report.acc ? std::string(name_of(*report.acc)) : ""};
      cells.insert(cells.end(), line.begin(), line.end());
      cells.emplace_back(explain_schema);
      for (const auto& fact : report.environment) cells.push_back(fact.second);
      out += csv_line(std::move(cells));
    }
  return out;
}

}  // namespace rung::cli
