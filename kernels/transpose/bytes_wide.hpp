// Few rows of single bytes: pieces of all rows to one run of whole columns (bytes.cu).
// A block stages a piece of each row by asynchronous copies, as it is aligned in the input: rows lie so far apart in
// shared memory as they do in the input, modulo a line, so that a row's bytes move by a constant from one row to the
// next. Its result is one run of the output, and is laid out as such, in the same memory, for lines of 16 bytes to
// leave from: a patch gives, of each of four columns, a word of four rows.
// Where columns start inside words (rows that are no fours), the words of column j of a patch begin `later` rows on:
// two patches, one below the other, are shifted into one by as many bytes, and a thread holds up to four patches of the
// same columns. Below the last row the next column begins: row `rows + i` is row i, a byte further. Where columns are
// whole words, there is none of this.
// Cost that remains: columns of a sector or more read again by each block where runs do not begin at sectors; the last
// patch of a column, part of which is nothing: of 9 rows a quarter, of 17 a sixth.
// Banks: 32 lanes read 32 words side by side. They store words that lie `rows` words apart: odd rows meet all banks,
// 2, 6, 10, … meet half of them. Of columns that are whole words, a lane stores up to 16 bytes at once; lanes begin at
// other columns of their patch where that is less, and a line of padding makes groups an odd number of lines. Where
// rows are fours but the output is not aligned to what they divide, words lie fours apart: 32 rows meet in one bank.
#pragma once
#include "patch.hpp"
#include "stage.hpp"
#include "tiles.hpp"

#include <algorithm>

