#include "changes.hpp"

#include "../report/table.hpp"
#include "../text.hpp"
#include "warnings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rung::cli {
namespace {

struct Place {
  const BenchPoint* point;
  const BenchRow* row;
  std::string key;
  std::size_t number;  ///< of the point
};

bool wrong(const BenchRow& row) { return row.verdict == RowVerdict::fail; }

std::vector<Place> rows_with_news(const BenchReport& report) {
  std::vector<Place> places;
  for (std::size_t k = 0; k < report.points.size(); ++k)
    for (const BenchRow& row : report.points[k].rows)
      if (const BenchPoint& point = report.points[k]; row.seconds || wrong(row))
        places.push_back({&point, &row, heading(point) + "\n" + std::string(name_of(row.role)) + "\n" + row.name, k});
  return places;
}

/// Rows with the same key are paired in their order.
const Place* take(std::vector<Place>& places, std::vector<bool>& taken, const std::string& key) {
  for (std::size_t k = 0; k < places.size(); ++k)
    if (!taken[k] && places[k].key == key) {
      taken[k] = true;
      return &places[k];
    }
  return nullptr;
}

Change verdict(const ChangeRow& row, const Interval& before, const Interval& after) {
  const bool disjoint = before.high < after.low || after.high < before.low;
  if (!disjoint || std::fabs(row.ratio() - 1) <= row.floor) return Change::none;
  return row.after > row.before ? Change::slower : Change::faster;
}

/// Times that say nothing of the kernel, the host's or the simulator's, and a single one, which has no interval.
bool has_no_say(const Place& place) {
  return place.row->waits || place.point->machine == Machine::sim || place.row->seconds->n == 1;
}

Change verdict(const ChangeRow& row, const Place& before, const Place& after) {
  if (wrong(*before.row)) return wrong(*after.row) ? Change::wrong_both : Change::wrong_before;
  if (wrong(*after.row)) return Change::wrong_after;
  if (has_no_say(before) || has_no_say(after)) return Change::not_judged;
  return verdict(row, before.row->seconds->interval, after.row->seconds->interval);
}

/// A median may be anywhere in its interval, and two of the same thing lie apart by the floor.
Interval range_of(const ChangeRow& row, const Interval& before, const Interval& after) {
  return {std::min(after.low / before.high, row.ratio() - row.floor),
          std::max(after.high / before.low, row.ratio() + row.floor)};
}

/// A result that is wrong has no time, whatever the file says.
double time_of(const BenchRow& row) { return wrong(row) ? 0 : row.seconds->median; }

ChangeRow describe(const Place& place) {
  ChangeRow row;
  row.what = heading(*place.point);
  row.role = place.row->role;
  row.name = place.row->name;
  row.ours = row.role == Role::kernel || place.point->file.has_value();
  row.floor = place.point->floor();
  row.point = place.number;
  return row;
}

bool is_wrong(Change change) {
  return change == Change::wrong_before || change == Change::wrong_after || change == Change::wrong_both;
}

std::string percent(double share) { return plain(share * 100, 3) + "%"; }

/// Of the old median.
std::string change_text(const ChangeRow& row) {
  return percent(std::fabs(row.ratio() - 1)) + (row.after > row.before ? " slower" : " faster");
}

std::string where_wrong(const ChangeRow& row) {
  const std::string verdict = row.ours ? "wrong" : reference_differs;
  return verdict + (row.change == Change::wrong_before  ? " in OLD"
                    : row.change == Change::wrong_after ? " in NEW"
                                                        : " in both");
}

/// Of what only OLD has. A row without a time was wrong there.
std::string absence(const ChangeRow& row) {
  return row.before > 0 ? "not in NEW" : std::string(row.ours ? "wrong" : reference_differs) + " in OLD, not in NEW";
}

bool changed(const ChangeRow& row) { return row.change == Change::slower || row.change == Change::faster; }

std::string change_cell(const ChangeRow& row) {
  if (is_wrong(row.change)) return where_wrong(row);
  if (row.change == Change::only_before) return absence(row);
  return changed(row) ? change_text(row) : std::string(name_of(row.change));
}

bool judged(const ChangeRow& row) { return row.change == Change::none || changed(row); }

bool beyond(const ChangeRow& row, const Limit& limit) {
  return limit.slower ? row.change == Change::slower && row.ratio() > 1 + limit.share
                      : row.change == Change::faster && row.ratio() < 1 - limit.share;
}

/// No share is any change there is, which the noise floor decides by itself.
bool may_be_beyond(const ChangeRow& row, const Limit& limit) {
  return limit.share > 0 && (limit.slower ? row.range.high > 1 + limit.share : row.range.low < 1 - limit.share);
}

/// "2% faster to 6% slower", of what the ratio may be.
std::string range_text(const Interval& range) {
  const auto text = [](double ratio) {
    return percent(std::fabs(ratio - 1)) + (ratio > 1 ? " slower" : ratio < 1 ? " faster" : "");
  };
  return text(range.low) + " to " + text(range.high);
}

std::string limit_cell(const std::vector<ChangeRow>& rows, const ChangeRow& row, const std::vector<Limit>& limits) {
  const Held held = held_against(row, limits);
  if (held == Held::not_held) return "-";
  const ChangeRow* ceiling = held == Held::failed ? moved_ceiling(rows, row) : nullptr;
  return std::string(name_of(held)) + (ceiling ? "; " + ceiling->name + " " + change_text(*ceiling) : "");
}

}  // namespace

