#include <nlohmann/json.hpp>

#include <cmath>

#include "../text.hpp"
#include "report.hpp"

namespace rung::cli {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity, and its readers have f64: what that does not hold is text.
Json number(long double value) {
  const auto nearest = static_cast<double>(value);
  const bool held = std::isfinite(nearest) && (nearest != 0 || value == 0);
  return held ? Json(nearest) : Json(significant(value, 17));
}

Json number(const std::optional<Decimal>& decimal) { return decimal ? Json(rounded(*decimal)) : Json(nullptr); }

Json side_json(const DiffSide& side) {
  return {{"file", side.file}, {"dtype", name_of(side.dtype)}, {"shape", side.shape}};
}

Json absolute_json(const Mismatch& m, DType dtype) {
  if (std::isnan(m.absolute)) return nullptr;
  return is_integer(dtype) ? Json(static_cast<std::uint64_t>(m.absolute)) : number(m.absolute);
}

Json mismatch_json(const Mismatch& m, const DiffSide& side) {
  return {{"index", m.index},
          {"coordinates", coordinates_of(m.index, side.shape)},
          {"a", m.got},
          {"b", m.want},
          {"absolute", absolute_json(m, side.dtype)},
          {"relative", m.relative ? number(*m.relative) : Json(nullptr)},
          {"ulp", m.ulp && !is_integer(side.dtype) ? Json(*m.ulp) : Json(nullptr)}};
}

}  // namespace

std::string diff_json(const DiffReport& report) {
  Json environment = Json::object(), first = Json::array(), worst, elements, differing;
  for (const auto& [name, value] : report.environment) environment[name] = value;
  if (report.found) {
    elements = element_count(report.a.shape);
    differing = report.found->mismatches;
    for (const Mismatch& m : report.found->first) first.push_back(mismatch_json(m, report.a));
    if (report.found->worst) worst = mismatch_json(*report.found->worst, report.a);
  }
  const Tolerance& t = report.tolerance;
  const Json all{{"schema", diff_schema},
                 {"environment", environment},
                 {"a", side_json(report.a)},
                 {"b", side_json(report.b)},
                 {"tolerance", {{"max_ulp", t.max_ulp}, {"rtol", number(t.rtol)}, {"atol", number(t.atol)}}},
                 {"equal", report.equal()},
                 {"elements", elements},
                 {"differing", differing},
                 {"first_differences", first},
                 {"worst_difference", worst}};
  // File names need not be UTF-8; a report must be.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rung::cli
