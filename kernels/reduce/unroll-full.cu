// unroll-full: the block size is a template parameter, so every level of the tree is decided by the compiler.
// From unroll-warp: the levels above stride 32 too. Each is there or not by `if` on a constant; what is left is
// straight code: compare, add, barrier.
// Cost removed: the loop and its counter, and address arithmetic, which becomes offsets in the instructions.
// Cost that remains: two elements a thread are little work for a block that must be launched, meet at its barriers
// and write a partial; and one launch a pass.
// Limits: a block of 32 to 1024 threads, a power of two: one kernel is compiled for each of the six.
#include "passes.hpp"
#include "tree.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M, unsigned block>
__global__ void __launch_bounds__(block) unroll_full(const typename M::Input* in, typename M::Accumulator* partials,
                                                     typename M::Result* result, std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * (2 * block) + tid, j = i + block;
  auto value = i < n ? M::load(in[i], i) : M::identity();
  if (j < n) value = M::combine(value, M::load(in[j], j));
  smem[tid] = value;
  value = reduce_tree<M>(smem, tid, block);
  if (tid == 0) {
    if (gridDim.x == 1)
      *result = M::finish(value, total);
    else
      partials[blockIdx.x] = value;
  }
}

/// The kernel for a block size that refusal() let pass.
template <class M>
auto unroll_full_for(unsigned block) {
  switch (block) {
    case 32:
      return unroll_full<M, 32>;
    case 64:
      return unroll_full<M, 64>;
    case 128:
      return unroll_full<M, 128>;
    case 256:
      return unroll_full<M, 256>;
    case 512:
      return unroll_full<M, 512>;
    default:
      return unroll_full<M, 1024>;
  }
}

struct UnrollFull {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "unroll-full",
                                   .aliases = {"reduce6"},
                                   .order = 6,
                                   .summary = "block size as a template parameter, the whole tree unrolled",
                                   .teaches = "compile-time specialisation",
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
                    rung::launch(unroll_full_for<P>(block),
                                 {static_cast<unsigned>(blocks), block, block * sizeof(typename P::Accumulator)},
                                 stream, from, partials, result, n, total);
                  });
  }
};
[[maybe_unused]] const bool unroll_full_registered = add_reduce<UnrollFull>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
