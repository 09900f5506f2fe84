#include "../text.hpp"
#include "../report/table.hpp"
#include "parts.hpp"

#include <cstdio>

namespace rung::cli {

using sim::Traffic;

std::string decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string per_request(const sim::Tally& t) {
  return decimal(t.requests == 0 ? 0 : static_cast<double>(t.units) / static_cast<double>(t.requests));
}
std::string ideal_per_request(const sim::Tally& t) {
  return decimal(t.requests == 0 ? 0 : static_cast<double>(t.ideal) / static_cast<double>(t.requests));
}

std::string launches_text(const sim::Profile& profile) {
  std::vector<std::string> parts;
  for (const auto& l : profile.launches) {
    std::string grid;
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
      if (axis == 0 || l.grid[axis] != 1 || (axis == 1 && l.grid[2] != 1))
        grid += (axis ? "x" : "") + std::to_string(l.grid[axis]);
    parts.push_back("grid " + grid + ", block " + std::to_string(l.threads()));
  }
  return join(parts, "; then ");
}

namespace {

std::string grid_cell(const sim::Profile& profile) {
  const std::string more = profile.launches.size() > 1 ? "+" + std::to_string(profile.launches.size() - 1) : "";
  return std::to_string(main_launch(profile).blocks()) + more;
}

std::string cost_cell(const sim::Tally& t) {
  return t.requests == 0 ? "-" : per_request(t) + "/" + ideal_per_request(t);
}

}  // namespace

std::string percent(const std::optional<double>& share) {
  constexpr double hundred = 100;
  return share ? decimal(*share * hundred) + " %" : "-";
}

Table kernel_table(const ExplainReport& report, const std::string& quote) {
  Table table({{"kernel"},
               {"grid", true},
               {"block", true},
               {"loads", true},
               {"sectors", true},
               {"stores", true},
               {"sectors", true},
               {"efficiency", true},
               {"shared", true},
               {"wavefronts", true},
               {"atomics", true},
               {"barriers", true},
               {"lanes", true},
               {"occupancy", true}});
  for (const ExplainRow& row : report.rows) {
    if (row.skipped()) continue;
    const sim::Profile& p = row.profile;
    sim::Tally shared = p.of(Traffic::shared_load), atomics = p.of(Traffic::global_atomic);
    shared.add(p.of(Traffic::shared_store));
    atomics.add(p.of(Traffic::shared_atomic));
    const auto lanes = lanes_per_request(p);
    table.add({quote + row.name + quote, grid_cell(p), std::to_string(main_launch(p).threads()),
               std::to_string(p.of(Traffic::global_load).requests), cost_cell(p.of(Traffic::global_load)),
               std::to_string(p.of(Traffic::global_store).requests), cost_cell(p.of(Traffic::global_store)),
               percent(efficiency(p)), std::to_string(shared.requests), cost_cell(shared),
               std::to_string(atomics.requests), std::to_string(p.barriers), lanes ? decimal(*lanes) : "-",
               percent(sim::occupancy(main_launch(p), p.static_shared))});
  }
  return table;
}

std::string line_text(const sim::Line& line) {
  const sim::Tally& t = line.tally;
  return line.at + " " + std::string(name_of(line.traffic)) + ": " + per_request(t) + " " + unit_of(line.traffic) +
         " a request for " + ideal_per_request(t) + ", " + std::to_string(t.requests) +
         (t.requests == 1 ? " request" : " requests");
}

std::string remedy_text(const Remedy& remedy, Traffic traffic) {
  if (remedy.tally.requests == 0) return remedy.kernel + " does without";
  return (remedy.gone ? "not so in " : "less in ") + remedy.kernel + ": " + per_request(remedy.tally) + " " +
         unit_of(traffic) + " for " + ideal_per_request(remedy.tally);
}

std::string lanes_text(const sim::Tally& t) {
  return decimal(static_cast<double>(t.lanes) / static_cast<double>(t.requests)) +
         " of 32 lanes take part in a request";
}

std::string idle_text(const ExplainReport& report, const ExplainRow& row, const sim::Line& line,
                      const std::string& separator) {
  std::string text = line.at + " " + std::string(name_of(line.traffic)) + ": " + lanes_text(line.tally) + ", " +
                     std::to_string(line.tally.requests) + " requests";
  if (const auto fuller = fuller_kernel(report, row, line.traffic))
    text += separator + "in " + fuller->kernel + " " + lanes_text(fuller->tally) + ", " +
            std::to_string(fuller->tally.requests) + " requests";
  return text;
}

/// The worst, of those whose cost above the ideal is a hundredth or more of all that their side costs.
std::vector<sim::Line> shown_lines(const ExplainRow& row, bool every_line) {
  constexpr std::size_t most = 3;
  std::vector<sim::Line> lines;
  for (const sim::Line& line : row.profile.lines) {
    const bool weighs = line.tally.excess() * 100 > row.profile.of(line.traffic).units;
    if (every_line || (weighs && lines.size() < most)) lines.push_back(line);
  }
  return lines;
}

std::string explain_heading(const ExplainReport& report) {
  std::string text = std::string(name_of(report.family));
  if (!report.operation.empty()) text += " " + report.operation;
  text += " of " + std::string(name_of(report.dtype)) + ", " + to_string(report.shape) + " (" +
          bytes_text(byte_count(report.shape, report.dtype)) + ")";
  if (report.acc) text += ", acc " + std::string(name_of(*report.acc));
  return text + ", " + printable(shown_name(report.input)) + ", on sim";
}

const char* const explain_legend =
    "loads, stores, shared, atomics: requests, each an instruction of a warp. sectors (of 32 bytes), wavefronts (past\n"
    "bank conflicts): a request / the ideal. efficiency: ideal sectors of all. lanes: active in a request, of 32.\n"
    "occupancy: by threads and shared memory; registers, which are not known here, may lower it.\n"
    "Counts, not times: caches forgive some of them, and rung bench measures what is left.\n";

std::string explain_text(const ExplainReport& report, bool color, bool every_line) {
  std::string out = explain_heading(report) + "\n" + kernel_table(report, "").text() + explain_legend;
  bool unanswered = false;
  for (const ExplainRow& row : report.rows) {
    const auto lines = shown_lines(row, every_line);
    const sim::Line* idle = idle_line(row);
    if (lines.empty() && row.findings.empty() && !idle) continue;
    out += "\n" + row.name + " (" + launches_text(row.profile) + ")\n";
    for (const sim::Finding& finding : row.findings) {
      const std::string text = "FAULT: " + to_string(finding);
      out += "  " + (color ? "\x1b[1;31m" + text + "\x1b[0m" : text) + "\n";
    }
    for (const sim::Line& line : lines) {
      out += "  " + line_text(line) + "\n";
      if (line.tally.excess() == 0) continue;
      out += "    " + cause_of(line.traffic, line.worst) + "\n";
      if (const auto remedy = remedy_for(report, row, line.traffic))
        out += "    " + remedy_text(*remedy, line.traffic) + "\n";
      else
        unanswered = true;
    }
    if (idle) out += "  " + idle_text(report, row, *idle, "\n    ") + "\n";
  }
  if (unanswered && report.rows.size() == 1)
    out += "\n-k ladder, or -k all, names a kernel without this, if there is one\n";
  std::vector<Remark> remarks;
  for (const ExplainRow& row : report.rows)
    if (row.skipped()) remarks.push_back({row.name, "skipped: " + row.why});
  for (const std::string& line : by_text(remarks)) out += line + "\n";
  return out;
}

std::string explain_markdown(const ExplainReport& report) {
  std::string out =
      "**" + explain_heading(report) + "**\n\n" + kernel_table(report, "`").markdown() + "\n" + explain_legend + "\n";
  for (const ExplainRow& row : report.rows) {
    if (row.skipped()) {
      out += "- `" + row.name + "`: skipped: " + row.why + "\n";
      continue;
    }
    for (const sim::Finding& finding : row.findings)
      out += "- `" + row.name + "`: **fault**: " + to_string(finding) + "\n";
    for (const sim::Line& line : shown_lines(row, false)) {
      out += "- `" + row.name + "`: " + line_text(line) + "; " + cause_of(line.traffic, line.worst);
      if (const auto remedy = remedy_for(report, row, line.traffic)) out += "; " + remedy_text(*remedy, line.traffic);
      out += "\n";
    }
    if (const sim::Line* idle = idle_line(row))
      out += "- `" + row.name + "`: " + idle_text(report, row, *idle, "; ") + "\n";
  }
  out += "\n";
  for (const auto& [name, value] : report.environment) out += "- " + name + ": `" + value + "`\n";
  return out;
}

}  // namespace rung::cli
