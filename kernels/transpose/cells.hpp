// Rows of small elements packed into wider cells, so that shared memory is read in larger pieces than an element.
// A cell holds one column's elements of the rows r and r + strip, the first row's lowest. Packing costs a byte permute
// for each four bytes on the way in and one or two on the way out; in return a gather reads half as many pieces.
#pragma once
#include "lines.hpp"

#include <cstdint>
#include <type_traits>

namespace rung::transpose {
inline namespace RUNG_ABI {

/// The type that reads a cell of `size` bytes out of shared memory.
template <unsigned size>
using Cell = std::conditional_t<
    size == 2, std::uint16_t,
    std::conditional_t<size == 4, std::uint32_t, std::conditional_t<size == 8, std::uint64_t, Vector16>>>;

/// The cells of `pack` lines of as many rows.
template <class T, unsigned pack>
__device__ inline void pack_lines(Vector16 (&cells)[pack], const Vector16* rows) {
  static_assert(pack == 1 || (pack == 2 && sizeof(T) <= 2));
  if constexpr (pack == 1) {
    cells[0] = rows[0];
  } else {
    constexpr unsigned low = sizeof(T) == 1 ? 0x5140 : 0x5410, high = sizeof(T) == 1 ? 0x7362 : 0x7632;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      cells[k / 2].words[k % 2 * 2] = __byte_perm(rows[0].words[k], rows[1].words[k], low);
      cells[k / 2].words[k % 2 * 2 + 1] = __byte_perm(rows[0].words[k], rows[1].words[k], high);
    }
  }
}

/// The lines that the cells of per_line<T> rows make, one for each row packed. Cell k is that of row k ^ turn; turn is
/// below 4 and counts rows (of 1-byte elements: pairs of rows), below 2 where a cell has 8 bytes.
template <class T, unsigned pack, class Cell>
__device__ inline void unpack_lines(Vector16 (&lines)[pack], const Cell (&cells)[per_line<T>], unsigned turn) {
  if constexpr (sizeof(Cell) == 16) {
    lines[0] = cells[0];
  } else if constexpr (sizeof(Cell) == 8) {
    const Cell low = turn ? cells[1] : cells[0], high = turn ? cells[0] : cells[1];
    lines[0] = {{static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                 static_cast<unsigned>(high >> 32)}};
  } else {
    // By words: the lower bit of the turn exchanges the halves of a word, or neighbouring words; the upper one words.
    unsigned word[pack][4];
    if constexpr (pack == 1) {
#pragma unroll
      for (unsigned w = 0; w < 4; ++w) word[0][w] = turn & 1 ? cells[w ^ 1] : cells[w];
    } else {
      const unsigned low = turn & 1 ? 0x1054 : 0x5410, high = turn & 1 ? 0x3276 : 0x7632;
#pragma unroll
      for (unsigned w = 0; w < 4; ++w) {
        unsigned first, second;
        if constexpr (sizeof(T) == 1) {
          first = __byte_perm(cells[4 * w], cells[4 * w + 1], 0x5140);
          second = __byte_perm(cells[4 * w + 2], cells[4 * w + 3], 0x5140);
        } else {
          first = cells[2 * w];
          second = cells[2 * w + 1];
        }
        word[0][w] = __byte_perm(first, second, low);
        word[1][w] = __byte_perm(first, second, high);
      }
    }
    constexpr unsigned step = pack == 1 ? 2 : 1;
#pragma unroll
    for (unsigned i = 0; i < pack; ++i)
#pragma unroll
      for (unsigned w = 0; w < 4; ++w) lines[i].words[w] = turn & 2 ? word[i][w ^ step] : word[i][w];
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
