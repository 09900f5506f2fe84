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
  // From how many columns, or rows, on tiles beat whole runs.
  const std::size_t tiled = cols <= rows ? (size == 1   ? 96
                                            : size <= 4 ? 32
                                            : size == 8 ? 12
                                                        : 6)
                                         : (size <= 2   ? 64
                                            : size <= 8 ? 32
                                                        : 12);
  if (whole ? narrow < tiled : narrow <= 96) return "narrow";
  // One tile of 32 spans the narrow side, and its rows are whole sectors: 0.96 for 0.93 (f64, 16 columns).
  if (size >= 8 && whole && narrow <= 32) return "tile-coarse";
  // Where an array takes a few microseconds, small tiles fill the device sooner: 0.94 for 0.86 (4 MiB), 0.97 for 0.92.
  if (batch == 1 && narrow >= 256 && ((size == 4 && bytes <= 8 << 20) || (size == 8 && bytes <= 32 << 20)))
    return "tile-coarse";
  // 0.93 for 0.86 (f32, 16 MiB); from 64 MiB on windows are level or ahead: 0.958 for 0.952 (f32, 256 MiB), and by far
  // where the output's rows begin within a sector: 0.89 for 0.77 (f32, 10001 x 10001).
  const bool sectors = rows * size % 32 == 0;
  return whole && sectors && bytes * batch < std::size_t{64} << 20 ? "vector" : "window";
}

}  // namespace rung
