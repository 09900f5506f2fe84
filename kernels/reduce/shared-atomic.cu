// shared-atomic: a block of 256 reduces its elements in a shared tree (128, 64 … 1) and does one atomic.
// From atomic: contention, divided by 256.
// Cost removed: the queue at the one address.
// Cost that remains: eight barriers for a single load a thread. Barriers are not free: each waits for the slowest
// warp, so a block keeps nothing in flight from its only load to its end, and the chip has 2^20 of these blocks to
// get through for 2^28 elements.
// Limits: a block of 32 to 1024 threads, a power of two; operations as for atomic. Float sums depend on the order in
// which blocks end.
#include "atomic.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void shared_atomic(const typename M::Input* in, typename AtomicCell<M>::Word* cell, std::size_t n) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + tid;
  smem[tid] = i < n ? M::load(in[i], i) : M::identity();
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) smem[tid] = M::combine(smem[tid], smem[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) AtomicCell<M>::combine(cell, smem[0]);
}

struct SharedAtomic {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "shared-atomic",
                                   .order = 9,
                                   .summary = "tree in shared memory, then one atomic a block",
                                   .teaches = "barriers are not free: one a level of the tree, for a single load",
                                   .ladder = true,
                                   .atomic_order = true};
  template <class M>
  static constexpr bool supports = AtomicCell<M>::supported;
  template <class M>
  static std::string unsupported() {
    return no_atomic<M>();
  }

  static unsigned block(const Launch& launch) { return launch.block ? launch.block : 256; }
  static Plan plan(const Problem& p, const ReduceSizes&, const Launch& launch, const DeviceProperties&) {
    if (auto reason = refusal(p, block(launch), BlockRule::power_of_two); !reason.empty()) return refuse(reason);
    if (launch.grid != 0) return refuse("--grid: the grid follows from the size of the array");
    if (launch.items != 0) return refuse("--items: a thread does one element");
    const std::size_t grid = block_count(p.n, block(launch));
    return plan_atomic(grid, block(launch), std::log2(block(launch)), static_cast<double>(grid));
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    run_atomic<M>(workspace, out, p.n, stream, [&](auto* cell) {
      const unsigned threads = block(launch), grid = static_cast<unsigned>(block_count(p.n, threads));
      rung::launch(shared_atomic<M>, {grid, threads, threads * sizeof(typename M::Accumulator)}, stream, in, cell, p.n);
    });
  }
};
[[maybe_unused]] const bool shared_atomic_registered = add_reduce<SharedAtomic>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
