// How the kernels of a point compare with its references, and each with the kernel before it.
#pragma once
#include "report.hpp"
#include "schedule.hpp"

#include <vector>

namespace rung::cli {

/// Fills in the ratios of the rows that are kernels; rows and series in one order.
void compare_rows(const std::vector<BenchRow*>& rows, const std::vector<Series>& series);

}  // namespace rung::cli
