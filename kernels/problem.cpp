#include "problem.hpp"

#include "error.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace rung {
namespace {

std::size_t product(const Shape& shape, std::size_t first, std::size_t last) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(first),
                         shape.begin() + static_cast<std::ptrdiff_t>(last), std::size_t{1}, std::multiplies<>());
}

std::vector<std::ptrdiff_t> c_order_strides(const Shape& shape) {
  std::vector<std::ptrdiff_t> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * static_cast<std::ptrdiff_t>(shape[k]);
  return strides;
}

/// Drops extents of 1 and merges neighbouring output axes that one stride describes.
Move simplify(const Shape& shape, const std::vector<std::ptrdiff_t>& strides, std::ptrdiff_t base) {
  Move move;
  move.base = base;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) continue;
    if (!move.shape.empty() && move.strides.back() == strides[k] * static_cast<std::ptrdiff_t>(shape[k])) {
      move.shape.back() *= shape[k];
      move.strides.back() = strides[k];
    } else {
      move.shape.push_back(shape[k]);
      move.strides.push_back(strides[k]);
    }
  }
  return move;
}

/// The batched 2-D transpose that a simplified move is, if it is one.
std::optional<Transpose2D> as_transpose(const Move& move) {
  if (move.base != 0) return std::nullopt;
  const auto& shape = move.shape;
  const auto& strides = move.strides;
  const auto signed_extent = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(shape[k]); };
  if (shape.empty()) return Transpose2D{1, 1, 1};
  if (shape.size() == 1 && strides[0] == 1) return Transpose2D{1, 1, shape[0]};
  if (shape.size() == 2 && strides[0] == 1 && strides[1] == signed_extent(0)) return Transpose2D{1, shape[1], shape[0]};
  if (shape.size() == 3 && strides[1] == 1 && strides[2] == signed_extent(1) &&
      strides[0] == signed_extent(1) * signed_extent(2))
    return Transpose2D{shape[0], shape[2], shape[1]};
  return std::nullopt;
}

}  // namespace

DType result_dtype(Op op, DType dtype) {
  const Kind kind = info(dtype).kind;
  switch (op) {
    case Op::argmin:
    case Op::argmax:
      return DType::i64;
    case Op::min:
    case Op::max:
      return dtype;
    case Op::mean:
      if (is_integer(dtype)) return DType::f64;
      break;
    case Op::sum:
    case Op::prod:
      if (kind == Kind::unsigned_integer) return DType::u64;
      if (is_integer(dtype)) return DType::i64;
      break;
  }
  return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype;
}

std::size_t Problem::input_elements() const {
  return family == Family::reduce ? outer * n * inner : product(move.shape, 0, move.shape.size());
}

std::size_t Problem::output_elements() const { return family == Family::reduce ? outer * inner : input_elements(); }

DType Problem::output_dtype() const { return family == Family::reduce ? result_dtype(op, dtype) : dtype; }

std::size_t Problem::input_bytes() const { return input_elements() * size_of(dtype); }
std::size_t Problem::output_bytes() const { return output_elements() * size_of(output_dtype()); }

double Problem::logical_bytes() const {
  return static_cast<double>(input_bytes()) * (family == Family::reduce ? 1.0 : 2.0);
}

Problem reduce_problem(DType dtype, const Shape& shape, std::vector<std::size_t> axes, Op op, Acc acc) {
  const bool arithmetic = op == Op::sum || op == Op::prod || op == Op::mean;
  if (info(dtype).kind == Kind::complex && !arithmetic)
    throw UsageError(
        std::string(name_of(op)) + " of " + std::string(name_of(dtype)) + ": complex numbers have no order",
        "complex arrays take sum, prod and mean");
  byte_count(shape, dtype);
  std::sort(axes.begin(), axes.end());
  const std::size_t first = axes.empty() ? 0 : axes.front();
  const std::size_t last = axes.empty() ? shape.size() : axes.back() + 1;
  if (!axes.empty() && last - first != axes.size()) throw UsageError("the axes of one reduction must lie side by side");
  Problem p;
  p.family = Family::reduce;
  p.dtype = dtype;
  p.op = op;
  p.acc = acc;
  p.outer = product(shape, 0, first);
  p.n = product(shape, first, last);
  p.inner = product(shape, last, shape.size());
  if (p.n == 0 && p.output_elements() != 0 && op != Op::sum && op != Op::prod)
    throw UsageError(std::string(name_of(op)) + " of no elements has no value",
                     "sum and prod of no elements are 0 and 1");
  return p;
}

Problem transpose_problem(DType dtype, const Shape& shape, const std::vector<std::size_t>& permutation) {
  byte_count(shape, dtype);
  const auto in_strides = c_order_strides(shape);
  Shape out_shape;
  std::vector<std::ptrdiff_t> strides;
  for (const std::size_t axis : permutation) {
    out_shape.push_back(shape[axis]);
    strides.push_back(in_strides[axis]);
  }
  Problem p;
  p.family = Family::transpose;
  p.dtype = dtype;
  p.move = simplify(out_shape, strides, 0);
  p.transpose = element_count(shape) == 0 ? Transpose2D{1, 0, 0} : as_transpose(p.move);
  return p;
}

Problem reverse_problem(DType dtype, const Shape& shape, const std::vector<std::size_t>& axes) {
  byte_count(shape, dtype);
  auto strides = c_order_strides(shape);
  std::ptrdiff_t base = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] < 2 || !(axes.empty() || std::find(axes.begin(), axes.end(), k) != axes.end())) continue;
    base += strides[k] * static_cast<std::ptrdiff_t>(shape[k] - 1);
    strides[k] = -strides[k];
  }
  Problem p;
  p.family = Family::reverse;
  p.dtype = dtype;
  p.move = simplify(shape, strides, base);
  const std::size_t n = element_count(shape);
  const bool flat = p.move.shape.empty() || n == 0 || (p.move.shape.size() == 1 && p.move.strides[0] == -1);
  if (flat) p.reverse = n;
  return p;
}

}  // namespace rung
