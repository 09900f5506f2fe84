#include <nlohmann/json.hpp>

#include <cmath>

#include "report.hpp"

namespace rung::cli {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they are text, as our CSV and npy readers spell them.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json mismatch_json(const Mismatch& m) {
  return {{"index", m.index}, {"got", m.got}, {"want", m.want}, {"ulp", number(m.ulp)}};
}

Json row_json(const Run& run, const Row& row) {
  Json speedup = Json::object();
  for (std::size_t i = 0; i < row.speedup.size() && i < run.references.size(); ++i)
    speedup[run.references[i].name] = number(row.speedup[i]);
  Json first = Json::array();
  for (const auto& m : row.first) first.push_back(mismatch_json(m));
  return {{"kind", name_of(row.kind)},
          {"kernel", row.name},
          {"verdict", name_of(row.verdict)},
          {"note", row.note},
          {"launch", row.launch},
          {"error", number(row.error)},
          {"bound", number(row.bound)},
          {"seconds", number(row.seconds)},
          {"bytes_per_second", number(run.bandwidth(row))},
          {"speedup", speedup},
          {"mismatches", row.mismatches},
          {"first_mismatches", first}};
}

Json run_json(const Run& run) {
  Json references = Json::array(), rows = Json::array();
  for (const auto& r : run.references) references.push_back({{"name", r.name}, {"version", r.version}});
  for (const auto& row : run.rows) rows.push_back(row_json(run, row));
  return {{"input", run.input},
          {"family", name_of(run.family)},
          {"operation", run.operation},
          {"dtype", name_of(run.dtype)},
          {"shape", run.shape},
          {"accumulator", run.acc ? Json(name_of(*run.acc)) : Json(nullptr)},
          {"machine", name_of(run.machine)},
          {"device", run.device},
          {"simulated", run.machine == Machine::sim},
          {"logical_bytes", run.logical_bytes},
          {"references", references},
          {"rows", rows}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json environment = Json::object(), runs = Json::array();
  for (const auto& [name, value] : report.environment) environment[name] = value;
  for (const auto& run : report.runs) runs.push_back(run_json(run));
  const Json all{{"schema", report_schema}, {"environment", environment}, {"runs", runs}};
  // File names need not be UTF-8; a report must be.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rung::cli