namespace rung::transpose {
inline namespace RUNG_ABI {

struct WideBytes {
  std::size_t batch, cols;
  unsigned rows;
  unsigned length;     ///< columns that a block moves, a multiple of 32
  unsigned halo;       ///< how many more it reads before those: fours that hold a sector, or none where it is aligned
  unsigned groups;     ///< fours of columns that it reads
  unsigned units;      ///< what the patches of four columns are divided into
  unsigned quads;      ///< patches of a unit
  unsigned lines;      ///< lines that are kept of a row's piece
  unsigned pitch;      ///< bytes from a row to the next in shared memory
  unsigned wrap;       ///< bytes from a row that follows the last one back to where the next column begins
  unsigned pad;        ///< bytes of padding after the result's words of four columns
  unsigned per_group;  ///< 2^32 / groups + 1, rounded down
  unsigned per_line;   ///< the same for lines
  unsigned per_pad;    ///< the same for the lines of four columns; unused without padding
};

/// Words that are stored at once.
template <unsigned count>
struct alignas(4 * count) Words {
  unsigned words[count];
};

/// The piece of each row from `left` on: row r begins at past + r · pitch. Lines past it are zeros; within its first
/// and last one, what lies beside it is there as it is.
template <unsigned threads>
__device__ __forceinline__ void stage_pieces(const std::uint8_t* in, char* memory, const WideBytes& p,
                                             std::size_t matrix, std::ptrdiff_t left, unsigned past) {
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(matrix) + left;
  const std::size_t n = p.batch * p.rows * p.cols;
  const std::ptrdiff_t rest = static_cast<std::ptrdiff_t>(p.cols) - left;
  const unsigned width = rest < std::ptrdiff_t{p.groups * 4} ? static_cast<unsigned>(rest) : p.groups * 4;
  // A row's first line begins up to 15 bytes before it.
  const bool inside = first >= 16 && first + static_cast<std::ptrdiff_t>((p.rows - 1) * p.cols + p.lines * 16) <=
                                         static_cast<std::ptrdiff_t>(n);
  const auto each_line = [&](auto&& bring) {
    for (unsigned j = threadIdx.x; j < p.rows * p.lines; j += threads) {
      const unsigned r = __umulhi(j, p.per_line), line = (j - r * p.lines) * 16;
      const unsigned at = past + r * p.pitch, off = at % 16;
      auto* to = reinterpret_cast<Vector16*>(memory + (at - off + line));
      if (line >= off + width)
        *to = Vector16{};
      else
        bring(to, first + static_cast<std::ptrdiff_t>(r * p.cols + line) - static_cast<std::ptrdiff_t>(off));
    }
  };
  if (inside)
    each_line([&](Vector16* to, std::ptrdiff_t from) { copy_async(to, reinterpret_cast<const Vector16*>(in + from)); });
  else
    each_line([&](Vector16* to, std::ptrdiff_t from) { *to = bounded_line(in, n, from); });
  wait_for_copies();
}

/// The word at byte `at` of shared memory; whole: it is known to be aligned.
template <bool whole>
__device__ __forceinline__ unsigned word_at(const char* memory, unsigned at) {
  const auto* word = reinterpret_cast<const unsigned*>(memory + at / 4 * 4);
  return whole ? word[0] : __funnelshift_r(word[0], word[1], at * 8);
}

/// The block's run, from byte `at` of shared memory on, to the sector that begins `moved` bytes before its first
/// column. ahead: bytes from the first word of the result to there.
template <unsigned threads>
__device__ __forceinline__ void store_run(std::uint8_t* out, const char* memory, const WideBytes& p, std::size_t start,
                                          unsigned moved, unsigned at, unsigned ahead) {
  const std::size_t n = p.rows * p.cols;
  const auto begin = static_cast<std::ptrdiff_t>(start * p.rows) - static_cast<std::ptrdiff_t>(moved);
  const unsigned lines = p.length * p.rows / 16;
  const auto each_line = [&](auto&& send) {
    for (unsigned i = threadIdx.x; i < lines; i += threads) {
      const unsigned padding = p.pad ? p.pad * __umulhi(ahead / 16 + i, p.per_pad) : 0;
      send(begin + static_cast<std::ptrdiff_t>(i * 16),
           *reinterpret_cast<const Vector16*>(memory + at + i * 16 + padding));
    }
  };
  if (begin >= 0 && begin + std::ptrdiff_t{lines} * 16 <= static_cast<std::ptrdiff_t>(n))
    each_line([&](std::ptrdiff_t to, const Vector16& v) { store_cached(reinterpret_cast<Vector16*>(out + to), v); });
  else
    each_line([&](std::ptrdiff_t to, const Vector16& v) { store_line(out, n, to, v); });
}

/// Columns that start anywhere. most: patches of a unit at most; a thread takes as many units as make four patches.
/// rest: rows modulo 4, for more than eight rows: where in a patch they end.
template <unsigned threads, unsigned most, unsigned rest>
__global__ void __launch_bounds__(threads, multiprocessor_threads / threads)
    bytes_wide(const std::uint8_t* in, std::uint8_t* out, const __grid_constant__ WideBytes p) {
  follow_previous_kernel();
  constexpr unsigned turns = patch_turns / most;
  auto* memory = shared_array<char>();
  const std::size_t index = folded_y();
  if (index >= p.batch) return;
  const std::size_t matrix = index * p.rows * p.cols, start = std::size_t{blockIdx.x} * p.length;
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(start) - static_cast<std::ptrdiff_t>(p.halo);
  const unsigned past = past_line(in, static_cast<std::ptrdiff_t>(matrix) + left);
  stage_pieces<threads>(in, memory, p, matrix, left, past);
  __syncthreads();

  // The first of the result's words begins `skip` bytes into its first column.
  const unsigned moved = misalignment<32>(out + matrix), skip = (4 - moved % 4) % 4;
  unsigned words[turns][most][4];
#pragma unroll
  for (unsigned t = 0; t < turns; ++t) {
    const unsigned task = threadIdx.x + t * threads, unit = __umulhi(task, p.per_group), g = task - unit * p.groups;
    if (unit >= p.units) break;
    const unsigned row = unit * p.quads * 4, limit = std::min(p.quads * 4, p.rows - row);
    unsigned at = past + row * p.pitch + g * 4, until = p.rows - row;
    const auto take = [&](unsigned(&patch)[4], unsigned k) {
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        patch[i] = word_at<false>(memory, at);
        at += p.pitch;
        if ((most < patch_turns || (i + 1) % 4 == rest) && 4 * k + i + 1 == until) {
          at -= p.wrap;
          if (most < patch_turns) until += p.rows;
        }
      }
      turn_patch(patch);
    };
    unsigned patch[4];
    take(patch, 0);
#pragma unroll
    for (unsigned k = 0; k < most; ++k) {
      if (4 * k >= limit) break;
      unsigned below[4];
      take(below, k + 1);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
        words[t][k][j] = __funnelshift_r(patch[j], below[j], (skip - j * p.rows) * 8);
        patch[j] = below[j];
      }
    }
  }
  __syncthreads();

