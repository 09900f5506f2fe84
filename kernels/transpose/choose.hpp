// Which rung `best` takes for a transpose on a GPU. Plain C++: no CUDA header.
#pragma once
#include "../problem.hpp"

#include <algorithm>
#include <string_view>

namespace rung {

/// A permutation of axes as what `window` makes of it: planes whose narrower side is below 64 bytes leave its tile
/// idle, and elements one by one are faster.
inline std::string_view best_permutation(const Move& move, std::size_t size) {
  if (move.shape.empty() || move.strides.back() == 1) return "strided";
  const std::size_t last = move.shape.size() - 1;
  const auto line = static_cast<std::ptrdiff_t>(16 / size);
  std::size_t rows = move.shape[last], cols = 0;
  for (std::size_t k = 0; k < last; ++k)
    if (move.strides[k] == 1) cols = move.shape[k];
  // Short rows are taken together with the axis above.
  if (last > 0 && rows * size < 256 && move.strides[last - 1] != 1 && move.strides[last - 1] % line == 0 &&
      move.strides[last] % line == 0)
    rows *= move.shape[last - 1];
  return std::min(rows, cols) * size >= 64 ? "window" : "strided";
}

/// From how many columns of a tall matrix, or rows of a wide one, on tiles beat whole runs: 0.93 for 0.91 (f32, 32
/// columns), 0.99 for 0.97 (f32, 40 rows), 0.95 for 0.91 (2 bytes, 49 columns). Rows that fill a tile badly leave much
/// of it idle, and of those that are no sectors it reads some twice: 0.65 to 0.83 for 0.89 to 0.95 (97 to 128 rows, 2
/// bytes), 0.75 for 0.97 (60, 4 bytes). small: `vector` has the tiles.
inline std::size_t tiled_from(std::size_t size, std::size_t rows, std::size_t cols, bool small) {
  const bool whole = rows * size % 16 == 0 && cols * size % 16 == 0, sectors = rows * size % 32 == 0;
  if (size == 16) return 48;
  if (cols <= rows) {
    if (size == 1) return 60;
    if (size == 2) return small ? 64 : sectors ? 40 : 48;
    return size == 8 ? 97 : whole ? 32 : 56;
  }
  if (size == 8) return whole ? 64 : 96;
  if (size == 4) return whole && sectors && !small ? 40 : sectors ? 64 : 129;
  if (size == 2)
    return !sectors ? (cols % 8 == 0 ? 176 : rows % 8 == 0 ? 200 : 225) : whole || rows % 64 == 0 ? 80 : 192;
  return 128;
}

/// Whether `bytes` is ahead of `narrow` and `window` for a wide matrix of bytes: 0.98 for 0.81 (24 rows), 0.94 for 0.65
/// (65), 1.00 for 0.90 (128), 0.91 for 0.28 (129), 0.93 for 0.42 (255), 0.92 for 0.72 (400). Not of fewer than 12: 0.85
/// for 0.91 (9 rows), except 4 and 8 of whole lines, 1.00. Nor of 18 and 33 to 35, which leave a quarter of each thread
/// idle: 0.74 for 0.90, 0.85 for 0.92; so do 17 and 19, where rows of the input that start anywhere slow `narrow` more:
/// 0.82 for 0.57 (17), but for 0.93 of whole lines. Nor of a whole tile of `window` and some more in whole lines, 0.90
/// for 0.94 (256), 0.91 for 0.97 (288), 0.88 for 0.96 (384); where rows of the input start anywhere, of half a tile and
/// whole sectors, 0.90 for 0.97 (128), 0.88 for 0.92 (192). Shares of a plain copy, H200, 256 MiB, in a program of its
/// own; docs/measure.sh transpose-bytes has such shapes.
inline bool few_rows_of_bytes(std::size_t rows, std::size_t cols, bool small) {
  if (rows < 12) return rows % 4 == 0 && cols % 16 == 0;
  if (rows >= 17 && rows <= 19) return rows != 18 && cols % 16 != 0;
  if (rows >= 33 && rows <= 35) return false;
  if (!small && rows > 272 && rows % 16 == 0) return false;
  if (cols % 16 != 0 && rows >= 128 && rows % 32 == 0 && rows != 160) return false;
  return rows <= 512 && rows % 256 != 0;
}

/// The same for a tall one. Patches of four columns: 0.93 for 0.90 (32 columns). Few columns that are no fours leave
/// too much of them idle: 0.88 for 0.93 (3 columns), 0.87 for 0.91 (9). From 81 on the block that they leave room for
/// has few rows, and a tile of `window` is well filled: 0.92 for 0.85 (97); from 60 on where output rows are no whole
/// lines: 0.91 for 0.93 (63). Not so past its 112 and its 240 columns, up to some below the next tile's width: 0.92 for
/// 0.96 (113), 0.85 for 0.89 (241), but 0.92 for 0.90 (128 columns, no whole lines).
inline bool few_columns_of_bytes(std::size_t rows, std::size_t cols, bool large) {
  if (cols % 16 == 0 && cols > 64 && rows % 32 == 0) return false;  // whole tiles: 0.95 for 0.93 (80 columns)
  const bool lines = rows % 16 == 0 || !large;
  return (cols <= (lines ? 80 : 59) && (cols % 4 == 0 || cols > 9)) || (cols > 112 && cols <= (lines ? 127 : 119)) ||
         (cols > 240 && cols < 256);
}

/// What is soonest done with a matrix that takes a few microseconds: the first wave decides, and threads that each do
/// little. 1.1 us for 7.9 of `narrow` (1 byte, 1000 x 2), 1.5 for 3.5 of `bytes` (8 x 8192); small tiles 2.6 for 6.4 of
/// `window` (1 byte, 1000 x 1000), 3.6 for 4.2 (4 bytes, 1024 x 1024), 5.6 for 5.9 (8 bytes, 1001 x 1003), and longer
/// where columns of small elements start anywhere: 7.0 for 8.1 (1 byte, 2047 x 2049). Empty for others. small: as
/// below.
inline std::string_view best_of_few(std::size_t size, std::size_t rows, std::size_t cols, bool small) {
  const std::size_t n = rows * cols, narrow = std::min(rows, cols);
  if (n <= (size == 16 ? 20000 : 100000) || (narrow <= 8 && n <= 400000)) return "strided";
  if (narrow < 256) {
    if (narrow <= 8 || (size == 16 && narrow >= 64) || n > (narrow < 16 ? 1 << 18 : 1 << 20)) return {};
    return "tile-coarse";
  }
  const std::size_t mega = size == 1 ? (small ? 1 : 5) : size == 2 ? (small ? 3 : 6) : size == 16 ? 0 : 8;
  return n * size <= mega << 20 ? "tile-coarse" : std::string_view();
}

/// Thresholds from shares of the copy ceiling on an H200, graph mode, rotating arrays, medians (docs/benchmarking.md):
/// 256 MiB arrays of 2 to 5000 columns and rows, squares of 4 MiB to 8 GiB, odd sizes, elements of 1 to 16 bytes.
inline std::string_view best_transpose(const Problem& p) {
  const std::size_t size = size_of(p.dtype);
  if (!p.transpose) return best_permutation(p.move, size);
  const auto [batch, rows, cols] = *p.transpose;
  const std::size_t narrow = std::min(rows, cols), line = 16 / size, bytes = rows * cols * size;
  if (narrow <= 1) return "vector";
  if (batch > 1 && bytes < 8192) return "strided";
  const bool tall = cols <= rows, whole = rows % line == 0 && cols % line == 0;
  // Of whole lines and sectors, and no more than 32 MiB.
  const bool small = whole && rows * size % 32 == 0 && bytes * batch <= std::size_t{32} << 20;
  if (batch == 1)
    if (const auto rung = best_of_few(size, rows, cols, small); !rung.empty()) return rung;
  // Tiles of 32 x 32 whose sides divide: 0.95 for the 0.92 of runs and windows (f64, 16 columns; c128, 32).
  const bool few = size == 16  ? narrow >= (tall ? 8 : 16) && narrow <= 32
                   : size == 8 ? whole && (narrow == 32 || (tall && narrow == 16))
                               : false;
  const bool divides = size >= 8 && whole && tall && narrow <= 128 && narrow % 32 == 0;
  // Fitted, not understood: f64 in rows of 128 or 256 KiB, up to 12288 of them in 4096s, is 0.94 for 0.92 of windows
  // (8192 x 16384), where 16384 rows, or 10000, are 0.88 to 0.90 for 0.93.
  const bool far = size == 8 && (cols == 16384 || cols == 32768) && rows % 4096 == 0 && rows <= 12288;
  if (batch == 1 && (few || divides || far)) return "tile-coarse";
  // Rows so many that L2 does not keep a column of tiles (window.hpp): 0.95 for 0.92 (f64, 144 columns), 0.96 for 0.92
  // (c128, 129), of sectors; where columns start anywhere, 0.75 for 0.92 (f64, 129), 0.90 for 0.93 (c128).
  const bool long_strips = tall && rows >= (size == 8 ? 39000 : 29000) && rows * size % 32 == 0 && cols >= 64;
  if (batch == 1 && long_strips && ((size == 8 && cols <= 900) || (size == 16 && cols <= 600))) return "tile-coarse";
  // A window of 16-byte elements is 32 columns wide: few in the last one leave too much of it idle.
  const bool wasted = size == 16 && tall && narrow < 97 && narrow % 32 - 1 < 15 && rows < 29000;
  // Of an array of less, blocks of so many rows or columns are too few to fill the device.
  const bool large = bytes * batch >= std::size_t{8} << 20;
  if (size == 1 && (tall ? (cols <= 64 || large) && few_columns_of_bytes(rows, cols, large)
                         : (rows <= 128 || large) && few_rows_of_bytes(rows, cols, small)))
    return "bytes";
  if ((narrow < tiled_from(size, rows, cols, small) && (narrow <= 128 || large)) || wasted) return "narrow";
  // Tiles of small elements that lie in whole lines: 4.3 us for 5.8 (1 byte, 2048 x 2048), 6.2 for 6.7 (2 bytes), but
  // 18.8 for 18.4 (2 bytes, 4096 x 4096), and of large elements 5.3 for 3.6 (16 bytes, 512 x 512).
  if (small && (batch > 1 || (size <= 2 && bytes <= 16 << 20))) return "vector";
  return "window";
}

}  // namespace rung
