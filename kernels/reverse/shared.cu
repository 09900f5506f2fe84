// shared: a block loads its elements into shared memory in reverse, and stores them ascending where the mirror image
// of the block begins.
// From direct: a detour through shared memory and one barrier, so that loads and stores both ascend.
// Cost removed: the incoherent stores of the first CUDA chips: 8,128 coherent ones instead, 50.5 µs for 267.5.
// Cost that remains: on a chip that coalesces any order there was nothing to remove, and the detour and the barrier are
// pure loss. An optimisation is one for a chip, not for ever.
// The last block may be short: it mirrors its own count, so any n is served, not only multiples of the block.
// Limits: the whole array, of any size.
#include "blocks.hpp"

namespace rung::reverse {
inline namespace RUNG_ABI {

template <class T>
__global__ void shared(const T* in, T* out, std::size_t n) {
  T* smem = shared_array<T>();
  const std::size_t start = static_cast<std::size_t>(blockIdx.x) * blockDim.x, left = n - start;
  const unsigned count = left < blockDim.x ? static_cast<unsigned>(left) : blockDim.x, tid = threadIdx.x;
  if (tid < count) smem[count - 1 - tid] = in[start + tid];
  __syncthreads();
  if (tid < count) out[left - count + tid] = smem[tid];
}

struct Shared {
  static constexpr KernelInfo info{.family = Family::reverse,
                                   .name = "shared",
                                   .aliases = {"reverse2"},
                                   .order = 2,
                                   .summary = "reversed in shared memory, stored ascending at the mirrored block",
                                   .teaches = "the classic cure for descending stores, of no use on chips of today",
                                   .ladder = true};

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    return plan_blocks(p, p.output_elements(), launch, device);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const std::size_t n = *p.reverse;
    if (n != 0) rung::launch(shared<T>, shape_of(n, launch, block_of(launch) * sizeof(T)), stream, in, out, n);
  }
};
[[maybe_unused]] const bool shared_registered = add_mover<Shared>();

}  // namespace RUNG_ABI
}  // namespace rung::reverse
