// row-write: thread i makes element i of the output: column i / rows of the input, row i % rows.
// From row-read: the mirror image. The reads go down columns, the writes lie side by side.
// Cost removed: stores of one element a sector, each of which goes to L2 by itself.
// Cost that remains: a load touches 32 sectors, but the rest of each sector waits in L1 for the threads that want it
// next: caches forgive reads more than writes. Nothing of that helps once a column of sectors outgrows the cache.
// Limits: one matrix, of any size.
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

template <class T, class Index>
__global__ void row_write(const T* in, T* out, Index rows, Index cols) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const Index col = i / rows, row = i % rows;
  out[i] = in[row * cols + col];
}

struct RowWrite {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "row-write",
                                   .aliases = {"try1"},
                                   .order = 2,
                                   .summary = "1-D thread index; reads down columns, writes along rows",
                                   .teaches = "the mirror image; the cache forgives reads more than writes",
                                   .ladder = true};

  static unsigned block(const Launch& launch) { return launch.block ? launch.block : 256; }
  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    if (auto why = ladder_refusal(p, launch); !why.empty()) return refuse(why);
    if (launch.items != 0) return refuse("--items: a thread moves one element");
    if (block(launch) > device.max_threads_per_block) return refuse("--block: more threads than a block can have");
    return plan_grid(ceil_div(p.transpose->rows * p.transpose->cols, block(launch)), 1, block(launch));
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const auto [batch, rows, cols] = *p.transpose;
    const std::size_t n = rows * cols;
    if (n == 0) return;
    const LaunchShape shape{fold(ceil_div(n, block(launch)), 1), dim3(block(launch))};
    // 2^31 leaves room for the threads past the end: their index must not wrap.
    if (n <= std::size_t{1} << 31)
      rung::launch(row_write<T, unsigned>, shape, stream, in, out, rows, cols);
    else
      rung::launch(row_write<T, std::size_t>, shape, stream, in, out, rows, cols);
  }
};
[[maybe_unused]] const bool row_write_registered = add_mover<RowWrite>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
