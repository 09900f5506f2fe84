#include "ratios.hpp"

#include <optional>

namespace rung::cli {

void compare_rows(const std::vector<BenchRow*>& rows, const std::vector<Series>& series) {
  std::optional<std::size_t> previous;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k]->role != Role::kernel) continue;
    for (std::size_t other = 0; other < rows.size(); ++other)
      if (rows[other]->role == Role::reference)
        rows[k]->speedups.push_back({rows[other]->column, paired_ratio(series[other].seconds, series[k].seconds)});
    if (previous)
      rows[k]->previous = Speedup{rows[*previous]->name, paired_ratio(series[*previous].seconds, series[k].seconds)};
    previous = k;
  }
}

}  // namespace rung::cli
