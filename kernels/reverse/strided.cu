// strided: flips along any of the axes. A thread for each element of the output takes its index apart and gathers with
// negative strides along the flipped axes, from the last element along them.
// Off the ladder: it is the kernel for what the others refuse.
// Where the last axis is not flipped, what moves is runs: it is then run in elements of up to 16 bytes. Where it is,
// both sides are coalesced all the same, as in direct.
// Costs: a division an axis, 32-bit where the size allows, and accesses of one element when the last axis is flipped.
// Limits: 16 axes after merging.
#include "../transpose/gather.hpp"

namespace rung::reverse {
inline namespace RUNG_ABI {

struct Strided {
  static constexpr KernelInfo info{.family = Family::reverse,
                                   .name = "strided",
                                   .order = 20,
                                   .summary = "flips any axes, a thread for each element of the output",
                                   .teaches = "a flip is a negative stride; unflipped runs move 16 bytes a thread"};

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    return plan_gather(p, launch, device);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    run_gather(in, out, p, launch, stream);
  }
};
[[maybe_unused]] const bool strided_registered = add_mover<Strided>();

}  // namespace RUNG_ABI
}  // namespace rung::reverse
