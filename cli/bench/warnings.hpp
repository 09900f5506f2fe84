// What a point's figures are to be taken with, whatever was timed.
#pragma once
#include "report.hpp"

namespace rung::cli {

/// Of samples that were dropped, and rows with fewer than `least`; the second not for sim, whose rows have few.
void warn_of_samples(BenchPoint& point, std::size_t least);

/// Of a build whose times say nothing.
void warn_of_build(BenchPoint& point);

}  // namespace rung::cli
