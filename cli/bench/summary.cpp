#include "summary.hpp"

#include "../report/table.hpp"
#include "../text.hpp"

#include <algorithm>
#include <set>

namespace rung::cli {
namespace {

const BenchRow* only_kernel(const BenchPoint& point) {
  const BenchRow* only = nullptr;
  for (const BenchRow& row : point.rows) {
    if (row.role != Role::kernel || row.verdict == RowVerdict::skipped) continue;
    if (only) return nullptr;
    only = &row;
  }
  return only;
}

/// Several kernels, of which each point has one.
bool chosen_by_point(const std::vector<const BenchPoint*>& points) {
  std::set<std::string> names;
  for (const BenchPoint* point : points) {
    const BenchRow* only = only_kernel(*point);
    if (!only) return false;
    names.insert(only->name);
  }
  return names.size() > 1;
}

}  // namespace

std::vector<Means> means_of(const std::vector<const BenchPoint*>& points) {
  const bool chosen = chosen_by_point(points);
  std::vector<Means> all;
  std::vector<std::vector<double>> ratios;
  for (const BenchPoint* point : points)
    for (const BenchRow& row : point->rows)
      for (const Speedup& speedup : row.speedups) {
        if (speedup.ratio.n == 0) continue;
        const std::string name = chosen ? "best" : row.name;
        auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Means& m) { return m.kernel == name && m.over == speedup.over; });
        if (found == all.end()) {
          all.push_back({name, speedup.over});
          ratios.emplace_back();
          found = all.end() - 1;
        }
        ratios[static_cast<std::size_t>(found - all.begin())].push_back(speedup.ratio.median);
        found->behind += speedup.ratio.interval.high < 1;
      }
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].points = ratios[k].size();
    all[k].mean = geometric_mean(ratios[k]);
    all[k].least = *std::min_element(ratios[k].begin(), ratios[k].end());
  }
  return all;
}

std::string sweep_summary(const BenchReport& report) {
  if (report.points.size() < 2) return {};
  Table table(
      {{"kernel"}, {"over"}, {"points", true}, {"geometric mean", true}, {"least", true}, {"behind", true}, {"of"}});
  bool any = false;
  for (const auto& points : tables_of(report))
    for (const Means& m : means_of(points)) {
      if (m.points < 2) continue;
      any = true;
      table.add({m.kernel, m.over, std::to_string(m.points), plain(m.mean, 4), plain(m.least, 4),
                 std::to_string(m.behind), table_heading(*points.front())});
    }
  return any ? "\n" + table.text() : std::string();
}

}  // namespace rung::cli
