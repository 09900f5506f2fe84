// Few columns of single bytes (bytes.cu): runs of whole rows to pieces of columns.
// A block stages a run of whole rows by asynchronous copies, takes all its patches into registers, and lays them out
// again, in the same memory, column by column; lines of 16 bytes leave from there. Where columns start anywhere, each
// is moved down to a 32-byte sector: by whole words when it is laid out, by the bytes that remain when it leaves.
// A row of a number of bytes that is no multiple of four begins inside a word: then a second word is loaded, and the
// two are shifted. Banks: of rows that are whole words apart, lanes begin at other rows of their patch, or share
// columns out, so that 32 lanes meet 32 banks.
// Cost that remains: where columns start anywhere, a sector of them read again by each block of 96 to 4,064 rows; the
// last patch of a row, part of which is no column. Registers are held to 32, for eight blocks a multiprocessor:
// 0.88 of a copy's speed for 0.84 with the five of 45 registers (17 columns, H200).
#pragma once
#include "patch.hpp"
#include "stage.hpp"
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

struct TallBytes {
  std::size_t batch, rows;
  unsigned cols;
  unsigned length;      ///< rows that a block moves, a multiple of 32
  unsigned halo;        ///< how many more it reads before those: a sector of them, or none where columns are aligned
  unsigned groups;      ///< fours of columns, shared out among lanes
  unsigned patches;     ///< in the block, each of a warp's 32 lanes
  unsigned pitch;       ///< bytes from a column to the next in shared memory
  unsigned per_group;   ///< 2^32 / groups + 1, rounded down; unused for one group
  unsigned per_column;  ///< the same for the lines of a column that a block stores
};

/// What the words of group g are exchanged by, bytes: columns that `share` lanes store together then differ in banks,
/// where all of them are moved alike.
template <unsigned share>
__device__ __forceinline__ unsigned exchange(unsigned g) {
  return share > 1 ? g % share * (128 / share) : 0;
}

/// whole: each row begins at a word. share: lanes side by side that take as many groups of the same four rows.
template <unsigned threads, bool whole, unsigned share>
__global__ void __launch_bounds__(threads, multiprocessor_threads / threads)
    bytes_tall(const std::uint8_t* in, std::uint8_t* out, const __grid_constant__ TallBytes p) {
  follow_previous_kernel();
  constexpr unsigned sector = 32, down = 32 / share, warps = threads / 32;
  auto* smem = shared_array<Vector16>();
  auto* memory = reinterpret_cast<char*>(smem);
  const std::size_t index = folded_y();
  if (index >= p.batch) return;
  const std::size_t matrix = index * p.rows * p.cols, n = p.batch * p.rows * p.cols;
  const auto start = static_cast<std::ptrdiff_t>(std::size_t{blockIdx.x} * p.length);

  const std::ptrdiff_t first =
      static_cast<std::ptrdiff_t>(matrix) + (start - static_cast<std::ptrdiff_t>(p.halo)) * p.cols;
  const unsigned past = past_line(in, first), height = p.length + p.halo;
  // To the last word of the last patch; where words are shifted, to the one behind it.
  const unsigned lines = (past + (height - 1) * p.cols + (p.cols + 3) / 4 * 4 + (whole ? 0 : 4) + 15) / 16;
  const std::ptrdiff_t origin = first - static_cast<std::ptrdiff_t>(past);
  const bool inside = origin >= 0 && origin + std::ptrdiff_t{lines} * 16 <= static_cast<std::ptrdiff_t>(n);
  stage_async(
      in, n, lines, inside, [&](unsigned j) { return origin + static_cast<std::ptrdiff_t>(j * 16); },
      [&](unsigned j) { return smem + j; });
  __syncthreads();

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // Row k + turn of a patch, modulo 4, is its word k: lanes that are rows of whole words apart meet other banks.
  const unsigned turn = whole ? lane / 8 : 0;
  unsigned at[4], shift[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned from = past + (k + turn) % 4 * p.cols;
    at[k] = from / 4 * 4;
    shift[k] = from % 4 * 8;
  }
  const auto place_of = [&](unsigned i, unsigned& group, unsigned& row) {
    const unsigned patch = warp + i * warps, chunk = p.groups == 1 ? patch : __umulhi(patch, p.per_group);
    group = (patch - chunk * p.groups) * share + lane % share;
    row = (chunk * down + lane / share) * 4;
  };
  unsigned patch[patch_turns][4];
#pragma unroll
  for (unsigned i = 0; i < patch_turns; ++i) {
    if (warp + i * warps >= p.patches) break;
    unsigned group, row;
    place_of(i, group, row);
    const char* words = memory + row * p.cols + group * 4;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const auto* word = reinterpret_cast<const unsigned*>(words + at[k]);
      patch[i][k] = whole ? word[0] : __funnelshift_r(word[0], word[1], shift[k]);
    }
    turn_patch(patch[i]);
  }
  __syncthreads();

  const unsigned begin = p.halo ? misalignment<sector>(out + matrix + start) : 0;
  const unsigned apart = p.halo ? static_cast<unsigned>(p.rows % sector) : 0;
#pragma unroll
  for (unsigned i = 0; i < patch_turns; ++i) {
    if (warp + i * warps >= p.patches) break;
    unsigned group, row;
    place_of(i, group, row);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const unsigned column = group * 4 + j, moved = (begin + column * apart) % sector;
      if (!whole && column >= p.cols) break;
      const unsigned to = (row + moved / 4 * 4) ^ exchange<share>(group);
      *reinterpret_cast<unsigned*>(memory + column * p.pitch + to) =
          __funnelshift_l(patch[i][j], patch[i][j], turn * 8);
    }
  }
  __syncthreads();

  const unsigned each = p.length / 16;
  for (unsigned i = threadIdx.x; i < each * p.cols; i += threads) {
    const unsigned column = __umulhi(i, p.per_column), line = i - column * each;
    const unsigned moved = (begin + column * apart) % sector, left = moved % 4, from = p.halo + line * 16;
    const char* words = memory + column * p.pitch;
    Vector16 v = *reinterpret_cast<const Vector16*>(words + (from ^ exchange<share>(column / 4)));
    if (left != 0) {
      const unsigned before = *reinterpret_cast<const unsigned*>(words + ((from - 4) ^ exchange<share>(column / 4)));
#pragma unroll
      for (unsigned k = 4; k-- > 0;)
        v.words[k] = __funnelshift_r(k ? v.words[k - 1] : before, v.words[k], 32 - left * 8);
    }
    store_line<true>(out + matrix + column * p.rows, p.rows,
                     start - static_cast<std::ptrdiff_t>(moved) + static_cast<std::ptrdiff_t>(line * 16), v);
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
