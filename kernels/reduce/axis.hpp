// How `axis` cuts outer × n × inner into strips of work, one team of threads each.
#pragma once
#include "passes.hpp"
#include "strip.hpp"
#include "warp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace rung::reduce {
inline namespace RUNG_ABI {

inline constexpr unsigned axis_block = 256;
inline constexpr unsigned rows_in_flight = 8;  ///< elements that a thread of a column asks for at once

/// A launch over outer × n × inner. A team of `width` × `height` threads reduces elements [start, start + chunk) of
/// the axis for `width` neighbouring columns, `height` elements at a time. Rows (inner = 1) are teams of one column.
/// Several splits of one result leave partials, laid out as outer × splits × inner: the same problem again.
struct AxisShape {
  std::size_t n = 0, inner = 1;
  std::size_t strips = 0;  ///< outer × splits × tiles
  std::size_t splits = 1, chunk = 0;
  std::size_t tiles = 1;           ///< teams side by side that cover the columns
  unsigned width = 1, height = 1;  ///< rows: a power of two up to 32, or the block
  unsigned teams = 1;              ///< of one block

  std::size_t blocks() const { return ceil_div(strips, teams); }
};

struct Quotient {
  std::size_t whole, rest;
};

/// a / b and a % b. A 64-bit division is a hundred instructions on a GPU; most are by 1, or of small numbers.
__device__ __forceinline__ Quotient divide(std::size_t a, std::size_t b) {
  if (b == 1) return {a, 0};
  if ((a | b) >> 32 != 0) return {a / b, a % b};
  const auto x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);
  return {x / y, x % y};
}

/// Splits the axis so that about `wanted` teams work, none on less than `least` elements.
inline void split(AxisShape& shape, std::size_t teams, std::size_t wanted, std::size_t least) {
  const std::size_t most = std::max<std::size_t>(shape.n / least, 1);
  const std::size_t splits = std::clamp<std::size_t>(wanted / std::max<std::size_t>(teams, 1), 1, most);
  shape.chunk = ceil_div(std::max<std::size_t>(shape.n, 1), splits);
  if (splits > 1) shape.chunk = ceil_div(shape.chunk, 16) * 16;  // chunks start as their row does, mod 16 bytes
  shape.splits = ceil_div(std::max<std::size_t>(shape.n, 1), shape.chunk);
}

/// Rows: a lane for each vector of a short row, a warp for longer ones, and a block where rows are long, or too few
/// for warps to fill the chip.
inline AxisShape shape_rows(std::size_t outer, std::size_t n, std::size_t element_size, std::size_t chip,
                            bool may_split) {
  AxisShape shape{.n = n};
  const std::size_t count = sizeof(Vector16) / element_size, vectors = std::max<std::size_t>(n / count, 1);
  const bool whole_block = vectors >= 4 * axis_block || (vectors > 64 && outer < 8 * chip);
  shape.height = whole_block ? axis_block : static_cast<unsigned>(std::bit_floor(std::min<std::size_t>(vectors, 32)));
  shape.teams = axis_block / shape.height;
  split(shape, outer, whole_block && may_split ? 16 * chip : 0, 4 * axis_block * count);
  shape.strips = outer * shape.splits;
  return shape;
}

/// Columns: neighbours read neighbours. Few columns make short rows, of which a team reads several that lie one
/// behind the other; many are cut into tiles of up to 64, which is two sectors and more of any element.
inline AxisShape shape_columns(std::size_t outer, std::size_t n, std::size_t inner, std::size_t chip, bool may_split) {
  AxisShape shape{.n = n, .inner = inner};
  shape.tiles = ceil_div(inner, 64);
  shape.width = static_cast<unsigned>(ceil_div(inner, shape.tiles));
  const std::size_t useful = std::max<std::size_t>(n / rows_in_flight, 1);
  shape.height = static_cast<unsigned>(std::min<std::size_t>(axis_block / shape.width, useful));
  shape.teams = axis_block / (shape.width * shape.height);
  const std::size_t teams = outer * shape.tiles, wanted = may_split ? 16 * chip * shape.teams : 0;
  split(shape, teams, wanted, std::size_t{4} * rows_in_flight * shape.height);
  shape.strips = teams * shape.splits;
  return shape;
}

/// The launch for a problem that has results. may_split: whether partials may be left for a second one.
inline AxisShape axis_shape(std::size_t outer, std::size_t n, std::size_t inner, std::size_t element_size,
                            std::size_t chip, bool may_split) {
  return inner == 1 ? shape_rows(outer, n, element_size, chip, may_split)
                    : shape_columns(outer, n, inner, chip, may_split);
}

/// The longest chain of additions inside one launch.
inline double axis_chain(const AxisShape& s, std::size_t element_size) {
  if (s.inner == 1) return strip_chain(s.chunk, element_size, s.height) + (s.height > 32 ? block_chain : 5);
  return static_cast<double>(ceil_div(s.chunk, s.height)) + std::bit_width(s.height);
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
