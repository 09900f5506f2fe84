// first-add: each thread adds two elements, a block apart, while it loads; so half as many blocks do the work.
// From sequential: the first level of the tree happens in registers on the way into shared memory.
// Cost removed: threads that did nothing but one load and then idled; and half of the barriers, shared memory
// traffic and partials of the whole run.
// Cost that remains: instructions. A level of the tree is a compare, a branch, a barrier and the loop around them,
// for one addition; the last six levels keep a single warp busy and still make every warp meet at the barrier.
// Limits: a block of 32 to 1024 threads, a power of two.
#include "passes.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void first_add(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* result,
                          std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * (2 * blockDim.x) + tid, j = i + blockDim.x;
  auto value = i < n ? M::load(in[i], i) : M::identity();
  if (j < n) value = M::combine(value, M::load(in[j], j));
  smem[tid] = value;
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

struct FirstAdd {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "first-add",
                                   .aliases = {"reduce4"},
                                   .order = 4,
                                   .summary = "two elements a thread, added while loading; half the blocks",
                                   .teaches = "idle threads put to work; what remains is instruction overhead",
                                   .ladder = true};

  static PassShape shape(const Launch& launch) {
    const unsigned block = launch.block ? launch.block : default_block;
    return {block, 2 * block};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties&) {
    return plan_passes(p, sizes, launch, shape(launch), 1 + std::log2(shape(launch).block));
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    const auto [block, tile] = shape(launch);
    run_passes<M>(in, out, workspace, p.n, tile,
                  [block = block, stream]<class P>(const auto* from, auto* partials, auto* result, auto n, auto total,
                                                   auto blocks) {
                    rung::launch(first_add<P>,
                                 {static_cast<unsigned>(blocks), block, block * sizeof(typename P::Accumulator)},
                                 stream, from, partials, result, n, total);
                  });
  }
};
[[maybe_unused]] const bool first_add_registered = add_reduce<FirstAdd>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