  const unsigned ahead = p.halo * p.rows - moved - skip, base = (0 - ahead) % 16;
#pragma unroll
  for (unsigned t = 0; t < turns; ++t) {
    const unsigned task = threadIdx.x + t * threads, unit = __umulhi(task, p.per_group), g = task - unit * p.groups;
    if (unit >= p.units) break;
    const unsigned row = unit * p.quads * 4;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const unsigned later = (skip - j * p.rows) % 4;
      const unsigned limit = std::min(p.quads * 4 + later, p.rows - row);
      char* to = memory + (base + (g * 4 + j) * p.rows + row + later - skip);
#pragma unroll
      for (unsigned k = 0; k < most; ++k)
        if (later + 4 * k < limit) *reinterpret_cast<unsigned*>(to + 4 * k) = words[t][k][j];
    }
  }
  __syncthreads();
  store_run<threads>(out + matrix, memory, p, start, moved, base + ahead, ahead);
}

/// Columns of whole words, in units of `quads` patches. whole: rows begin at words of the input.
template <unsigned threads, bool whole, unsigned quads>
__global__ void __launch_bounds__(threads, multiprocessor_threads / threads)
    bytes_wide_words(const std::uint8_t* in, std::uint8_t* out, const __grid_constant__ WideBytes p) {
  follow_previous_kernel();
  constexpr unsigned turns = patch_turns / quads;
  auto* memory = shared_array<char>();
  const std::size_t index = folded_y();
  if (index >= p.batch) return;
  const std::size_t matrix = index * p.rows * p.cols, start = std::size_t{blockIdx.x} * p.length;
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(start) - static_cast<std::ptrdiff_t>(p.halo);
  const unsigned past = past_line(in, static_cast<std::ptrdiff_t>(matrix) + left);
  stage_pieces<threads>(in, memory, p, matrix, left, past);
  __syncthreads();

  // Word j is of column j + turn, modulo 4.
  Words<quads> words[turns][4];
#pragma unroll
  for (unsigned t = 0; t < turns; ++t) {
    const unsigned task = threadIdx.x + t * threads, unit = __umulhi(task, p.per_group), g = task - unit * p.groups;
    if (unit >= p.units) break;
    const unsigned turn = g / 8 % turns;
    unsigned at = past + unit * quads * 4 * p.pitch + g * 4;
#pragma unroll
    for (unsigned k = 0; k < quads; ++k) {
      unsigned patch[4];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        patch[i] = word_at<whole>(memory, at);
        if (turns > 1) patch[i] = __funnelshift_r(patch[i], patch[i], turn * 8);
        at += p.pitch;
      }
      turn_patch(patch);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) words[t][j].words[k] = patch[j];
    }
  }
  __syncthreads();

  const unsigned moved = misalignment<32>(out + matrix), ahead = p.halo * p.rows - moved, base = (0 - ahead) % 16;
#pragma unroll
  for (unsigned t = 0; t < turns; ++t) {
    const unsigned task = threadIdx.x + t * threads, unit = __umulhi(task, p.per_group), g = task - unit * p.groups;
    if (unit >= p.units) break;
    const unsigned turn = g / 8 % turns;
    char* to = memory + (base + g * (4 * p.rows + p.pad) + unit * quads * 4);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) *reinterpret_cast<Words<quads>*>(to + (j + turn) % 4 * p.rows) = words[t][j];
  }
  __syncthreads();
  store_run<threads>(out + matrix, memory, p, start, moved, base + ahead, ahead);
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
