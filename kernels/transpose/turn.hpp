// Banks of lines that start anywhere.
#pragma once
#include "stage.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

/// How four lanes share columns out: lane j takes a column `apart` · j on, and begins at word j · turn of its line.
struct Turn {
  unsigned turn = 0, apart = 1;
};

/// Rows that start anywhere may bring the elements of four neighbouring columns into the same word of different lines,
/// one bank. This is the choice with the fewest such pairs; `cols` is a multiple of four times `apart`.
template <class T>
Turn best_turn(std::size_t cols, std::size_t rows) {
  if (sizeof(T) == 16) return {};
  const std::size_t step = sizeof(T) < 4 ? 4 / sizeof(T) : 1, lanes = sizeof(T) == 8 ? 2 : 4;
  Turn best;
  std::size_t fewest = ~std::size_t{0};
  for (unsigned apart = 1; apart <= step; apart *= 2) {
    if (apart > 1 && cols % (4 * apart) != 0) break;
    for (unsigned turn = 0; turn < lanes; ++turn) {
      std::size_t word[4], row[4], same = 0;
      for (std::size_t j = 0; j < lanes; ++j) {
        const std::size_t column = j * apart;
        row[j] = 256 - column * rows % per_sector<T> + j * turn % lanes * step;
        word[j] = (row[j] * cols + column) % per_line<T> / step;
        for (std::size_t i = 0; i < j; ++i) same += word[i] == word[j] && (step == 1 || row[i] != row[j]);
      }
      if (same < fewest) {
        fewest = same;
        best = {turn, apart};
      }
    }
  }
  return best;
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
