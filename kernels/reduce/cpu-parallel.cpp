// cpu-parallel: all cores share the chunks of the array out, and each reads its chunk in vectors written by hand.
// From cpu-serial: threads, and for the common operations vectors that the compiler does not find: bytes are summed
// eight at a time (psadbw), narrow integers in 32-bit lanes, 16-bit floats are converted by the hardware, min and
// max keep NaN out of the comparison and look for it beside. Short rows are turned into columns, whose lanes are rows.
// Each loop asks for lines well before it reads them: converted elements hold up the loads that would.
// Cost removed: idle cores. One pass then runs at the speed of the memory.
// Cost that remains: that speed, which is a small part of a GPU's.
// Limits: none; every type, operation and axis. Products, and means of 64-bit integers, run the plain loop on
// all cores. The partial of each chunk lies in the workspace, and they are folded in order: the result does not
// depend on the number of threads.
#include "../machine/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/cpu-parallel.cpp"
#include <hwy/foreach_target.h>

#include "cpu_columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace rung::reduce::cpu {
namespace HWY_NAMESPACE {

const LoopTable& simd_table() {
  static const LoopTable table = [] {
    LoopTable loops{};
    for_each_monoid([&]<class M>(Op op, DType dtype, Acc acc) {
      Loops& entry = at(loops, op, dtype, acc);
      entry = plain_loops(op, dtype, acc);
#if HWY_TARGET != HWY_SCALAR
      if constexpr (has_vectors<M>) {
        entry.row = &row<M, Vectors<M>>;
        entry.rows = &turned_rows<M>;
        entry.columns = &columns<M, Vectors<M>>;
        entry.narrow = &narrow_columns<M, Vectors<M>>;
        entry.finish_row = &finish_row<M, Vectors<M>>;
      }
#endif
    });
    return loops;
  }();
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace rung::reduce::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rung::reduce::cpu {

HWY_EXPORT(simd_table);

const Loops& simd_loops(Op op, DType dtype, Acc acc) { return at(HWY_DYNAMIC_DISPATCH(simd_table)(), op, dtype, acc); }

namespace {

struct Parallel {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "cpu-parallel",
                                   .order = 91,
                                   .summary = "all cores, SIMD, one pass over the memory",
                                   .teaches = "what the host can do before a GPU is worth the trip",
                                   .ladder = true};

  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties& device) {
    return cpu::plan(p, sizes, launch, device.multiprocessors);
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch&, const DeviceProperties&, Stream) {
    cpu::run(p, sizes_of<M>, simd_loops(p.op, p.dtype, p.acc), true, in, out, workspace);
  }
};
[[maybe_unused]] const bool parallel_registered = add_reduce<Parallel>();

}  // namespace
}  // namespace rung::reduce::cpu
#endif
