// vector: 16-byte loads, four in flight a thread, as many blocks as stay resident; partials, and a second kernel of
// one block. Each is launched while the one before it still runs. An array that one block can load is one launch.
// From shuffle: the load. One instruction brings 4 to 16 elements and the next three do not wait for it, so that
// memory always has enough requests to work on.
// Cost removed: instructions an element (bytes are added four at a time, arg operations look for the place only of a
// value that is kept) and idle memory; and the gap between launches: the second kernel is in place, waiting, when the
// first ends. One launch whose last block finishes needs a fence and an atomic ticket instead, and was measured slower
// on an H200 below 2^22 elements.
// Cost that remains: the start of the first kernel, before its first loads come back, and its end, when the last
// blocks leave memory half busy.
// Limits: whole warps, 32 to 1024 threads a block.
#include "passes.hpp"
#include "strip.hpp"
#include "warp.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
__global__ void __launch_bounds__(1024) vector_strips(const typename M::Input* in, typename M::Accumulator* partials,
                                                      typename M::Result* result, std::size_t n) {
  allow_next_kernel();
  wait_for_previous_kernel();
  const std::size_t lane = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t lanes = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const auto value = reduce_block<M>(reduce_strip<M>(in, n, 0, lane, lanes, 32));
  if (threadIdx.x == 0) {
    if (gridDim.x == 1)
      *result = M::finish(value, n);
    else
      partials[blockIdx.x] = value;
  }
}

/// P: the monoid of partials, so that element types share this kernel.
template <class P>
__global__ void __launch_bounds__(1024, 1)
    vector_finish(const typename P::Input* partials, typename P::Result* result, unsigned count, std::size_t n) {
  allow_next_kernel();
  wait_for_previous_kernel();
  auto value = P::identity();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) value = P::combine(value, P::load(partials[i], i));
  value = reduce_block<P>(value);
  if (threadIdx.x == 0) *result = P::finish(value, n);
}

struct Vector {
  static constexpr KernelInfo info{.family = Family::reduce,
                                   .name = "vector",
                                   .order = 12,
                                   .summary = "16-byte loads, several in flight a thread; overlapped second launch",
                                   .teaches = "the way to the limit: bytes in flight, few instructions, no idle launch",
                                   .ladder = true};
  static constexpr unsigned finish_block = 256;

  /// By bytes, as measured on an H200 for i8, i32, f32 and f64 alike (rung bench reduce --mode graph -k vector
  /// -a n=2^10:2^30:x4 -a block=256,512,1024 -a grid=132,264,528): one block while it can hold the array in flight;
  /// small blocks of two vectors a thread up to a mebibyte; then four vectors a thread, four blocks of 512 a
  /// multiprocessor. The sums of one block add up 1-byte elements for longer than the second launch takes.
  static GridShape shape(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    const std::size_t vectors = p.n / (sizeof(Vector16) / size_of(p.dtype));
    const bool one = launch.grid == 0 && vectors <= (size_of(p.dtype) == 1 ? 2048 : 4096);
    const bool pairs = !one && vectors <= (std::size_t{1} << 16);
    const unsigned block = launch.block ? launch.block : one ? (vectors <= 1024 ? 512 : 1024) : pairs ? 256 : 512;
    const std::size_t tiles = block_count(vectors, (pairs ? 2 : vectors_in_flight) * std::size_t{block});
    const std::size_t resident = std::size_t{2048 / block ? 2048 / block : 1} * device.multiprocessors;
    const std::size_t grid = launch.grid != 0 ? std::min<std::size_t>(launch.grid, tiles)
                             : one            ? 1
                                              : std::min(tiles, resident);
    return {block, static_cast<unsigned>(grid)};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties& device) {
    if (auto reason = refusal(p, launch.block ? launch.block : 32, BlockRule::whole_warps); !reason.empty())
      return refuse(reason);
    if (launch.items != 0) return refuse("--items: four vectors a thread are in flight, fixed when compiled");
    if (launch.grid > max_blocks) return refuse("--grid " + std::to_string(launch.grid) + ": 2^31 - 1 blocks at most");
    const auto [block, grid] = shape(p, launch, device);
    Plan plan;
    plan.workspace = aligned(grid * sizes.accumulator);
    plan.chain = strip_chain(p.n, sizes.input, std::size_t{grid} * block) + block_chain;
    if (grid > 1) plan.chain += static_cast<double>(ceil_div(grid, finish_block)) + block_chain;
    plan.launch = describe(grid, block);
    return plan;
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties& device, Stream stream) {
    using P = PartialsOf<M>;
    constexpr std::size_t slots = 32 * sizeof(typename M::Accumulator);
    const auto [block, grid] = shape(p, launch, device);
    auto* partials = static_cast<typename M::Accumulator*>(workspace);
    launch_overlapping(vector_strips<M>, {grid, block, slots}, stream, in, partials, out, p.n);
    if (grid > 1) launch_overlapping(vector_finish<P>, {1, finish_block, slots}, stream, partials, out, grid, p.n);
  }
};
[[maybe_unused]] const bool vector_registered = add_reduce<Vector>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
