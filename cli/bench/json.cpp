#include <nlohmann/json.hpp>

#include "report.hpp"

namespace rung::cli {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json ratio_json(const Ratio& r) {
  return {{"median", r.median}, {"low", r.interval.low}, {"high", r.interval.high}, {"pairs", r.n}};
}

Json summary_json(const Summary& s) {
  return {{"n", s.n},
          {"min", s.min},
          {"lower_quartile", s.lower},
          {"median", s.median},
          {"upper_quartile", s.upper},
          {"mad", s.mad},
          {"low", s.interval.low},
          {"high", s.interval.high}};
}

Json row_json(const BenchPoint& point, const BenchRow& row) {
  Json speedups = Json::object(), first = Json::array();
  for (const Speedup& s : row.speedups) speedups[s.over] = ratio_json(s.ratio);
  for (const Mismatch& m : row.first) first.push_back({{"index", m.index}, {"got", m.got}, {"want", m.want}});
  Json previous = nullptr;
  if (row.previous) {
    previous = ratio_json(row.previous->ratio);
    previous["kernel"] = row.previous->over;
  }
  return {{"role", name_of(row.role)},
          {"name", row.name},
          {"column", row.column},
          {"version", row.version},
          {"verdict", name_of(row.verdict)},
          {"note", row.note},
          {"launch", row.launch},
          {"seconds", row.seconds ? summary_json(*row.seconds) : Json(nullptr)},
          {"bytes_per_second", optional(point.bandwidth(row))},
          {"waits", row.waits},
          {"runs_a_sample", row.runs_a_sample},
          {"dropped", row.dropped},
          {"stopped", row.stopped},
          {"megahertz", optional(row.megahertz)},
          {"speedup", speedups},
          {"speedup_over_previous", previous},
          {"suspect", row.suspect},
          {"mismatches", row.mismatches},
          {"first_mismatches", first}};
}

Json point_json(const BenchPoint& p) {
  Json rows = Json::array();
  for (const auto& row : p.rows) rows.push_back(row_json(p, row));
  const Json bytes = p.traffic ? Json{{"read", p.traffic->read}, {"written", p.traffic->written}} : Json(nullptr);
  const Json file = p.file ? Json{{"format", p.file->format}, {"cached", p.file->cached}} : Json(nullptr);
  return {{"input", p.input},
          {"family", name_of(p.family)},
          {"operation", p.operation},
          {"dtype", name_of(p.dtype)},
          {"shape", p.shape},
          {"accumulator", p.acc ? Json(name_of(*p.acc)) : Json(nullptr)},
          {"launch", {{"block", p.launch.block}, {"grid", p.launch.grid}, {"items", p.launch.items}}},
          {"machine", name_of(p.machine)},
          {"device", p.device},
          {"mode", p.mode_name()},
          {"file", file},
          {"simulated", p.machine == Machine::sim},
          {"logical_bytes", p.logical_bytes},
          {"bytes", bytes},
          {"sets", p.sets},
          {"theoretical", p.theoretical},
          {"ceiling", optional(p.ceiling)},
          {"noise", p.noise ? ratio_json(*p.noise) : Json(nullptr)},
          {"precision", p.precision},
          {"rows", rows},
          {"warnings", p.warnings}};
}

}  // namespace

std::string bench_json(const BenchReport& report) {
  Json environment = Json::object(), points = Json::array();
  for (const auto& [name, value] : report.environment) environment[name] = value;
  for (const auto& point : report.points) points.push_back(point_json(point));
  const Json all{{"schema", bench_schema}, {"environment", environment}, {"points", points}};
  // File names need not be UTF-8; a report must be.
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rung::cli
