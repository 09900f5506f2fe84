// interleaved-strided: the same tree over neighbours, but thread t works at element 2·stride·t, as long as that lies
// inside the block.
// From interleaved-modulo: which thread adds which pair. Threads 0, 1, 2 … work, so whole warps drop out level by
// level instead of lanes, and the modulo is a multiplication.
// Cost removed: divergence, but in the last warp.
// Cost that remains: neighbouring threads touch elements 2, 4, 8 … words apart, which lie in the same banks of shared
// memory: a warp's access is served in 2, 4, 8 … turns.
// Limits: a block of 32 to 1024 threads, a power of two.
#include "passes.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void interleaved_strided(const typename M::Input* in, typename M::Accumulator* partials,
                                    typename M::Result* result, std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + tid;
  smem[tid] = i < n ? M::load(in[i], i) : M::identity();
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned at = 2 * stride * tid;
    if (at < blockDim.x) smem[at] = M::combine(smem[at], smem[at + stride]);
    __syncthreads();
  }
  if (tid == 0) {
    if (gridDim.x == 1)
      *result = M::finish(smem[0], total);
    else
      partials[blockIdx.x] = smem[0];
  }
}

struct InterleavedStrided {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "interleaved-strided",
                                   .aliases = {"reduce2"},
                                   .order = 2,
                                   .summary = "the same tree, thread t at element 2 * stride * t",
                                   .teaches = "divergence gone, bank conflicts come",
                                   .ladder = true};

  static PassShape shape(const Launch& launch) {
    const unsigned block = launch.block ? launch.block : default_block;
    return {block, block};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties&) {
    return plan_passes(p, sizes, launch, shape(launch), std::log2(shape(launch).block));
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    const auto [block, tile] = shape(launch);
    run_passes<M>(in, out, workspace, p.n, tile,
                  [block = block, stream]<class P>(const auto* from, auto* partials, auto* result, auto n, auto total,
                                                   auto blocks) {
                    rung::launch(interleaved_strided<P>,
                                 {static_cast<unsigned>(blocks), block, block * sizeof(typename P::Accumulator)},
                                 stream, from, partials, result, n, total);
                  });
  }
};
[[maybe_unused]] const bool interleaved_strided_registered = add_reduce<InterleavedStrided>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
