// The tile of the window rung, and its launch, for any shape of tile.
#pragma once
#include "stage.hpp"
#include "tiles.hpp"
#include "turn.hpp"

#include <algorithm>

namespace rung::transpose {
inline namespace RUNG_ABI {

/// Planes to transpose, by value: in[r, c] at r · row_stride + c, out[c, r] at c · col_stride + r, elements. The axes
/// around them number the planes.
struct Planes {
  static constexpr unsigned max_axes = 14;
  std::size_t n = 0;  ///< elements in the whole array
  std::size_t rows = 0, cols = 0;
  std::ptrdiff_t row_stride = 0, col_stride = 0;
  std::size_t planes = 1;
  std::size_t across = 0;  ///< tiles side by side in a plane
  unsigned turn = 0;       ///< see best_turn
  unsigned axes = 0;
  std::size_t extent[max_axes]{};
  std::ptrdiff_t in_stride[max_axes]{}, out_stride[max_axes]{};
};

/// across: bytes of a row of the input that a tile takes; down: bytes of a row of the output that it makes; edge: bytes
/// that windows of the output are aligned to, where rows start anywhere; 0 where all of them start at whole lines.
template <class T, unsigned across, unsigned down, unsigned edge>
struct Window {
  static constexpr unsigned size = sizeof(T), line = per_line<T>, threads = 256;
  static constexpr unsigned cols = across / size, rows = down / size, lanes = across / 16;
  static constexpr bool shifted = edge > 16 || (edge == 16 && size < 16), spill = shifted && line > 1;
  static constexpr unsigned halo = shifted ? edge / size - 1 : 0, loaded = rows + halo;
  /// Lines from one row to the next: one more than it has where it starts within a line. With a line of padding for
  /// each `line` rows, elements `line` rows apart lie an odd number of lines apart: eight in eight groups of banks.
  static constexpr unsigned pitch = line > 1 ? lanes + spill : lanes | 1, pad = line > 1;
  static constexpr unsigned step = (line * pitch + pad) * 8 * 16;  ///< bytes from a row to the one 8 lines below
  static constexpr unsigned lines = loaded * pitch + (loaded / line + 1) * pad;
  static constexpr unsigned per_pass = threads / lanes;
  /// Blocks that a multiprocessor's shared memory and registers have room for; bytes are gathered with more registers.
  static constexpr unsigned resident = std::min(size <= 2 ? 5u : 6u, 227u * 1024 / (lines * 16 + 1024));
  static_assert(cols % 32 == 0 && down % 128 == 0 && per_pass % line == 0 && rows % line == 0);
  static __device__ unsigned slot(unsigned r) { return r * pitch + r / line * pad; }
};

/// The rows of a tile to shared memory; its row 0 is row `top` of the plane and starts at in[from]. Zeros for rows
/// outside of the plane.
template <class T, class W>
__device__ inline void stage_rows(Vector16* smem, const T* in, const Planes& p, std::ptrdiff_t from, std::size_t left,
                                  std::ptrdiff_t top) {
  const unsigned q = threadIdx.x % W::lanes, r0 = threadIdx.x / W::lanes;
  std::ptrdiff_t first = from + r0 * p.row_stride;
  const unsigned past = W::spill ? past_line(in, first) : 0;
  first += static_cast<std::ptrdiff_t>(q * W::line) - past;
  Vector16* to = smem + W::slot(r0) + q;
  if (left + q * W::line < p.cols + past)
#pragma unroll 4
    for (unsigned r = r0; r < W::loaded; r += W::per_pass) {
      if (static_cast<std::size_t>(top + r) < p.rows)
        stage(to, in, p.n, first);
      else
        *to = Vector16{};
      first += W::per_pass * p.row_stride;
      to += W::slot(W::per_pass);
    }
  if constexpr (W::spill)
    for (unsigned r = threadIdx.x; r < W::loaded; r += W::threads) {
      first = from + r * p.row_stride;
      const unsigned before = past_line(in, first);
      if (before == 0 || left + W::cols >= p.cols + before) continue;
      if (static_cast<std::size_t>(top + r) < p.rows)
        stage(smem + W::slot(r) + W::lanes, in, p.n, first + W::cols - before);
      else
        smem[W::slot(r) + W::lanes] = Vector16{};
    }
}

/// Blocks: x counts tiles down, so that neighbours write neighbouring parts of the same output rows; y counts
/// tiles across, of one plane after the other.
template <class T, unsigned across, unsigned down, unsigned edge>
__global__ void __launch_bounds__(256, Window<T, across, down, edge>::resident)
    window(const T* in, T* out, const __grid_constant__ Planes p) {
  using W = Window<T, across, down, edge>;
  auto* smem = shared_array<Vector16>();
  std::size_t tile = folded_y();
  if (tile >= p.across * p.planes) return;
  std::ptrdiff_t from = 0, to = 0;
  if (p.axes > 0) {
    std::size_t plane = tile / p.across;
    tile %= p.across;
    for (unsigned k = p.axes; k-- > 0; plane /= p.extent[k]) {
      const auto i = static_cast<std::ptrdiff_t>(plane % p.extent[k]);
      from += i * p.in_stride[k];
      to += i * p.out_stride[k];
    }
  }
  const std::size_t left = tile * W::cols;
  const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(blockIdx.x) * W::rows;
  from += (start - W::halo) * p.row_stride + static_cast<std::ptrdiff_t>(left);
  stage_rows<T, W>(smem, in, p, from, left, start - W::halo);

  // Eight lanes take 128 bytes of an output row, four neighbouring rows a warp.
  const unsigned v = threadIdx.x % 8, c0 = threadIdx.x / 8;
  const unsigned turn = W::shifted ? c0 % 4 * p.turn % (W::size == 8 ? 2 : 4) : 0;
  to += static_cast<std::ptrdiff_t>(left + c0) * p.col_stride;
  const unsigned shift = W::shifted ? misalignment<(edge ? edge : 16)>(out + to + start) / W::size : 0;
  const unsigned past = W::spill ? past_line(in, from) : 0, skew = static_cast<unsigned>(p.row_stride);
  unsigned at[W::line];
#pragma unroll
  for (unsigned k = 0; k < W::line; ++k) {
    const unsigned kk = (k + turn * (W::size < 4 ? 4 / W::size : 1)) % W::line, r = W::halo - shift + v * W::line + kk;
    at[k] = W::slot(r) * 16 + (c0 + (W::spill ? (past + r * skew) % W::line : 0)) * W::size;
  }
  wait_for_copies();
  __syncthreads();
#pragma unroll
  for (unsigned c = 0; c < W::cols; c += 32) {
    if (left + c0 + c >= p.cols) break;
    T* row = out + to + c * p.col_stride;
#pragma unroll
    for (unsigned u = 0; u < W::rows / W::line / 8; ++u) {
      Vector16 value = assemble<T>(smem, at, c * W::size + u * W::step);
      if (W::shifted && W::size < 16) value = turned(value, W::size == 8 ? 2 * turn : turn);
      store_line(row, p.rows, start - static_cast<std::ptrdiff_t>(shift) + (v + 8 * u) * W::line, value);
    }
  }
}

template <class T, unsigned across, unsigned down, unsigned edge>
void launch_window(const T* in, T* out, Planes p, Stream stream) {
  using W = Window<T, across, down, edge>;
  p.across = ceil_div(p.cols, W::cols);
  p.turn = W::shifted ? best_turn<T>(p.row_stride, p.col_stride) : 0;
  const LaunchShape shape{fold(ceil_div(p.rows + W::halo, W::rows), p.across * p.planes), dim3(W::threads),
                          W::lines * sizeof(Vector16)};
  launch(window<T, across, down, edge>, shape, stream, in, out, p);
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
