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

inline constexpr unsigned axis_block = 256;                      ///< but for long rows
inline constexpr unsigned axis_block_most = 1024;                ///< threads
inline constexpr std::size_t short_row_bytes = 2048;             ///< shorter rows are staged in shared memory
inline constexpr std::size_t stage_bytes = 16384;                ///< for the ragged rows of one block
inline constexpr unsigned vectors_of_lane = 8;                   ///< of short rows; eight differ in their banks
inline constexpr unsigned stage_of_warp = 32 * vectors_of_lane;  ///< vectors

/// A kernel without teams is faster where so many loads lie side by side, and a column is so long.
inline constexpr std::size_t single_columns = 1024, single_length = 16;
inline constexpr std::size_t single_rows = 65535;  ///< of results: what y of a grid counts

enum class AxisWay { short_rows, rows, columns };

/// A launch over outer × n × inner. A team of `width` × `height` threads reduces elements [start, start + chunk) of
/// the axis for `width` neighbouring threads' columns, `height` elements at a time. Rows (inner = 1) are teams of one
/// column. Several splits of one result leave partials, laid out as outer × splits × inner: the same problem again.
struct AxisShape {
  AxisWay way = AxisWay::rows;
  bool whole = false;  ///< rows: made of 16-byte vectors, and on such boundaries
  std::size_t n = 0, inner = 1;
  std::size_t strips = 0;             ///< outer × splits × tiles; short rows: outer
  std::size_t splits = 1, chunk = 0;  ///< short rows: chunk elements a lane
  std::size_t tiles = 1;              ///< teams side by side that cover the columns
  unsigned columns = 1;               ///< of one thread: as many as one load brings
  bool single = false;                ///< columns: a thread takes all of them, and blocks lie in one row of results
  unsigned width = 1, height = 1;     ///< rows: width 1; height a power of two up to 32, or the block
  unsigned teams = 1;                 ///< of one block; short rows: rows of one block
  unsigned block = axis_block;

  std::size_t blocks() const { return ceil_div(strips, teams); }
};

struct Quotient {
  std::size_t whole, rest;
};

