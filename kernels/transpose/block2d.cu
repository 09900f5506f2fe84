// block2d: two-dimensional blocks of 8 × 8 threads, each moving the element at its own place.
// From row-write: no division, and a warp covers 4 rows × 8 columns instead of one row of 32.
// Cost removed: the 32 sectors a request on either side. Of four-byte elements a load touches 4 whole sectors and a
// store 8 half ones.
// Cost that remains: neither side moves whole lines, the store not even whole sectors; blocks of two warps are so
// small that their number limits how many threads an SM holds (32 blocks × 64 = the 2,048 it could).
// Limits: one matrix, of any size; the block is fixed.
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

template <class T>
__global__ void block2d(const T* in, T* out, std::size_t rows, std::size_t cols) {
  const std::size_t col = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t row = folded_y() * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

struct Block2d {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "block2d",
                                   .aliases = {"try2"},
                                   .order = 3,
                                   .summary = "2-D blocks of 8x8 threads, global to global",
                                   .teaches = "a warp covers 4x8: both sides partly coalesced",
                                   .ladder = true};
  static constexpr unsigned width = 8;

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties&) {
    if (auto why = ladder_refusal(p, launch); !why.empty()) return refuse(why);
    if (launch.items != 0) return refuse("--items: a thread moves one element");
    if (launch.block != 0) return refuse("--block: the block is 8x8 threads");
    return plan_grid(ceil_div(p.transpose->cols, width), ceil_div(p.transpose->rows, width), width * width);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties&, Stream stream) {
    const auto [batch, rows, cols] = *p.transpose;
    if (rows * cols == 0) return;
    rung::launch(block2d<T>, {fold(ceil_div(cols, width), ceil_div(rows, width)), dim3(width, width)}, stream, in, out,
                 rows, cols);
  }
};
[[maybe_unused]] const bool block2d_registered = add_mover<Block2d>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