std::string_view name_of(Change change) {
  static constexpr std::array<std::string_view, 9> names{"no difference", "slower",       "faster",
                                                         "not judged",    "not in NEW",   "not in OLD",
                                                         "wrong in OLD",  "wrong in NEW", "wrong in both"};
  return names[static_cast<std::size_t>(change)];
}

std::string_view name_of(Held held) {
  static constexpr std::array<std::string_view, 4> names{"not held", "passed", "cannot tell", "failed"};
  return names[static_cast<std::size_t>(held)];
}

std::vector<ChangeRow> compare_benches(const BenchReport& before, const BenchReport& after) {
  const std::vector<Place> old_rows = rows_with_news(before);
  std::vector<Place> new_rows = rows_with_news(after);
  std::vector<bool> taken(new_rows.size());
  std::vector<ChangeRow> rows;
  for (const Place& old_row : old_rows) {
    ChangeRow row = describe(old_row);
    row.before = time_of(*old_row.row);
    if (const Place* match = take(new_rows, taken, old_row.key)) {
      row.after = time_of(*match->row);
      row.floor = std::max(row.floor, match->point->floor());
      row.change = verdict(row, old_row, *match);
      if (row.before > 0 && row.after > 0)
        row.range = range_of(row, old_row.row->seconds->interval, match->row->seconds->interval);
    } else {
      row.change = Change::only_before;
    }
    if (row.ours || row.change != Change::wrong_both) rows.push_back(std::move(row));
  }
  for (std::size_t k = 0; k < new_rows.size(); ++k) {
    if (taken[k]) continue;
    ChangeRow row = describe(new_rows[k]);
    row.after = time_of(*new_rows[k].row);
    row.change = wrong(*new_rows[k].row) ? Change::wrong_after : Change::only_after;
    rows.push_back(std::move(row));
  }
  return rows;
}

Held held_against(const ChangeRow& row, const std::vector<Limit>& limits) {
  if (limits.empty()) return Held::not_held;
  if (row.ours && (row.change == Change::wrong_after || row.change == Change::wrong_both)) return Held::failed;
  if (row.role != Role::kernel || !judged(row)) return Held::not_held;
  const auto any = [&](auto&& of) {
    return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) { return of(row, limit); });
  };
  return any(beyond) ? Held::failed : any(may_be_beyond) ? Held::cannot_tell : Held::passed;
}

const ChangeRow* moved_ceiling(const std::vector<ChangeRow>& rows, const ChangeRow& row) {
  if (!changed(row)) return nullptr;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ChangeRow& other) {
    return other.role == Role::ceiling && changed(other) && other.point == row.point;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> violations(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits) {
  std::vector<std::string> found;
  for (const ChangeRow& row : rows) {
    if (is_wrong(row.change) || held_against(row, limits) != Held::failed) continue;
    const ChangeRow* ceiling = moved_ceiling(rows, row);
    found.push_back(row.name + ": " + change_text(row) +
                    (ceiling ? ", and " + ceiling->name + ", which no code changes, " + change_text(*ceiling) : "") +
                    " (" + row.what + ")");
  }
  return found;
}

std::string hidden_by_noise(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits) {
  std::size_t held = 0, hidden = 0;
  const ChangeRow* widest = nullptr;
  const auto width = [](const ChangeRow& row) { return row.range.high - row.range.low; };
  for (const ChangeRow& row : rows) {
    if (row.role != Role::kernel || !judged(row)) continue;
    ++held;
    if (held_against(row, limits) != Held::cannot_tell) continue;
    ++hidden;
    if (!widest || width(row) > width(*widest)) widest = &row;
  }
  if (!widest) return {};
  const bool one = hidden == 1;
  return "cannot tell of " + std::to_string(hidden) + " of " + std::to_string(held) +
         (held == 1 ? " kernel" : " kernels") + " whether " + (one ? "it is" : "they are") + " beyond the limit (" +
         widest->name + ": " + range_text(widest->range) + "), so " + (one ? "it passes" : "they pass") +
         ": on a quiet machine, or with a longer --max-time, there is less noise";
}

std::vector<std::string> unmatched_kernels(const std::vector<ChangeRow>& rows) {
  std::vector<std::string> found;
  for (const ChangeRow& row : rows)
    if (row.role == Role::kernel && row.change == Change::only_before)
      found.push_back(row.name + ": " + absence(row) + " (" + row.what + ")");
  return found;
}

std::vector<std::string> wrong_results(const std::vector<ChangeRow>& rows) {
  std::vector<std::string> found;
  for (const ChangeRow& row : rows)
    if (row.ours && (row.change == Change::wrong_after || row.change == Change::wrong_both))
      found.push_back(row.name + ": " + where_wrong(row) + " (" + row.what + ")");
  return found;
}

bool any_kernel_compared(const std::vector<ChangeRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const ChangeRow& row) {
    return row.role == Role::kernel && (row.change == Change::none || changed(row));
  });
}

