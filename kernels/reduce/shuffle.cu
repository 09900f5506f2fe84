// shuffle: the grid walks the array as in grid-stride, but the grid is sized by the chip; then each warp adds up by
// __shfl_down_sync, lanes handing registers to each other, leaves one value in shared memory, and the first warp adds
// those in the same way.
// From coarse-atomic and grid-stride: the tree in shared memory. Five exchanges take the place of its last five
// levels, and one barrier that of all of them.
// Cost removed: shared memory traffic, barriers, and all atomics: the order is fixed, so are the bits of a float sum.
// Cost that remains: one load of one element at a time. A thread asks for 4 bytes and waits; there are too few bytes
// in flight, and too many instructions for each.
// Limits: whole warps, 32 to 1024 threads a block. Accumulators past 8 bytes are handed over word by word.
#include "passes.hpp"
#include "warp.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void shuffle(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* result,
                        std::size_t n, std::size_t total) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  auto value = M::identity();
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    value = M::combine(value, M::load(in[i], i));

  auto* slots = shared_array<typename M::Accumulator>();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned delta = 16; delta > 0; delta /= 2) value = M::combine(value, shuffle_down(value, delta));
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  if (warp != 0) return;
  value = lane < blockDim.x / 32 ? slots[lane] : M::identity();
  for (unsigned delta = 16; delta > 0; delta /= 2) value = M::combine(value, shuffle_down(value, delta));

  if (lane == 0) {
    if (gridDim.x == 1)
      *result = M::finish(value, total);
    else
      partials[blockIdx.x] = value;
  }
}

struct Shuffle {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "shuffle",
                                   .aliases = {"subgroup"},
                                   .order = 11,
                                   .summary = "grid-stride sum in registers, then shuffles; one shared slot a warp",
                                   .teaches = "warp-level exchange instead of shared memory and barriers",
                                   .ladder = true};

  /// As many blocks as are resident at once: 2048 threads a multiprocessor.
  static GridShape shape(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    const unsigned block = launch.block ? launch.block : 256;
    const std::size_t resident = device.multiprocessors * std::max(2048u / block, 1u);
    const std::size_t useful = block_count(p.n, block);
    return {block, static_cast<unsigned>(std::min<std::size_t>(launch.grid ? launch.grid : resident, useful))};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties& device) {
    const GridShape s = shape(p, launch, device);
    return plan_two_launches(p, sizes, launch, s, BlockRule::whole_warps, [&](std::size_t n, std::size_t blocks) {
      return static_cast<double>(ceil_div(n, blocks * s.block)) + block_chain;
    });
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties& device, Stream stream) {
    const auto [block, grid] = shape(p, launch, device);
    run_two_launches<M>(in, out, workspace, p.n, grid,
                        [block = block, stream]<class P>(const auto* from, auto* partials, auto* result, auto n,
                                                         auto total, unsigned blocks) {
                          rung::launch(shuffle<P>, {blocks, block, 32 * sizeof(typename P::Accumulator)}, stream, from,
                                       partials, result, n, total);
                        });
  }
};
[[maybe_unused]] const bool shuffle_registered = add_reduce<Shuffle>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
