// Banks of lines that start anywhere.
#pragma once
#include "stage.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

/// Which words four lanes with neighbouring columns begin at: lane j at word j · turn of its line. Rows that start
/// anywhere may bring the four elements into the same word of different lines, one bank. This is the turn with the
/// fewest such pairs; 0 for planes of whole sectors.
template <class T>
unsigned best_turn(std::ptrdiff_t row_stride, std::ptrdiff_t col_stride) {
  if (sizeof(T) == 16) return 0;
  const auto rows = static_cast<std::size_t>(row_stride), cols = static_cast<std::size_t>(col_stride);
  const std::size_t step = sizeof(T) < 4 ? 4 / sizeof(T) : 1, lanes = sizeof(T) == 8 ? 2 : 4;
  unsigned best = 0;
  std::size_t fewest = ~std::size_t{0};
  for (unsigned turn = 0; turn < lanes; ++turn) {
    std::size_t word[4], row[4], same = 0;
    for (std::size_t j = 0; j < lanes; ++j) {
      row[j] = 256 - j * cols % per_sector<T> + j * turn % lanes * step;
      word[j] = (row[j] * rows + j) % per_line<T> / step;
      for (std::size_t i = 0; i < j; ++i) same += word[i] == word[j] && (step == 1 || row[i] != row[j]);
    }
    if (same < fewest) {
      fewest = same;
      best = turn;
    }
  }
  return best;
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
