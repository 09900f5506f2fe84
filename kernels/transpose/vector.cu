// vector: 16-byte accesses on all four sides: global read, shared write, shared read, global write.
// A thread loads four rows of one 16-byte line each, turns that patch in registers (byte permutes for 1- and 2-byte
// elements), and leaves each of its columns in shared memory as one access of up to 16 bytes. There the tile lies
// transposed, in lines, each row's lines permuted by an XOR with the row's patch: a swizzle instead of padding, so that
// both sides are free of conflicts and lines stay aligned. Blocks of 256 threads, tiles of 16 KiB.
// Rows whose length is not a multiple of 16 bytes start anywhere. Input lines are then joined out of two aligned ones
// by a funnel shift; and each output row's window is moved down to the 32-byte sector below, which a halo of one sector
// of extra rows in the tile pays for, so that stores stay whole and aligned: only a row's two ends are narrower.
// From tile-coarse: a quarter of the instructions, of 1-byte elements a sixteenth, and 64 bytes a thread under way.
// Cost that remains: a copy's, and for unaligned rows the halo: 1/8 of the tile read twice (1-byte elements: 1/4).
// Limits: none in size, batched too; matrices much smaller than a tile leave most of a block idle.
// One row or one column is a copy.
#include "lines.hpp"
#include "tiles.hpp"

#include <algorithm>
#include <utility>

