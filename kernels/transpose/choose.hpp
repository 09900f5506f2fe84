// Which rung `best` takes for a transpose on a GPU. Plain C++: no CUDA header.
#pragma once
#include "../problem.hpp"

#include <algorithm>
#include <string_view>

namespace rung {

/// Thresholds from shares of the copy ceiling on an H200, graph mode, rotating arrays, medians (docs/benchmarking.md):
/// 256 MiB arrays of 2 to 128 columns and rows, squares of 4 MiB to 8 GiB, odd sizes, elements of 1 to 16 bytes.
inline std::string_view best_transpose(const Problem& p) {
  const std::size_t size = size_of(p.dtype);
  if (!p.transpose) {
    // Planes whose narrower side is below 64 bytes leave a window's tile idle: elements one by one are faster.
    const Move& move = p.move;
    if (move.shape.empty() || move.strides.back() == 1) return "strided";
    std::size_t narrow = move.shape.back();
    for (std::size_t k = 0; k + 1 < move.shape.size(); ++k)
      if (move.strides[k] == 1) narrow = std::min(narrow, move.shape[k]);
    return narrow * size >= 64 ? "window" : "strided";
  }
  const auto [batch, rows, cols] = *p.transpose;
  const std::size_t narrow = std::min(rows, cols), line = 16 / size, bytes = rows * cols * size;
  if (narrow <= 1) return "vector";
  if (batch > 1 && bytes < 8192) return "strided";
  const bool whole = rows % line == 0 && cols % line == 0;
  // From how many columns, or rows, on the tiles of `vector` beat whole runs.
  const std::size_t tiled = cols <= rows ? (size == 1   ? 64
                                            : size <= 4 ? 32
                                            : size == 8 ? 12
                                                        : 6)
                                         : (size <= 2   ? 64
                                            : size <= 8 ? 32
                                                        : 12);
  if (whole ? narrow < tiled : narrow <= 96) return "narrow";
  // Where an array takes a few microseconds, small tiles fill the device sooner: 0.94 for 0.86 (4 MiB), 0.97 for 0.92.
  if (batch == 1 && narrow >= 256 && ((size == 4 && bytes <= 8 << 20) || (size == 8 && bytes <= 32 << 20)))
    return "tile-coarse";
  // Rows of the output that begin within a sector.
  const bool in_sector = rows * size % 32 != 0;
  if (size == 8) return "vector";
  return whole && !in_sector ? "vector" : "window";
}

}  // namespace rung
