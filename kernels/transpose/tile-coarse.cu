// tile-coarse: the padded 32 × 32 tile, moved by 32 × 8 threads of four rows each.
// From tile-padded: a quarter of the threads with four times the work; index arithmetic is done once for four.
// Cost removed: the block of 1,024 threads. Four loads of a thread are under way at once, eight blocks fit on an SM
// instead of two, and a barrier holds up eight warps instead of 32.
// Cost that remains: accesses of one element. Four bytes a thread make 128-byte requests, and four times as many
// instructions as 16-byte accesses need; of 1-byte elements a row of the tile is a single sector.
// Limits: one matrix, of any size; --items 2, 4 or 8 rows a thread.
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

template <class T, unsigned items>
__global__ void tile_coarse(const T* in, T* out, std::size_t rows, std::size_t cols) {
  constexpr unsigned width = 32, pitch = width + 1, step = width / items;
  T* smem = shared_array<T>();
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const std::size_t top = folded_y() * width, left = static_cast<std::size_t>(blockIdx.x) * width;
#pragma unroll
  for (unsigned k = 0; k < width; k += step)
    if (top + y + k < rows && left + x < cols) smem[(y + k) * pitch + x] = in[(top + y + k) * cols + left + x];
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < width; k += step)
    if (left + y + k < cols && top + x < rows) out[(left + y + k) * rows + top + x] = smem[x * pitch + y + k];
}

struct TileCoarse {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "tile-coarse",
                                   .order = 6,
                                   .summary = "32x32 padded tile, 32x8 threads, four rows each",
                                   .teaches = "coarsening again: the block of 1,024 threads was the cost left",
                                   .ladder = true};

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties&) {
    if (auto why = ladder_refusal(p, launch); !why.empty()) return refuse(why);
    if (launch.block != 0) return refuse("--block: 32 threads by 32 / items");
    if (launch.items != 0 && launch.items != 2 && launch.items != 4 && launch.items != 8)
      return refuse("--items: 2, 4 or 8 rows a thread");
    return plan_grid(ceil_div(p.transpose->cols, 32), ceil_div(p.transpose->rows, 32),
                     1024 / (launch.items ? launch.items : 4));
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const auto [batch, rows, cols] = *p.transpose;
    if (rows * cols == 0) return;
    const LaunchShape shape{fold(ceil_div(cols, 32), ceil_div(rows, 32)),
                            dim3(32, 32 / (launch.items ? launch.items : 4)), 32 * 33 * sizeof(T)};
    if (launch.items == 2)
      rung::launch(tile_coarse<T, 2>, shape, stream, in, out, rows, cols);
    else if (launch.items == 8)
      rung::launch(tile_coarse<T, 8>, shape, stream, in, out, rows, cols);
    else
      rung::launch(tile_coarse<T, 4>, shape, stream, in, out, rows, cols);
  }
};
[[maybe_unused]] const bool tile_coarse_registered = add_mover<TileCoarse>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
