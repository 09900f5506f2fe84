#include <nlohmann/json.hpp>

#include "parts.hpp"

namespace rung::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json tally_json(sim::Traffic traffic, const sim::Tally& t) {
  return {{"requests", t.requests},
          {"lanes", t.lanes},
          {"bytes", t.bytes},
          {unit_of(traffic), t.units},
          {std::string("ideal_") + unit_of(traffic), t.ideal}};
}

Json line_json(const ExplainReport& report, const ExplainRow& row, const sim::Line& line) {
  Json json{{"at", line.at}, {"access", name_of(line.traffic)}};
  json.update(tally_json(line.traffic, line.tally));
  const bool costs = line.tally.excess() != 0;
  json["cause"] = costs ? Json(cause_of(line.traffic, line.worst)) : Json(nullptr);
  const auto remedy = costs ? remedy_for(report, row, line.traffic) : std::nullopt;
  json["better"] = remedy ? Json{{"kernel", remedy->kernel},
                                 {"gone", remedy->gone},
                                 {"counters", tally_json(line.traffic, remedy->tally)}}
                          : Json(nullptr);
  return json;
}

Json finding_json(const sim::Finding& f) {
  const auto thread = [](std::uint32_t number) { return number == sim::Finding::none ? Json(nullptr) : Json(number); };
  return {{"fault", text_of(f.fault)},  {"at", f.at},
          {"other_at", f.other_at},     {"block", f.block},
          {"thread", thread(f.thread)}, {"other_thread", thread(f.other_thread)},
          {"count", f.count},           {"text", to_string(f)}};
}

Json row_json(const ExplainReport& report, const ExplainRow& row) {
  const sim::Profile& p = row.profile;
  Json launches = Json::array(), counters = Json::object(), lines = Json::array(), findings = Json::array();
  for (const auto& l : p.launches)
    launches.push_back({{"grid", l.grid},
                        {"block", l.block},
                        {"shared", l.shared},
                        {"occupancy", sim::occupancy(l, p.static_shared)}});
  for (std::size_t k = 0; k < sim::traffic_names.size(); ++k) {
    const auto traffic = static_cast<sim::Traffic>(k);
    counters[std::string(name_of(traffic))] = tally_json(traffic, p.of(traffic));
  }
  for (const auto& line : p.lines) lines.push_back(line_json(report, row, line));
  for (const auto& finding : row.findings) findings.push_back(finding_json(finding));
  return {{"kernel", row.name},
          {"launches", launches},
          {"static_shared", p.static_shared},
          {"blocks", p.blocks},
          {"threads", p.threads},
          {"barriers", p.barriers},
          {"lanes_per_request", number(lanes_per_request(p))},
          {"efficiency", number(efficiency(p))},
          {"counters", counters},
          {"lines", lines},
          {"findings", findings}};
}

}  // namespace

std::string explain_json(const ExplainReport& report) {
  Json environment = Json::object(), kernels = Json::array(), skipped = Json::array();
  for (const auto& [name, value] : report.environment) environment[name] = value;
  for (const ExplainRow& row : report.rows) {
    if (row.skipped())
      skipped.push_back({{"kernel", row.name}, {"reason", row.why}});
    else
      kernels.push_back(row_json(report, row));
  }
  const Json all{{"schema", explain_schema},
                 {"environment", environment},
                 {"input", report.input},
                 {"family", name_of(report.family)},
                 {"operation", report.operation},
                 {"dtype", name_of(report.dtype)},
                 {"shape", report.shape},
                 {"accumulator", report.acc ? Json(name_of(*report.acc)) : Json(nullptr)},
                 {"machine", "sim"},
                 {"kernels", kernels},
                 {"skipped", skipped}};
  // File names need not be UTF-8; a report must be.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rung::cli
