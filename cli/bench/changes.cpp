#include "changes.hpp"

#include "../report/table.hpp"
#include "../text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rung::cli {
namespace {

struct Place {
  const BenchPoint* point;
  const BenchRow* row;
  std::string key;
};

std::vector<Place> timed_rows(const BenchReport& report) {
  std::vector<Place> places;
  for (const BenchPoint& point : report.points)
    for (const BenchRow& row : point.rows)
      if (row.seconds)
        places.push_back({&point, &row, heading(point) + "\n" + std::string(name_of(row.role)) + "\n" + row.name});
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

ChangeRow describe(const Place& place) {
  ChangeRow row;
  row.what = heading(*place.point);
  row.role = place.row->role;
  row.name = place.row->name;
  row.floor = place.point->floor();
  return row;
}

std::string percent(double share) { return significant(share * 100, 3) + "%"; }

/// Of the old median.
std::string change_text(const ChangeRow& row) {
  return percent(std::fabs(row.ratio() - 1)) + (row.after > row.before ? " slower" : " faster");
}

std::string change_cell(const ChangeRow& row) {
  switch (row.change) {
    case Change::none:
      return "no difference";
    case Change::not_judged:
      return "not judged";
    case Change::only_before:
      return "not in NEW";
    case Change::only_after:
      return "not in OLD";
    default:
      return change_text(row);
  }
}

bool changed(const ChangeRow& row) { return row.change == Change::slower || row.change == Change::faster; }

}  // namespace

std::vector<ChangeRow> compare_benches(const BenchReport& before, const BenchReport& after) {
  const std::vector<Place> old_rows = timed_rows(before);
  std::vector<Place> new_rows = timed_rows(after);
  std::vector<bool> taken(new_rows.size());
  std::vector<ChangeRow> rows;
  for (const Place& old_row : old_rows) {
    ChangeRow row = describe(old_row);
    row.before = old_row.row->seconds->median;
    if (const Place* match = take(new_rows, taken, old_row.key)) {
      row.after = match->row->seconds->median;
      row.floor = std::max(row.floor, match->point->floor());
      row.change = old_row.row->waits || match->row->waits
                       ? Change::not_judged
                       : verdict(row, old_row.row->seconds->interval, match->row->seconds->interval);
    } else {
      row.change = Change::only_before;
    }
    rows.push_back(std::move(row));
  }
  for (std::size_t k = 0; k < new_rows.size(); ++k) {
    if (taken[k]) continue;
    ChangeRow row = describe(new_rows[k]);
    row.after = new_rows[k].row->seconds->median;
    row.change = Change::only_after;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> violations(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits) {
  std::vector<std::string> found;
  for (const ChangeRow& row : rows) {
    if (row.role != Role::kernel) continue;
    const bool beyond = std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) {
      return limit.slower ? row.change == Change::slower && row.ratio() > 1 + limit.share
                          : row.change == Change::faster && row.ratio() < 1 - limit.share;
    });
    if (beyond) found.push_back(row.name + ": " + change_text(row) + " (" + row.what + ")");
  }
  return found;
}

std::vector<std::string> unmatched_kernels(const std::vector<ChangeRow>& rows) {
  std::vector<std::string> found;
  for (const ChangeRow& row : rows)
    if (row.role == Role::kernel && row.change == Change::only_before)
      found.push_back(row.name + ": not in NEW (" + row.what + ")");
  return found;
}

bool any_kernel_compared(const std::vector<ChangeRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const ChangeRow& row) {
    return row.role == Role::kernel && (row.change == Change::none || changed(row));
  });
}

std::string changes_text(const std::vector<ChangeRow>& rows, bool unchanged) {
  std::array<std::size_t, 6> count{};
  Table table({{"kernel"}, {"old", true}, {"new", true}, {"change"}, {"floor", true}, {"of"}});
  std::size_t hidden = 0;
  for (const ChangeRow& row : rows) {
    ++count[static_cast<std::size_t>(row.change)];
    if (!unchanged && (row.change == Change::none || row.change == Change::not_judged)) {
      ++hidden;
      continue;
    }
    table.add({row.name, row.before > 0 ? seconds_text(row.before) : "-", row.after > 0 ? seconds_text(row.after) : "-",
               change_cell(row), percent(row.floor), row.what});
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
  if (number(Change::not_judged) != 0) text += "; " + of(Change::not_judged) + " not judged, as they wait for the host";
  if (number(Change::only_before) + number(Change::only_after) != 0)
    text += "; " + of(Change::only_before) + " not in NEW, " + of(Change::only_after) + " not in OLD";
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

std::vector<std::string> warnings_of(const BenchReport& report) {
  std::vector<std::string> kinds, texts;
  for (const BenchPoint& point : report.points)
    for (const std::string& warning : point.warnings) {
      std::string kind;
      for (const char c : warning)
        if ((c < '0' || c > '9') && c != '.') kind += c;
      if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
      kinds.push_back(std::move(kind));
      texts.push_back(warning);
    }
  return texts;
}

}  // namespace rung::cli
