// What a sweep comes to: geometric means of the speedups.
#pragma once
#include "report.hpp"

#include <string>

namespace rung::cli {

struct Means {
  std::string kernel, over;
  std::size_t points = 0, behind = 0;  ///< behind: the interval lies wholly below 1
  double mean = 0, least = 0;
};

/// A kernel and a reference each, over the points that have both. Where every point has one kernel, which differs
/// from point to point, it is "best".
std::vector<Means> means_of(const std::vector<const BenchPoint*>& points);

/// For the terminal; empty for a single point.
std::string sweep_summary(const BenchReport& report);

}  // namespace rung::cli
