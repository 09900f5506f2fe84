// What a point's figures are to be taken with, whatever was timed.
#pragma once
#include "report.hpp"

#include <string>
#include <vector>

namespace rung::cli {

/// Of samples that were dropped, and rows with fewer than `least`; the second not for sim, whose rows have few.
void warn_of_samples(BenchPoint& point, std::size_t least);

/// Of a build whose times say nothing.
void warn_of_build(BenchPoint& point);

/// Of a machine with more work than all its cores: the load average before the point.
void warn_of_load(BenchPoint& point, double load, unsigned cores);

/// A warning without its figures: those of a kind differ in nothing else.
std::string warning_kind(const std::string& warning);

/// Warnings as a sweep goes on. Those of the machine and the build are the same at every point: once is enough.
class SweepWarnings {
 public:
  /// Those of the point that have not been said.
  std::vector<std::string> fresh(const BenchPoint& point);

 private:
  std::vector<std::string> said_;
};

}  // namespace rung::cli
