#include "json.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace rung::cli {

Json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json json_number(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

Json json_element(DType dtype, const void* element) {
  return visit_dtype(dtype, [&]<class T>() -> Json {
    T value;
    std::memcpy(&value, element, sizeof value);
    if constexpr (std::is_same_v<T, Bool>)
      return value.byte != 0;
    else if constexpr (std::is_integral_v<T>)
      return value;
    else if constexpr (std::is_floating_point_v<T>)
      return json_number(static_cast<double>(value));
    else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>)
      return json_number(static_cast<double>(to_float(value)));
    else
      return Json::array({json_number(static_cast<double>(value.re)), json_number(static_cast<double>(value.im))});
  });
}

Json json_object(const Environment& environment) {
  Json object = Json::object();
  for (const auto& [name, value] : environment) object[name] = value;
  return object;
}

Json json_array(const std::vector<Failure>& failures) {
  Json array = Json::array();
  for (const Failure& f : failures)
    array.push_back({{"input", f.input},
                     {"error", f.error},
                     {"hint", f.hint.empty() ? Json(nullptr) : Json(f.hint)},
                     {"exit_status", f.exit_status}});
  return array;
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

Json mismatch_json(const Mismatch& m) {
  return {{"index", m.index}, {"got", m.got}, {"want", m.want}, {"ulp", m.ulp ? Json(*m.ulp) : Json("nan")}};
}

Json row_json(const Run& run, const Row& row) {
  Json speedup = Json::object();
  for (std::size_t i = 0; i < row.speedup.size() && i < run.references.size(); ++i)
    speedup[run.references[i].name] = json_number(row.speedup[i]);
  Json first = Json::array();
  for (const auto& m : row.first) first.push_back(mismatch_json(m));
  return {{"kind", name_of(row.kind)},
          {"kernel", row.name},
          {"verdict", name_of(row.verdict)},
          {"note", row.note},
          {"launch", row.launch},
          {"error", json_number(row.error)},
          {"bound", json_number(row.bound)},
          {"seconds", json_number(row.seconds)},
          {"bytes_per_second", json_number(run.bandwidth(row))},
          {"speedup", speedup},
          {"mismatches", row.mismatches},
          {"first_mismatches", first}};
}

Json result_json(const Result& result) {
  Json values = nullptr;
  if (result.has_values) {
    values = Json::array();
    const std::size_t size = size_of(result.dtype), count = element_count(result.shape);
    for (std::size_t k = 0; k < count; ++k)
      values.push_back(json_element(result.dtype, result.values.get() + k * size));
  }
  return {{"dtype", name_of(result.dtype)}, {"shape", result.shape}, {"values", values}};
}

Json stages_json(const Stages& s) {
  return {{"read", s.read},
          {"upload", json_number(s.upload)},
          {"kernel", s.kernel},
          {"download", json_number(s.download)},
          {"write", json_number(s.write)},
          {"mapped", s.mapped}};
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
          {"result", run.result ? result_json(*run.result) : Json(nullptr)},
          {"times", run.stages ? stages_json(*run.stages) : Json(nullptr)},
          {"references", references},
          {"rows", rows}};
}

}  // namespace

std::string to_json(const Report& report) {
  Json runs = Json::array();
  for (const auto& run : report.runs) runs.push_back(run_json(run));
  return json_text({{"schema", report_schema},
                    {"environment", json_object(report.environment)},
                    {"runs", runs},
                    {"failures", json_array(report.failures)}});
}

}  // namespace rung::cli
