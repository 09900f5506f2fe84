// direct: thread i moves element i to place n - 1 - i, straight from global to global memory.
// The bottom of the ladder: neighbouring threads read neighbouring elements in ascending order, and write them in
// descending order.
// Costs: on the first CUDA chips a warp's stores had to ascend to be coalesced, and each of these went alone (62,464
// incoherent stores, counted on one multiprocessor, for 256 K ints; 267.5 µs). Chips since Fermi gather the sectors of
// a warp whatever their order, so the same stores are whole lines.
// What remains today: an access an element, where 16 bytes could move.
// Limits: the whole array, of any size.
#include "blocks.hpp"

namespace rung::reverse {
inline namespace RUNG_ABI {

template <class T>
__global__ void direct(const T* in, T* out, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

struct Direct {
  static constexpr KernelInfo info{.family = Family::reverse,
                                   .name = "direct",
                                   .aliases = {"reverse1"},
                                   .order = 1,
                                   .summary = "element i goes to n-1-i, global to global",
                                   .teaches = "descending stores: uncoalesced once, coalesced by the chips of today",
                                   .ladder = true};

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    return plan_blocks(p, p.output_elements(), launch, device);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const std::size_t n = *p.reverse;
    if (n != 0) rung::launch(direct<T>, shape_of(n, launch), stream, in, out, n);
  }
};
[[maybe_unused]] const bool direct_registered = add_mover<Direct>();

}  // namespace RUNG_ABI
}  // namespace rung::reverse
