// tile: a block copies a 32 × 32 tile into shared memory along its rows, and writes it out along its columns, which
// are rows of the output. Corner turning: the walk down a column happens in shared memory.
// From block2d: a detour through shared memory, one barrier, and blocks of 1,024 threads.
// Cost removed: partly used sectors. Both global sides move whole rows of 32 elements.
// Cost that remains: the column read. The width is a run-time argument, so the pitch is the width: with 32 words the
// elements of a column all lie in one bank, and the read runs 32 times over.
// Limits: one matrix, of any size; --block 64, 256 or 1024 makes tiles of 8, 16 or 32.
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

template <class T>
__global__ void tile(const T* in, T* out, std::size_t rows, std::size_t cols, unsigned width) {
  T* smem = shared_array<T>();
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const std::size_t top = folded_y() * width, left = static_cast<std::size_t>(blockIdx.x) * width;
  if (top + y < rows && left + x < cols) smem[y * width + x] = in[(top + y) * cols + left + x];
  __syncthreads();
  if (left + y < cols && top + x < rows) out[(left + y) * rows + top + x] = smem[x * width + y];
}

struct TileRung {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "tile",
                                   .aliases = {"try3"},
                                   .order = 4,
                                   .summary = "32x32 tile in shared memory, both global sides coalesced",
                                   .teaches = "32-way bank conflict on the column read",
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
    rung::launch(tile<T>, {fold(ceil_div(cols, w), ceil_div(rows, w)), dim3(w, w), w * w * sizeof(T)}, stream, in, out,
                 rows, cols, w);
  }
};
[[maybe_unused]] const bool tile_registered = add_mover<TileRung>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
