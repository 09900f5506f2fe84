// unroll-warp: the tree stops at stride 32; the first warp finishes alone, without block barriers.
// From first-add: the last six levels. Only one warp has work there, so there is nobody else to wait for.
// Cost removed: six barriers of the whole block, and the loop around them.
// Why not the classic form: it let the lanes of the last warp read and write shared memory through a `volatile`
// pointer with no synchronisation, trusting that they run in step. Since Volta each lane has its own program counter
// and that is a race. A level here is: write, __syncwarp, read, __syncwarp. Without the first, a lane may read what
// its neighbour has yet to write; without the second, write what its neighbour has yet to read.
// Cost that remains: the loop of the levels before, whose length is known only at run time.
// Limits: a block of 32 to 1024 threads, a power of two.
#include "passes.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void unroll_warp(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* result,
                            std::size_t n, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * (2 * blockDim.x) + tid, j = i + blockDim.x;
  auto value = i < n ? M::load(in[i], i) : M::identity();
  if (j < n) value = M::combine(value, M::load(in[j], j));
  smem[tid] = value;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) smem[tid] = M::combine(smem[tid], smem[tid + stride]);
    __syncthreads();
  }
  if (tid >= 32) return;
  value = smem[tid];
  if (blockDim.x > 32) value = M::combine(value, smem[tid + 32]);
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    smem[tid] = value;
    __syncwarp();
    // Around the end of the 32, so that a block of one warp reads nothing that was never written.
    value = M::combine(value, smem[(tid + stride) % 32]);
    __syncwarp();
  }
  if (tid == 0) {
    if (gridDim.x == 1)
      *result = M::finish(value, total);
    else
      partials[blockIdx.x] = value;
  }
}

struct UnrollWarp {
  static constexpr KernelInfo info{
      .family = Family::reduce,
      .name = "unroll-warp",
      .aliases = {"reduce5"},
      .order = 5,
      .summary = "the last warp finishes without block barriers",
      .teaches = "barrier overhead, and why the volatile form is a race: read, __syncwarp, write, __syncwarp",
      .ladder = true};

  static PassShape shape(const Launch& launch) {
    const unsigned block = launch.block ? launch.block : default_block;
    return {block, 2 * block};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties&) {
    return plan_passes(p, sizes, launch, shape(launch), 1 + std::log2(shape(launch).block));
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties&, Stream stream) {
    const auto [block, tile] = shape(launch);
    run_passes<M>(in, out, workspace, p.n, tile,
                  [block = block, stream]<class P>(const auto* from, auto* partials, auto* result, auto n, auto total,
                                                   auto blocks) {
                    rung::launch(unroll_warp<P>,
                                 {static_cast<unsigned>(blocks), block, block * sizeof(typename P::Accumulator)},
                                 stream, from, partials, result, n, total);
                  });
  }
};
[[maybe_unused]] const bool unroll_warp_registered = add_reduce<UnrollWarp>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
