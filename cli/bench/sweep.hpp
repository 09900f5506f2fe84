// Points of a benchmark: the values of -a and the command's own, in all combinations.
#pragma once
#include "../options.hpp"

#include <string>
#include <vector>

namespace rung::cli {

/// "n=2^10:2^30:x4", "shape=1024x1024,4097x8191": one axis and its values as text.
/// Throws UsageError for an axis that is not there or a value that is not one.
SweepAxis parse_sweep(const std::string& text);

/// "1000003", "2^28", "2^28+1", "2^20-1"; a range from:to:xFACTOR or from:to:+STEP gives each value up to `to`.
std::vector<std::size_t> parse_counts(const std::string& option, const std::string& text);

/// One combination. `run` holds op, axes, acc and launch.
struct BenchSpec {
  DType dtype = DType::f32;
  Shape shape;
  Mode mode = Mode::cold;
  RunOptions run;
};

/// Throws UsageError when an axis is named twice, or n and shape both are.
/// Element types are outermost, so that an input is made once; then shapes, operations, and launch shapes last.
std::vector<BenchSpec> expand(const BenchOptions& options);

}  // namespace rung::cli
