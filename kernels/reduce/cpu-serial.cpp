// cpu-serial: one core runs the plain loop; the compiler makes vectors of it.
// The loop has as many accumulators as fill 256 bytes: one alone would wait for its own last addition, four cycles
// an element, and a compiler may not split a float sum by itself.
// Cost that remains: the other cores idle, and one core cannot keep enough loads under way to use all of the memory's
// bandwidth.
// Limits: none; every type, operation and axis. The loops are in cpu_plain-inl.hpp.
#include "cpu_loops.hpp"

namespace rung::reduce::cpu {

const Loops& plain_loops(Op op, DType dtype, Acc acc) {
  switch (op) {
    case Op::sum:
    case Op::mean:
      return at(plain_sum_loops(), op, dtype, acc);
    case Op::prod:
      return at(plain_prod_loops(), op, dtype, acc);
    case Op::min:
    case Op::max:
      return at(plain_order_loops(), op, dtype, acc);
    case Op::argmin:
    case Op::argmax:
      break;
  }
  return at(plain_place_loops(), op, dtype, acc);
}

namespace {

struct Serial {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "cpu-serial",
                                   .order = 90,
                                   .summary = "one core, plain loop, vectorised by the compiler",
                                   .teaches = "the baseline that every GPU figure is compared with",
                                   .ladder = true};

  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties&) {
    return cpu::plan(p, sizes, launch, 1);
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch&, const DeviceProperties&, Stream) {
    cpu::run(p, sizes_of<M>, plain_loops(p.op, p.dtype, p.acc), false, in, out, workspace);
  }
};
[[maybe_unused]] const bool serial_registered = add_reduce<Serial>();

}  // namespace
}  // namespace rung::reduce::cpu
