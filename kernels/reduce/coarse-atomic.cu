// coarse-atomic: each thread first adds its share of the array in a register, 64 elements the width of the grid
// apart; then the tree, then one atomic a block.
// From shared-atomic: work a thread (coarsening), the one advice that holds on most hardware.
// Cost removed: 63 of 64 trees, with their barriers, and atomics; and the loads of a thread follow each other without
// a barrier between, so that memory is never waited for by all at once.
// Cost that remains: one load of one element at a time, and a tree in shared memory at the end of each block.
// Limits: a block of 32 to 1024 threads, a power of two; --items sets the elements a thread, or --grid the blocks;
// operations as for atomic. Float sums depend on the order in which blocks end.
#include "atomic.hpp"
#include "tree.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void coarse_atomic(const typename M::Input* in, typename AtomicCell<M>::Word* cell, std::size_t n) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  auto value = M::identity();
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + tid; i < n; i += step)
    value = M::combine(value, M::load(in[i], i));
  smem[tid] = value;
  value = reduce_tree<M>(smem, tid, blockDim.x);
  if (tid == 0) AtomicCell<M>::combine(cell, value);
}

struct CoarseAtomic {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "coarse-atomic",
                                   .order = 10,
                                   .summary = "grid-stride sum in a register, then the tree, one atomic a block",
                                   .teaches = "thread coarsening, the one advice that holds on most hardware",
                                   .ladder = true,
                                   .atomic_order = true};
  template <class M>
  static constexpr bool supports = AtomicCell<M>::supported;
  template <class M>
  static std::string unsupported() {
    return no_atomic<M>();
  }

  static GridShape shape(const Problem& p, const Launch& launch) {
    const unsigned block = launch.block ? launch.block : 256;
    const std::size_t useful = block_count(p.n, block);
    const std::size_t coarse = block_count(p.n, std::size_t{block} * (launch.items ? launch.items : 64));
    const std::size_t grid = launch.grid ? std::min<std::size_t>(launch.grid, useful) : coarse;
    return {block, static_cast<unsigned>(std::min(grid, max_blocks))};
  }
  static Plan plan(const Problem& p, const ReduceSizes&, const Launch& launch, const DeviceProperties&) {
    const auto [block, grid] = shape(p, launch);
    if (auto reason = refusal(p, block, BlockRule::power_of_two); !reason.empty()) return refuse(reason);
    if (launch.grid != 0 && launch.items != 0) return refuse("--grid and --items: one follows from the other");
    const std::size_t each = ceil_div(p.n, std::size_t{grid} * block);
    return plan_atomic(grid, block, static_cast<double>(each) + std::log2(block), grid);
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    run_atomic<M>(workspace, out, p.n, stream, [&](auto* cell) {
      const auto [block, grid] = shape(p, launch);
      rung::launch(coarse_atomic<M>, {grid, block, block * sizeof(typename M::Accumulator)}, stream, in, cell, p.n);
    });
  }
};
[[maybe_unused]] const bool coarse_atomic_registered = add_reduce<CoarseAtomic>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
