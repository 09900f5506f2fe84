// From options and a shape to problems: axes as NumPy counts them, result shapes as NumPy gives them.
#pragma once
#include "../../kernels/problem.hpp"
#include "../options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

struct Work {
  /// Set when the axes to reduce do not lie side by side: this transpose, kept axes first, comes before `main`.
  std::optional<Problem> gather;
  Problem main;
  Shape result_shape;
  std::string operation;  ///< "sum along axis 1", "axes 2,0,1", "axis 0"; may be empty
};

/// Throws UsageError for axes out of range or named twice, and what the problem functions throw.
Work plan_work(const RunOptions& options, DType dtype, const Shape& shape);

/// Axes counted from the front. Throws UsageError when one is out of range or named twice.
std::vector<std::size_t> resolve_axes(const std::string& option, const std::vector<std::ptrdiff_t>& axes,
                                      std::size_t dimensions);

}  // namespace rung::cli