/// a / b and a % b. A 64-bit division is a hundred instructions on a GPU; most are by 1, or of small numbers.
__device__ __forceinline__ Quotient divide(std::size_t a, std::size_t b) {
  if (b == 1) return {a, 0};
  if (a < b) return {0, a};
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

/// Short rows. Whole ones: a warp has a stage of vectors_of_lane vectors a lane, and as many lanes for a row as it
/// then needs. Ragged ones: a lane for each 64 bytes of a row, and a stage of four vectors a thread, so that every
/// thread has its lane.
inline AxisShape shape_short_rows(std::size_t outer, std::size_t n, std::size_t element_size, bool whole) {
  AxisShape shape{.way = AxisWay::short_rows, .whole = whole, .n = n, .strips = outer, .chunk = n};
  const std::size_t row_bytes = std::max<std::size_t>(n * element_size, 1), vectors = row_bytes / sizeof(Vector16);
  if (whole) {
    shape.height = static_cast<unsigned>(std::bit_ceil(ceil_div(vectors, vectors_of_lane)));
    shape.chunk = ceil_div(vectors, shape.height) * (sizeof(Vector16) / element_size);
    shape.teams = static_cast<unsigned>(stage_of_warp / vectors) * (axis_block / 32);
  } else {
    shape.height = static_cast<unsigned>(std::bit_floor(std::clamp<std::size_t>(vectors / vectors_in_flight, 1, 32)));
    shape.teams = static_cast<unsigned>(std::clamp<std::size_t>(stage_bytes / row_bytes, 1, 4 * axis_block));
  }
  return shape;
}

/// Rows: a warp each, and a block where they are long, or too few for warps to fill the chip. Small blocks, so that one
/// can start as soon as another ends; measured on an H200 with rung bench reduce --mode graph -k axis --axis 1
/// -a shape=262144x1024,131072x2048,65536x4096,32768x8192,4096x65536 -a block=128,256,512 -a op=sum,argmax --dtype f32.
inline AxisShape shape_rows(std::size_t outer, std::size_t n, std::size_t element_size, std::size_t chip,
                            unsigned block, bool may_split) {
  const std::size_t count = sizeof(Vector16) / element_size, vectors = n / count;
  const bool whole = vectors > 0 && n % count == 0;
  if (n * element_size < short_row_bytes) return shape_short_rows(outer, n, element_size, whole);
  if (block == 0) block = vectors < (whole ? 2048 : 8192) ? 128 : 256;
  AxisShape shape{.way = AxisWay::rows, .whole = whole, .n = n, .block = block};
  const bool whole_block = vectors >= (whole ? 512 : 1024) || outer < 8 * chip;
  shape.height = whole_block ? shape.block : 32;
  shape.teams = shape.block / shape.height;
  split(shape, outer, whole_block && may_split ? 16 * chip : 0, std::size_t{vectors_in_flight} * shape.block * count);
  shape.strips = outer * shape.splits;
  return shape;
}

/// Columns that a thread takes with one load.
inline unsigned columns_of_load(std::size_t inner, std::size_t element_size) {
  const std::size_t most = std::min<std::size_t>(sizeof(Vector16) / element_size, 4);
  return inner % most == 0 ? static_cast<unsigned>(most) : 1;
}
/// Loads that a thread of a column asks for at once: 64 bytes, in no more than 16.
RUNG_HD constexpr unsigned loads_in_flight(std::size_t bytes_of_load) {
  return bytes_of_load >= 16 ? 4 : bytes_of_load >= 8 ? 8 : 16;
}

/// Columns: neighbours read neighbours. Few columns make short rows, of which a team reads several that lie one
/// behind the other; many are cut into tiles of up to 64 threads. Threads of a team beyond those that fill the chip
/// would only have to meet. Where a thread a column fills it, blocks are small, so that one can start as soon as
/// another ends: 256 threads were up to 5 % slower on an H200. Where not, the axis is split for blocks that are all
/// resident at once, 1024 threads a multiprocessor by the kernel's registers: a second wave, mostly empty, cost sums
/// 5 % and arg operations 1 to 3 %. A second launch has little to read, and narrow tiles, so that more blocks do it.
/// Where a thread a column fills it and blocks lie in one row of results, no division comes before the first load:
/// 1.015 times as fast for sums of 64 rows, 1.025 for places, with 64, 128 or 256 threads alike; of four rows it was
/// 0.95 (places).
inline AxisShape shape_columns(std::size_t outer, std::size_t n, std::size_t inner, std::size_t element_size,
                               std::size_t chip, unsigned block, bool may_split) {
  AxisShape shape{.way = AxisWay::columns, .n = n, .inner = inner};
  shape.columns = columns_of_load(inner, element_size);
  const std::size_t across = inner / shape.columns, in_flight = loads_in_flight(shape.columns * element_size);
  const std::size_t useful = std::max<std::size_t>(n / in_flight, 1), full = ceil_div(2048 * chip, outer * across);
  shape.single = may_split && shape.columns > 1 && full == 1 && n >= single_length && across >= single_columns &&
                 outer <= single_rows;
  if (block == 0) block = !may_split || shape.single ? axis_block : full == 1 ? 128 : 512;
  if (shape.single) {
    shape.chunk = n;
    shape.block = shape.width = block;
    shape.tiles = ceil_div(across, block);
    shape.strips = outer * shape.tiles;
    return shape;
  }
  shape.tiles = ceil_div(across, may_split ? std::min(64u, block) : 4u);
  shape.width = static_cast<unsigned>(ceil_div(across, shape.tiles));
  shape.height = static_cast<unsigned>(std::min({std::size_t{block} / shape.width, useful, full}));
  shape.teams = block / (shape.width * shape.height);
  shape.block = shape.width * shape.height * shape.teams;
  const std::size_t teams = outer * shape.tiles, wanted = may_split ? 1024 / block * chip * shape.teams : 0;
  split(shape, teams, wanted, 4 * in_flight * shape.height);
  shape.strips = teams * shape.splits;
  return shape;
}

/// Shared memory of a block of columns, in which the rows of its threads meet.
inline std::size_t columns_bytes(const AxisShape& shape, std::size_t accumulator) {
  return shape.way == AxisWay::columns && shape.height > 1 ? shape.columns * shape.block * accumulator : 0;
}

/// The same strips for memory that is not aligned to what a thread would load or store at once: columns by more teams,
/// rows as ragged ones. Where a grid has no room for as many blocks, they are larger; teams that many are one row of
/// threads each, so that no shared memory grows with them.
inline AxisShape unaligned(AxisShape shape, std::size_t element_size) {
  if (shape.way == AxisWay::short_rows) return shape_short_rows(shape.strips, shape.n, element_size, false);
  shape.whole = false;
  if (shape.columns == 1) return shape;
  shape.single = false;
  const std::size_t tiles = ceil_div(shape.inner, shape.width);
  shape.strips = shape.strips / shape.tiles * tiles;
  shape.tiles = tiles;
  shape.columns = 1;
  while (shape.blocks() > max_blocks && 2 * shape.block <= axis_block_most) shape.teams *= 2, shape.block *= 2;
  return shape;
}

/// The launch for a problem that has results. block: 0, or what the user asks for; may_split: whether partials may be
/// left for a second one.
inline AxisShape axis_shape(std::size_t outer, std::size_t n, std::size_t inner, std::size_t element_size,
                            std::size_t chip, unsigned block, bool may_split) {
  return inner == 1 ? shape_rows(outer, n, element_size, chip, block, may_split)
                    : shape_columns(outer, n, inner, element_size, chip, block, may_split);
}

/// The longest chain of additions inside one launch.
inline double axis_chain(const AxisShape& s, std::size_t element_size) {
  if (s.way == AxisWay::columns) return static_cast<double>(ceil_div(s.chunk, s.height)) + std::bit_width(s.height);
  if (s.way == AxisWay::short_rows && !s.whole) return static_cast<double>(ceil_div(s.n, s.height)) + 5;
  if (s.way == AxisWay::short_rows) return std::log2(sizeof(Vector16) / element_size) + vectors_of_lane + 5;
  return strip_chain(s.chunk, element_size, s.height) + (s.height > 32 ? block_chain : 5);
}

/// Stores a result, which nothing here reads again: where there are many, an H200 was 4 to 8 % faster than with stores
/// that stay in L2.
template <class R>
__device__ __forceinline__ void store_result(R* to, const R& result) {
  if constexpr (std::is_arithmetic_v<R>)
    __stcs(to, result);
  else
    *to = result;
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
