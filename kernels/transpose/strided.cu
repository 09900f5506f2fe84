// strided: any permutation of any number of axes. A thread for each element of the output takes its index apart, last
// axis first, and gathers from the sum of index × stride. Axes arrive merged, so that few are left.
// Off the ladder: it is the kernel for what the others refuse.
// Where the last axis stays last, what moves is runs: it is then run in elements of up to 16 bytes.
// Costs: a division an axis, 32-bit where the size allows; the writes are coalesced, the reads only as far as the
// last axis has a small stride, so a moved last axis costs a sector an element, as in row-write.
// Limits: 16 axes after merging.
#include "gather.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

struct Strided {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "strided",
                                   .order = 20,
                                   .summary = "any permutation of axes, a thread for each element of the output",
                                   .teaches = "what generality costs: a division an axis, and scattered reads"};

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
}  // namespace rung::transpose
