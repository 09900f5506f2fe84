// grid-stride: a fixed grid, 128 blocks unless told otherwise. Each thread walks the array, two block-widths at a time
// and the width of the grid apart, adding in a register; then comes the unrolled tree, and a second launch of one
// block adds the partials.
// From unroll-full: work a thread. Block and tree are paid once for thousands of elements, and there are two launches
// whatever the size.
// Cost removed: launches, barriers and partials in proportion to the array.
// Cost that remains: the grid. 128 blocks filled the chips that this number comes from; one with 132 multiprocessors
// has four of them idle and a quarter of its threads in use, too few loads in flight to cover the latency of memory,
// and this rung is slower than the one below. Sweep --grid.
// Limits: a block of 32 to 1024 threads, a power of two.
#include "passes.hpp"
#include "tree.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void grid_stride(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* result,
                            std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t width = 2 * static_cast<std::size_t>(blockDim.x), step = width * gridDim.x;
  auto value = M::identity();
  for (std::size_t i = blockIdx.x * width + tid; i < n; i += step) {
    value = M::combine(value, M::load(in[i], i));
    const std::size_t j = i + blockDim.x;
    if (j < n) value = M::combine(value, M::load(in[j], j));
  }
  smem[tid] = value;
  value = reduce_tree<M>(smem, tid, blockDim.x);
  if (tid == 0) {
    if (gridDim.x == 1)
      *result = M::finish(value, total);
    else
      partials[blockIdx.x] = value;
  }
}

struct GridStride {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "grid-stride",
                                   .aliases = {"reduce7"},
                                   .order = 7,
                                   .summary = "a fixed grid walks the array, then the unrolled tree; two launches",
                                   .teaches = "more work a thread; and that a fixed 128 blocks starve a large chip",
                                   .ladder = true};

  static GridShape shape(const Problem& p, const Launch& launch) {
    const unsigned block = launch.block ? launch.block : default_block;
    const std::size_t useful = block_count(p.n, 2 * std::size_t{block});
    return {block, static_cast<unsigned>(std::min<std::size_t>(launch.grid ? launch.grid : 128, useful))};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties&) {
    const GridShape s = shape(p, launch);
    return plan_two_launches(p, sizes, launch, s, BlockRule::power_of_two, [&](std::size_t n, std::size_t blocks) {
      return 2 * static_cast<double>(ceil_div(n, 2 * blocks * s.block)) + std::log2(s.block);
    });
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    const auto [block, grid] = shape(p, launch);
    run_two_launches<M>(in, out, workspace, p.n, grid,
                        [block = block, stream]<class P>(const auto* from, auto* partials, auto* result, auto n,
                                                         auto total, unsigned blocks) {
                          rung::launch(grid_stride<P>, {blocks, block, block * sizeof(typename P::Accumulator)}, stream,
                                       from, partials, result, n, total);
                        });
  }
};
[[maybe_unused]] const bool grid_stride_registered = add_reduce<GridStride>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
