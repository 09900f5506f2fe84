// sequential: the same tree in shared memory, but the stride halves from blockDim/2, and thread t < stride adds
// element t + stride.
// From interleaved-strided: the threads at work stay neighbours *and* so do the elements they touch.
// Cost removed: bank conflicts. A warp reads 32 consecutive words at every level.
// Cost that remains: half of the threads idle from the first step, having done nothing but one load.
// Limits: a block of 32 to 1024 threads, a power of two.
#include "passes.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void sequential(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* result,
                           std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + tid;
  smem[tid] = i < n ? M::load(in[i], i) : M::identity();
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) smem[tid] = M::combine(smem[tid], smem[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) {
    if (gridDim.x == 1)
      *result = M::finish(smem[0], total);
    else
      partials[blockIdx.x] = smem[0];
  }
}

struct Sequential {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "sequential",
                                   .aliases = {"reduce3"},
                                   .order = 3,
                                   .summary = "tree in shared memory, stride halving from blockDim/2",
                                   .teaches = "conflict-free, but half the threads idle from the first step",
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
                    rung::launch(sequential<P>,
                                 {static_cast<unsigned>(blocks), block, block * sizeof(typename P::Accumulator)},
                                 stream, from, partials, result, n, total);
                  });
  }
};
[[maybe_unused]] const bool sequential_registered = add_reduce<Sequential>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
