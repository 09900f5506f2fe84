#include "../report/json.hpp"
#include "changes.hpp"

#include <algorithm>

namespace rung::cli {
namespace {

Json optional_text(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

/// 0 stands for none.
Json seconds_json(double seconds) { return seconds > 0 ? Json(seconds) : Json(nullptr); }

Json ratio_json(const ChangeRow& row) {
  if (!(row.before > 0 && row.after > 0)) return nullptr;
  return {{"median", row.ratio()}, {"low", row.range.low}, {"high", row.range.high}};
}

Json row_json(const Comparison& c, const ChangeRow& row) {
  const Held held = held_against(row, c.limits);
  const ChangeRow* ceiling = held == Held::failed ? moved_ceiling(c.rows, row) : nullptr;
  return {
      {"of", row.what},
      {"role", name_of(row.role)},
      {"name", row.name},
      {"old_seconds", seconds_json(row.before)},
      {"new_seconds", seconds_json(row.after)},
      {"ratio", ratio_json(row)},
      {"floor", row.floor},
      {"change", name_of(row.change)},
      {"limit", held == Held::not_held ? Json(nullptr) : Json(name_of(held))},
      {"ceiling",
       ceiling ? Json{{"name", ceiling->name}, {"change", name_of(ceiling->change)}, {"ratio", ratio_json(*ceiling)}}
               : Json(nullptr)}};
}

Json side_json(const std::string& name, const BenchReport& report) {
  return {{"input", name}, {"environment", json_object(report.environment)}, {"warnings", warnings_of(report)}};
}

}  // namespace

std::string changes_json(const Comparison& c) {
  Json facts = Json::array(), counts = Json::object(), rows = Json::array(), limits = Json::array();
  for (const FactChange& f : fact_changes(c.before.environment, c.after.environment))
    facts.push_back({{"fact", f.name}, {"old", optional_text(f.before)}, {"new", optional_text(f.after)}});
  for (auto k = static_cast<std::size_t>(Change::none); k <= static_cast<std::size_t>(Change::wrong_both); ++k) {
    const auto change = static_cast<Change>(k);
    counts[std::string(name_of(change))] =
        std::count_if(c.rows.begin(), c.rows.end(), [&](const ChangeRow& row) { return row.change == change; });
  }
  for (const ChangeRow& row : c.rows) rows.push_back(row_json(c, row));
  for (const Limit& limit : c.limits)
    limits.push_back({{"change", limit.slower ? "slower" : "faster"}, {"share", limit.share}});
  const std::string moved = machine_change(c.rows);
  return json_text({{"schema", compare_schema},
                    {"environment", json_object(c.environment)},
                    {"old", side_json(c.old_name, c.before)},
                    {"new", side_json(c.new_name, c.after)},
                    {"facts_that_differ", facts},
                    {"machine_change", moved.empty() ? Json(nullptr) : Json(moved)},
                    {"fail_if", limits},
                    {"exit_status", c.exit_status},
                    {"counts", counts},
                    {"rows", rows}});
}

}  // namespace rung::cli
