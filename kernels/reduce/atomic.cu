// atomic: every element is one atomic on one address. No tree, no partials, nothing shared.
// From the classic ladder: nothing; this is the other naive version, the one a CPU programmer writes first.
// What it teaches: contention. All atomics on an address are carried out one behind the other where the address
// lives, in one slice of the level 2 cache. On some chips that is a hundredfold; where the compiler first adds up the
// integers of a warp, as it does for one address known to be the same for all lanes, it is nearly free. Floats it
// must not reorder, so compare i32 with f32 here.
// Cost that remains: all of it. And the order of a float sum is whatever the run makes it.
// Limits: sum, mean, min, max, prod with an accumulator that an atomic or a compare-and-swap loop serves (atomic.hpp).
#include "atomic.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void atomic(const typename M::Input* in, typename AtomicCell<M>::Word* cell, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) AtomicCell<M>::combine(cell, M::load(in[i], i));
}

struct Atomic {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "atomic",
                                   .order = 8,
                                   .summary = "every element does one atomic on one address",
                                   .teaches = "what contention costs: hundredfold on some chips, nearly free on others",
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
    if (auto reason = refusal(p, block(launch), BlockRule::whole_warps); !reason.empty()) return refuse(reason);
    if (launch.grid != 0) return refuse("--grid: the grid follows from the size of the array");
    if (launch.items != 0) return refuse("--items: a thread does one element");
    return plan_atomic(block_count(p.n, block(launch)), block(launch), 0, static_cast<double>(p.n));
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    run_atomic<M>(workspace, out, p.n, stream, [&](auto* cell) {
      const unsigned threads = block(launch), grid = static_cast<unsigned>(block_count(p.n, threads));
      rung::launch(atomic<M>, {grid, threads}, stream, in, cell, p.n);
    });
  }
};
[[maybe_unused]] const bool atomic_registered = add_reduce<Atomic>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