std::string changes_text(const std::vector<ChangeRow>& rows, bool unchanged, const std::vector<Limit>& limits) {
  std::array<std::size_t, 9> count{};
  std::vector<Column> columns{{"kernel"}, {"old", true}, {"new", true}, {"change"}, {"floor", true}};
  if (!limits.empty()) columns.push_back({"limit"});
  columns.push_back({"of"});
  Table table(std::move(columns));
  std::size_t hidden = 0;
  for (const ChangeRow& row : rows) {
    ++count[static_cast<std::size_t>(row.change)];
    const bool same = row.change == Change::none || row.change == Change::not_judged;
    if (!unchanged && same && held_against(row, limits) != Held::cannot_tell) {
      ++hidden;
      continue;
    }
    std::vector<std::string> cells{row.name, row.before > 0 ? seconds_text(row.before) : "-",
                                   row.after > 0 ? seconds_text(row.after) : "-", change_cell(row), percent(row.floor)};
    if (!limits.empty()) cells.push_back(limit_cell(rows, row, limits));
    cells.push_back(row.what);
    table.add(std::move(cells));
  }
  const auto number = [&](Change change) { return count[static_cast<std::size_t>(change)]; };
  const auto of = [&](Change change) { return std::to_string(number(change)); };
  const std::size_t compared = number(Change::none) + number(Change::slower) + number(Change::faster);
  std::string text = rows.size() == hidden ? "" : table.text();
  if (!text.empty() && hidden != 0)
    text += std::to_string(hidden) + " more: no difference" +
            (number(Change::not_judged) != 0 ? ", or not judged" : "") + "; -v shows " + (hidden == 1 ? "it" : "them") +
            "\n";
  text += std::to_string(compared) + (compared == 1 ? " row" : " rows") + " compared: " + of(Change::none) +
          " no difference, " + of(Change::slower) + " slower, " + of(Change::faster) + " faster";
  if (number(Change::not_judged) != 0)
    text += "; " + of(Change::not_judged) + " not judged: they wait for the host, are simulated, or have one sample";
  if (number(Change::only_before) + number(Change::only_after) != 0)
    text += "; " + of(Change::only_before) + " not in NEW, " + of(Change::only_after) + " not in OLD";
  for (const auto& [change, where] : {std::pair(Change::wrong_before, "OLD"), std::pair(Change::wrong_after, "NEW"),
                                      std::pair(Change::wrong_both, "both")})
    if (number(change) != 0) text += "; " + of(change) + " wrong in " + where;
  return text + "\n";
}

std::string machine_change(const std::vector<ChangeRow>& rows) {
  const ChangeRow* most = nullptr;
  std::size_t others = 0;
  const auto size = [](const ChangeRow& row) { return std::fabs(std::log(row.ratio())); };
  for (const ChangeRow& row : rows) {
    if (row.role != Role::ceiling || !changed(row)) continue;
    others += most != nullptr;
    if (!most || size(row) > size(*most)) most = &row;
  }
  if (!most) return {};
  return "the machine itself changed: " + most->name + " " + change_text(*most) + " (" + most->what + ")" +
         (others == 0 ? "" : ", and " + std::to_string(others) + " more");
}

std::vector<FactChange> fact_changes(const Environment& before, const Environment& after) {
  const auto fact = [](const Environment& facts, const std::string& name) {
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const auto& each) { return each.first == name; });
    return found == facts.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<FactChange> changes;
  for (const char* name : {"driver", "cuda", "compiler", "processor"})
    if (const auto old = fact(before, name), now = fact(after, name); old != now) changes.push_back({name, old, now});
  return changes;
}

std::vector<std::string> warnings_of(const BenchReport& report) {
  std::vector<std::string> kinds, texts;
  for (const BenchPoint& point : report.points)
    for (const std::string& warning : point.warnings) {
      std::string kind = warning_kind(warning);
      if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
      kinds.push_back(std::move(kind));
      texts.push_back(warning);
    }
  return texts;
}

}  // namespace rung::cli
