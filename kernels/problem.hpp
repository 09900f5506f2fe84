// What a run computes, free of how: the family, the types and the shape, in the few forms that kernels take.
#pragma once
#include "array.hpp"
#include "dtype.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rung {

enum class Family : std::uint8_t { reduce, transpose, reverse };
enum class Op : std::uint8_t { sum, prod, min, max, mean, argmin, argmax };
enum class Acc : std::uint8_t { wide, same };

inline constexpr std::array<std::string_view, 3> family_names{"reduce", "transpose", "reverse"};
inline constexpr std::array<std::string_view, 7> op_names{"sum", "prod", "min", "max", "mean", "argmin", "argmax"};
inline constexpr std::array<std::string_view, 2> acc_names{"wide", "same"};
constexpr std::string_view name_of(Family f) { return family_names[static_cast<std::size_t>(f)]; }
constexpr std::string_view name_of(Op op) { return op_names[static_cast<std::size_t>(op)]; }
constexpr std::string_view name_of(Acc acc) { return acc_names[static_cast<std::size_t>(acc)]; }

/// Result type of a reduction (design: integer sum and prod 64-bit, mean of integers f64, arg i64).
DType result_dtype(Op op, DType dtype);

/// A mover's work in general form: out[i0, i1, …] = in[base + Σ ik · strides[k]], out in C order.
/// Extents of 1 are dropped and axes that lie together on both sides are merged, so that a 2-D problem
/// written as 5-D arrives as 2-D. Strides and base count elements. Empty shape: one element.
struct Move {
  Shape shape;
  std::vector<std::ptrdiff_t> strides;
  std::ptrdiff_t base = 0;
};

/// batch × rows × cols in, batch × cols × rows out.
struct Transpose2D {
  std::size_t batch = 1, rows = 1, cols = 1;
};

struct Problem {
  Family family = Family::reduce;
  DType dtype = DType::f64;

  // reduce: in is outer × n × inner, out is outer × inner; a whole array is 1 × n × 1.
  Op op = Op::sum;
  Acc acc = Acc::wide;
  std::size_t outer = 1, n = 0, inner = 1;

  // transpose and reverse: the general form, and the simple forms when the problem is one of them.
  Move move;
  std::optional<Transpose2D> transpose;  ///< set when the move is a (batched) 2-D transpose; a copy is 1 × 1 × n
  std::optional<std::size_t> reverse;    ///< set when out[i] = in[n - 1 - i] over all n elements

  std::size_t input_elements() const;
  std::size_t output_elements() const;
  DType output_dtype() const;
  std::size_t input_bytes() const;
  std::size_t output_bytes() const;
  /// Bytes that any program must move: n·s for a reduction, 2·n·s for a mover (docs/benchmarking.md).
  double logical_bytes() const;
  bool whole_array() const { return outer == 1 && inner == 1; }
};

/// axes: the axes to reduce, adjacent after sorting, non-negative, distinct; empty means all.
/// Throws UsageError for an operation the type does not have, or min/max/mean/arg over no elements.
Problem reduce_problem(DType dtype, const Shape& shape, std::vector<std::size_t> axes, Op op, Acc acc);

/// permutation[k] is the input axis that becomes output axis k.
Problem transpose_problem(DType dtype, const Shape& shape, const std::vector<std::size_t>& permutation);

/// axes: those to flip; empty means all.
Problem reverse_problem(DType dtype, const Shape& shape, const std::vector<std::size_t>& axes);

}  // namespace rung
