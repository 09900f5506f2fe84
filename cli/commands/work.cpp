#include "work.hpp"

#include "../../kernels/error.hpp"
#include "../text.hpp"

#include <algorithm>
#include <numeric>

namespace rung::cli {
namespace {

std::string axes_text(const std::vector<std::size_t>& axes) {
  std::vector<std::string> words;
  for (const std::size_t axis : axes) words.push_back(std::to_string(axis));
  return (axes.size() == 1 ? "axis " : "axes ") + join(words, ",");
}

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Work plan_reduce(const RunOptions& o, DType dtype, const Shape& shape) {
  auto axes = resolve_axes("--axis", o.axes, shape.size());
  std::sort(axes.begin(), axes.end());
  Work work;
  work.operation = std::string(name_of(o.op)) + (axes.empty() ? "" : " along " + axes_text(axes));
  if (axes.empty() && !shape.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (!std::binary_search(axes.begin(), axes.end(), k)) {
      kept.push_back(k);
      work.result_shape.push_back(shape[k]);
    } else if (o.keepdims) {
      work.result_shape.push_back(1);
    }
  }
  const bool adjacent = axes.empty() || axes.back() - axes.front() + 1 == axes.size();
  if (adjacent) {
    work.main = reduce_problem(dtype, shape, axes, o.op, o.acc);
    return work;
  }
  auto order = kept;
  order.insert(order.end(), axes.begin(), axes.end());
  Shape gathered;
  std::vector<std::size_t> last;
  for (std::size_t k = 0; k < order.size(); ++k) {
    gathered.push_back(shape[order[k]]);
    if (k >= kept.size()) last.push_back(k);
  }
  work.gather = transpose_problem(dtype, shape, order);
  work.main = reduce_problem(dtype, gathered, last, o.op, o.acc);
  return work;
}

Work plan_transpose(const RunOptions& o, DType dtype, const Shape& shape) {
  auto order = resolve_axes("--axes", o.axes, shape.size());
  Work work;
  if (!order.empty()) work.operation = "(" + axes_text(order) + ")";
  if (order.empty()) {
    order.resize(shape.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
  }
  if (order.size() != shape.size())
    throw UsageError("--axes names " + std::to_string(order.size()) + (order.size() == 1 ? " axis" : " axes") +
                         "; the array has " + std::to_string(shape.size()),
                     "name each once, 0 to " + std::to_string(shape.size() - 1) +
                         ", in the order they are to have; or leave --axes out, which reverses them");
  for (const std::size_t axis : order) work.result_shape.push_back(shape[axis]);
  work.main = transpose_problem(dtype, shape, order);
  return work;
}

Work plan_reverse(const RunOptions& o, DType dtype, const Shape& shape) {
  const auto axes = resolve_axes("--axis", o.axes, shape.size());
  Work work;
  if (!axes.empty()) work.operation = "along " + axes_text(axes);
  work.main = reverse_problem(dtype, shape, axes);
  work.result_shape = shape;
  return work;
}

}  // namespace

std::vector<std::size_t> resolve_axes(const std::string& option, const std::vector<std::ptrdiff_t>& axes,
                                      std::size_t dimensions) {
  std::vector<std::size_t> resolved;
  const auto count = static_cast<std::ptrdiff_t>(dimensions);
  for (const std::ptrdiff_t axis : axes) {
    if (axis >= count || axis < -count)
      throw UsageError(option + " " + std::to_string(axis) + " is out of range: the array has " +
                           std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions"),
                       dimensions == 0 ? "leave " + option + " out"
                                       : "axes are counted from 0 to " + std::to_string(count - 1) +
                                             ", or from -1 back to " + std::to_string(-count));
    const auto positive = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    if (contains(resolved, positive))
      throw UsageError(option + " names axis " + std::to_string(axis) + " twice",
                       "name each once; of " + std::to_string(count) + ", axis " + std::to_string(positive) +
                           " is also " + std::to_string(static_cast<std::ptrdiff_t>(positive) - count));
    resolved.push_back(positive);
  }
  return resolved;
}

Work plan_work(const RunOptions& options, DType dtype, const Shape& shape) {
  if (options.family == Family::reduce) return plan_reduce(options, dtype, shape);
  if (options.family == Family::transpose) return plan_transpose(options, dtype, shape);
  return plan_reverse(options, dtype, shape);
}

}  // namespace rung::cli