namespace rung::transpose {
inline namespace RUNG_ABI {

/// The tile of elements of one size. rows count the halo.
template <class T>
struct Patches {
  static constexpr unsigned size = sizeof(T), threads = 256, line = per_line<T>;
  static constexpr unsigned rows = size <= 2 ? 128 : size <= 8 ? 64 : 32;
  static constexpr unsigned cols = size == 1 ? 128 : size <= 4 ? 64 : 32;
  static constexpr unsigned halo = size == 16 ? 0 : 32 / size;
  static constexpr unsigned pitch = rows / line;       ///< lines in a row of the transposed tile
  static constexpr unsigned across = cols / line / 8;  ///< warps side by side: a warp takes 8 × 4 patches
  static_assert(across * (rows / 16) * 32 == threads && rows % 8 == 0 && (rows - halo) % line == 0);

  /// Rows that one column of a patch brings together in an access, and that access.
  static constexpr unsigned joined = size < 4 ? 4 : line;
  struct alignas(joined* size) Part {
    unsigned words[joined * size / 4];
  };
  /// Where line g of the transposed row c lies. Patches side by side differ in the three low bits, the banks.
  static __device__ unsigned slot(unsigned c, unsigned g) { return (c * pitch + g) ^ (c / line % 8); }
};

/// Column k of the `joined` rows from v on.
template <class T>
__device__ inline auto column(const Vector16* v, unsigned k) {
  typename Patches<T>::Part part;
  if constexpr (sizeof(T) < 4) {
    const unsigned word = k * sizeof(T) / 4, at = k * sizeof(T) % 4;
    const unsigned pick = sizeof(T) == 1 ? at | (at + 4) << 4 : at ? 0x7632 : 0x5410;
    const unsigned low = __byte_perm(v[0].words[word], v[1].words[word], pick);
    const unsigned high = __byte_perm(v[2].words[word], v[3].words[word], pick);
    if constexpr (sizeof(T) == 1)
      part.words[0] = __byte_perm(low, high, 0x5410);
    else
      part = {{low, high}};
  } else {
    constexpr unsigned n = sizeof(T) / 4;
#pragma unroll
    for (unsigned i = 0; i < Patches<T>::joined; ++i)
#pragma unroll
      for (unsigned w = 0; w < n; ++w) part.words[i * n + w] = v[i].words[k * n + w];
  }
  return part;
}

/// Four lines of rows row … row + 3 from column `col` on. Rows outside of the matrix repeat its first or last one:
/// what they hold is never stored. `n` elements lie behind `in`, the matrix from `matrix` on.
template <class T, bool shifted>
__device__ inline void load_patch(Vector16 (&v)[4], const T* in, std::size_t n, std::size_t matrix, std::ptrdiff_t row,
                                  std::size_t col, std::size_t rows, std::size_t cols) {
  const std::ptrdiff_t top = 0, bottom = static_cast<std::ptrdiff_t>(rows) - 1;
  std::ptrdiff_t first[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::ptrdiff_t r = std::max(top, std::min(row + i, bottom));
    first[i] = static_cast<std::ptrdiff_t>(matrix + static_cast<std::size_t>(r) * cols + col);
  }
  if (!shifted || (cols % per_line<T> == 0 && misalignment<16>(in) == 0)) {
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = load_streaming(reinterpret_cast<const Vector16*>(in + first[i]));
  } else if (has_line(in, n, first[0]) && has_line(in, n, first[3])) {
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = load_line(in, first[i]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = gather_line(in, n, first[i]);
  }
}

/// Blocks: x counts tiles down the matrix, so that neighbours write neighbouring parts of the same output rows; y
/// counts tiles across, of one matrix after the other. shifted: for rows that are not made of whole, aligned lines.
template <class T, bool shifted>
__global__ void __launch_bounds__(Patches<T>::threads)
    vector(const T* in, T* out, std::size_t batch, std::size_t rows, std::size_t cols, std::size_t tiles_across) {
  follow_previous_kernel();
  using P = Patches<T>;
  constexpr unsigned halo = shifted ? P::halo : 0, step = P::rows - halo;
  auto* smem = shared_array<Vector16>();
  std::size_t tile = folded_y(), index = 0;
  if (tile >= tiles_across * batch) return;
  if (batch > 1) {
    index = tile / tiles_across;
    tile %= tiles_across;
  }
  const std::size_t matrix = index * rows * cols, left = tile * P::cols;
  const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(blockIdx.x) * step, top = start - halo;

  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned x = (warp % P::across * 8 + lane % 8) * P::line, y = (warp / P::across * 4 + lane / 8) * 4;
  Vector16 v[4]{};
  if (left + x < cols && top + y < static_cast<std::ptrdiff_t>(rows) && top + y + 4 > 0)
    load_patch<T, shifted>(v, in, batch * rows * cols, matrix, top + y, left + x, rows, cols);
#pragma unroll
  for (unsigned i = 0; i < 4; i += P::joined)
#pragma unroll
    for (unsigned k = 0; k < P::line; ++k) {
      const unsigned byte = (y + i) * P::size;
      unsigned* at = smem[P::slot(x + k, byte / 16)].words + byte % 16 / 4;
      *reinterpret_cast<typename P::Part*>(at) = column<T>(v + i, k);
    }
  __syncthreads();

#pragma unroll(shifted ? 1 : 4)
  for (unsigned k = 0; k < P::cols * P::pitch; k += P::threads) {
    const unsigned c = (k + threadIdx.x) / P::pitch, g = (k + threadIdx.x) % P::pitch;
    if (left + c >= cols) continue;
    T* row = out + matrix + (left + c) * rows;
    if constexpr (!shifted) {
      const std::size_t r = start + g * P::line;
      if (r < rows) store_cached(reinterpret_cast<Vector16*>(row + r), smem[P::slot(c, g)]);
    } else if (g < step / P::line) {
      const unsigned local = halo - misalignment<32>(row + start) / P::size + g * P::line;
      const unsigned first = local / P::line, past = local % P::line;
      const Vector16 low = smem[P::slot(c, first)], high = smem[P::slot(c, first + (past != 0))];
      store_line(row, rows, top + local, straddle<T>(low, high, past * P::size));
    }
  }
}

inline constexpr unsigned copy_block = 256;

/// One row or one column: a line of the output a thread.
template <class T>
__global__ void copy(const T* in, T* out, std::size_t n) {
  follow_previous_kernel();
  const std::size_t line = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto first =
      static_cast<std::ptrdiff_t>(line * per_line<T>) - misalignment<16>(out) / static_cast<int>(sizeof(T));
  if (first >= static_cast<std::ptrdiff_t>(n)) return;
  store_line(out, n, first, read_line(in, n, first));
}

struct Vector {
  static constexpr KernelInfo info{
      .family = Family::transpose,
      .name = "vector",
      .order = 7,
      .summary = "16-byte accesses on all sides, patches turned in registers, swizzled tile",
      .teaches = "a swizzle instead of padding; rows that start anywhere",
      .ladder = true};

  template <class T>
  static bool shifted(const Problem& p) {
    const auto [batch, rows, cols] = *p.transpose;
    return rows % per_line<T> != 0 || cols % per_line<T> != 0;
  }
  /// Tiles down, and tiles across of the whole batch.
  template <class T>
  static std::pair<std::size_t, std::size_t> tiles(const Problem& p, bool is_shifted) {
    using P = Patches<T>;
    const auto [batch, rows, cols] = *p.transpose;
    // The window of a row may lie all but one element of the halo below its tile.
    const std::size_t down = is_shifted ? ceil_div(rows + P::halo - 1, P::rows - P::halo) : ceil_div(rows, P::rows);
    return {down, ceil_div(cols, P::cols) * batch};
  }
  static bool is_copy(const Problem& p) { return p.transpose->rows <= 1 || p.transpose->cols <= 1; }
  template <class T>
  static Plan plan_of(const Problem& p) {
    if (is_copy(p)) return plan_grid(ceil_div(ceil_div(p.input_elements(), per_line<T>), copy_block), 1, copy_block);
    const auto [down, across] = tiles<T>(p, shifted<T>(p));
    return plan_grid(down, across, Patches<T>::threads);
  }
  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties&) {
    if (!p.transpose) return refuse("permutes more than two axes: window and strided do");
    if (launch.grid != 0) return refuse("--grid: the grid follows from the shape of the matrix");
    if (launch.block != 0) return refuse("--block: the tile needs 256 threads");
    if (launch.items != 0) return refuse("--items: a thread moves four vectors");
    return visit_size(size_of(p.dtype), [&]<class T>() { return plan_of<T>(p); });
  }

  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties&, Stream stream) {
    using P = Patches<T>;
    const auto [batch, rows, cols] = *p.transpose;
    const std::size_t n = batch * rows * cols;
    if (n == 0) return;
    if (is_copy(p)) {
      launch_overlapping(copy<T>, {fold(ceil_div(lines_of(out, n), copy_block), 1), dim3(copy_block)}, stream, in, out,
                         n);
      return;
    }
    const bool unaligned = (reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) % 16 != 0;
    const bool is_shifted = sizeof(T) < 16 && (unaligned || shifted<T>(p));
    const auto [down, across] = tiles<T>(p, is_shifted);
    const LaunchShape shape{fold(down, across), dim3(P::threads), P::cols * P::pitch * sizeof(Vector16)};
    const std::size_t tiles_across = ceil_div(cols, P::cols);
    if constexpr (sizeof(T) < 16)
      if (is_shifted) {
        launch_overlapping(vector<T, true>, shape, stream, in, out, batch, rows, cols, tiles_across);
        return;
      }
    launch_overlapping(vector<T, false>, shape, stream, in, out, batch, rows, cols, tiles_across);
  }
};
[[maybe_unused]] const bool vector_registered = add_mover<Vector>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
