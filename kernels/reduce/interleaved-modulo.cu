// interleaved-modulo: one element a thread goes to shared memory; then the stride doubles, 1, 2, 4 …, and a thread
// whose number is a multiple of twice the stride adds the element one stride away. A barrier ends each level.
// The first rung: a tree over pairs of neighbours, as one would draw it on paper.
// Cost that remains: the threads at work are spread over all warps, so at every level each warp runs for the sake of
// a few of its lanes (divergence: 16 of 32 at the first, one from the sixth on), and % by a number that is known
// only at run time is a long sequence of instructions.
// Limits: a block of 32 to 1024 threads, a power of two.
#include "passes.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void interleaved_modulo(const typename M::Input* in, typename M::Accumulator* partials,
                                   typename M::Result* result, std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + tid;
  smem[tid] = i < n ? M::load(in[i], i) : M::identity();
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) smem[tid] = M::combine(smem[tid], smem[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) {
    if (gridDim.x == 1)
      *result = M::finish(smem[0], total);
    else
      partials[blockIdx.x] = smem[0];
  }
}

struct InterleavedModulo {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "interleaved-modulo",
                                   .aliases = {"reduce1"},
                                   .order = 1,
                                   .summary = "tree in shared memory over neighbours, threads chosen by modulo",
                                   .teaches = "warp divergence, and what a modulo costs",
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
                    rung::launch(interleaved_modulo<P>,
                                 {static_cast<unsigned>(blocks), block, block * sizeof(typename P::Accumulator)},
                                 stream, from, partials, result, n, total);
                  });
  }
};
[[maybe_unused]] const bool interleaved_modulo_registered = add_reduce<InterleavedModulo>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
