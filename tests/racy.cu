// racy: the kernel shared of the reverse, without its barrier: what a race looks like (docs/explain.md). Built into a
// rung of its own, rung_racy, for the simulator alone.
// A thread stores what another loads. Threads of one warp may still get away with it; those of two do not wait for
// each other.
#include "../kernels/reverse/blocks.hpp"

namespace rung::reverse {
inline namespace RUNG_ABI {

template <class T>
__global__ void racy(const T* in, T* out, std::size_t n) {
  T* smem = shared_array<T>();
  const std::size_t start = static_cast<std::size_t>(blockIdx.x) * blockDim.x, left = n - start;
  const unsigned count = left < blockDim.x ? static_cast<unsigned>(left) : blockDim.x, tid = threadIdx.x;
  if (tid < count) smem[count - 1 - tid] = in[start + tid];
  // Here a barrier is missing.
  if (tid < count) out[left - count + tid] = smem[tid];
}

struct Racy {
  static constexpr KernelInfo info{.family = Family::reverse,
                                   .name = "racy",
                                   .order = 99,
                                   .summary = "shared without its barrier",
                                   .teaches = "what a race looks like"};

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    return plan_blocks(p, p.output_elements(), launch, device);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const std::size_t n = *p.reverse;
    if (n != 0) rung::launch(racy<T>, shape_of(n, launch, block_of(launch) * sizeof(T)), stream, in, out, n);
  }
};
[[maybe_unused]] const bool racy_registered = add_mover<Racy>();

}  // namespace RUNG_ABI
}  // namespace rung::reverse
