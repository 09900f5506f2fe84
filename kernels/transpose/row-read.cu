// row-read: thread i takes element i of the input and works out where it goes: row i / cols, column i % cols.
// The bottom of the ladder: the loop of the CPU with its index spread over threads.
// Costs: the reads are coalesced, a warp's 32 elements lie side by side; the writes go down a column of the output,
// `rows` elements apart, so that one store instruction touches 32 sectors of 32 bytes to use an element of each.
// A division a thread besides: 32-bit where the size allows, several times cheaper than 64-bit.
// Limits: one matrix, of any size.
#include "tiles.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

template <class T, class Index>
__global__ void row_read(const T* in, T* out, Index rows, Index cols) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const Index row = i / cols, col = i % cols;
  out[col * rows + row] = in[i];
}

struct RowRead {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "row-read",
                                   .aliases = {"try0"},
                                   .order = 1,
                                   .summary = "1-D thread index; reads along rows, writes down columns",
                                   .teaches = "coalesced read, scattered write: 32 sectors a request",
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
      rung::launch(row_read<T, unsigned>, shape, stream, in, out, rows, cols);
    else
      rung::launch(row_read<T, std::size_t>, shape, stream, in, out, rows, cols);
  }
};
[[maybe_unused]] const bool row_read_registered = add_mover<RowRead>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
