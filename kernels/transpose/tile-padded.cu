// tile-padded: the same tile with a pitch one element wider than the tile.
// From tile: pitch 33 instead of 32. The block stays 32 × 32; a block of 33 × 33 would pass the limit of 1,024.
// Cost removed: the bank conflict. The elements of a column lie 33 words apart, so in 32 different banks. That holds
// for elements of 4 and 8 bytes; of 1- and 2-byte ones several share a word's bank, and about two passes remain.
// Cost that remains: a block of 1,024 threads for one load each. Two fit on an SM, and while one waits at its barrier
// half of the machine waits with it.
// Limits: one matrix, of any size; --block 64, 256 or 1024 makes tiles of 8, 16 or 32.
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

template <class T>
__global__ void tile_padded(const T* in, T* out, std::size_t rows, std::size_t cols, unsigned width) {
  T* smem = shared_array<T>();
  const unsigned x = threadIdx.x, y = threadIdx.y, pitch = width + 1;
  const std::size_t top = folded_y() * width, left = static_cast<std::size_t>(blockIdx.x) * width;
  if (top + y < rows && left + x < cols) smem[y * pitch + x] = in[(top + y) * cols + left + x];
  __syncthreads();
  if (left + y < cols && top + x < rows) out[(left + y) * rows + top + x] = smem[x * pitch + y];
}

struct TilePadded {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "tile-padded",
                                   .aliases = {"try4"},
                                   .order = 5,
                                   .summary = "the same tile at a pitch of 33 elements",
                                   .teaches = "padding removes the conflict",
                                   .ladder = true};

  static unsigned width(const Launch& launch) { return launch.block == 64 ? 8 : launch.block == 256 ? 16 : 32; }
  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties&) {
    if (auto why = ladder_refusal(p, launch); !why.empty()) return refuse(why);
    if (launch.items != 0) return refuse("--items: a thread moves one element");
    const unsigned w = width(launch);
    if (launch.block != 0 && launch.block != w * w) return refuse("--block: a square tile: 64, 256 or 1024 threads");
    return plan_grid(ceil_div(p.transpose->cols, w), ceil_div(p.transpose->rows, w), w * w);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const auto [batch, rows, cols] = *p.transpose;
    if (rows * cols == 0) return;
    const unsigned w = width(launch);
    rung::launch(tile_padded<T>, {fold(ceil_div(cols, w), ceil_div(rows, w)), dim3(w, w), w * (w + 1) * sizeof(T)},
                 stream, in, out, rows, cols, w);
  }
};
[[maybe_unused]] const bool tile_padded_registered = add_mover<TilePadded>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
