// vector: 16-byte loads, four in flight a thread, tile by tile; partials, and a second kernel of one block. Each is
// launched while the one before it still runs. An array that one block has in flight at once is one launch.
// From shuffle: the load. One instruction brings 4 to 16 elements and the next three do not wait for it, so that
// memory always has enough requests to work on.
// Before a kernel waits for the one before it, it asks for what it will load first: part of its first wait for memory
// is then over when it may begin. Up to 2 MiB a run behind another gains a tenth by it (H200), a run alone little.
// Cost removed: instructions an element (bytes are added four at a time, small values compared in pairs, arg operations
// look for the place only of a value that is kept), five exchanges a warp (one instruction reduces integers and ordered
// values), idle memory, and the gap between launches: the second kernel is in place, waiting, when the first ends.
// Before the first load nothing is computed but its address: sizes that fit no tile are the last block's, and cost the
// others nothing. A loop that takes any length and alignment was 0.7 microseconds slower on an H200. So was one launch
// whose last block finishes, for its fence and its atomic ticket, below 2^22 elements.
// Cost that remains: the start of the first kernel, before its first loads come back, and its end, when the last
// blocks leave memory half busy.
// Limits: whole warps, 32 to 1024 threads a block.
#include "passes.hpp"
#include "strip.hpp"
#include "warp.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// Threads that stay resident on a multiprocessor: 2048 leave each 32 registers. Finding a place, and comparing f64,
/// takes more, and is no slower with 1536.
inline bool takes_registers(Op op, DType dtype) {
  return op == Op::argmin || op == Op::argmax || ((op == Op::min || op == Op::max) && dtype == DType::f64);
}
template <class M>
inline constexpr bool kernel_takes_registers = finds_place<M> ||
                                               (finds_value<M> && std::is_same_v<typename M::Input, double>);

/// Elements before the first 16-byte boundary, none in an array as machines allocate it.
template <class T>
__host__ __device__ __forceinline__ unsigned head_of(const T* in) {
  const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in) % sizeof(Vector16) / sizeof(T));
  return (per_vector<T> - past) % per_vector<T>;
}

/// What a thread contributes to the reduction of in[0, head) and in[done, n), which its block has in flight at once:
/// in + done is aligned to 16 bytes, and the block has a thread for every quarter of the vectors from there on.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_rest(const typename M::Input* in, unsigned head,
                                                               std::size_t done, std::size_t n) {
  using T = typename M::Input;
  constexpr unsigned count = per_vector<T>;
  const unsigned own = threadIdx.x, lanes = blockDim.x, left = static_cast<unsigned>(n - done);
  const unsigned vectors = left / count, edges = head + left % count;
  const std::size_t edge_at = own < head ? own : done + vectors * count + (own - head);
  T edge{};  // asked for first and used last, so that a ragged array costs no extra wait
  if (own < edges) edge = in[edge_at];
  auto acc = M::identity();
  if (own < vectors) {
    const auto* from = reinterpret_cast<const Vector16*>(in + done) + own;
    const std::size_t first = done + own * count, step = std::size_t{lanes} * count;
    Running<M> running;
    Vector16 v[vectors_in_flight];
#pragma unroll
    for (unsigned j = 0; j < vectors_in_flight; ++j)
      v[j] = load_streaming(from + (own + j * lanes < vectors ? j * lanes : 0));
    running.take(v, present_of(vectors - own, lanes), 0, first, step);
    acc = running.result(first, 0, step);
  }
  if (own < edges) acc = M::combine(acc, M::load(edge, edge_at));
  return acc;
}

constexpr unsigned cache_line = 128;

/// Has the first `lines` lines from `from` on brought to L2, which previous kernels write through: what they still
/// write is seen.
__device__ __forceinline__ void ask_ahead(const void* from, unsigned lines) {
  if (threadIdx.x < lines) prefetch(static_cast<const char*>(from) + threadIdx.x * cache_line);
}

/// An array of at most a tile.
template <class M>
__global__ void __launch_bounds__(1024)
    vector_block(const typename M::Input* in, typename M::Result* result, unsigned n) {
  allow_next_kernel();
  ask_ahead(in, (n * sizeof(*in) + cache_line - 1) / cache_line);
  wait_for_previous_kernel();
  const unsigned past = head_of(in), head = past < n ? past : n;
  const auto value = reduce_block<M>(reduce_rest<M>(in, head, head, n));
  if (threadIdx.x == 0) *result = M::finish(value, n);
}

/// Whole tiles from in[head] on, of which a block takes every gridDim.x-th: nothing to compute but the next address,
/// nothing to compare but the number of the tile. What is left before and behind them is the last block's. The first
/// `early` blocks, those resident at once, ask for `ahead` lines of their first tile.
template <class M>
__global__ void __launch_bounds__(1024, kernel_takes_registers<M> ? 1 : std::max(multiprocessor_threads / 1024, 1u))
    vector_tiles(const typename M::Input* in, typename M::Accumulator* partials, unsigned head, unsigned tiles,
                 std::size_t n, unsigned early, unsigned ahead) {
  constexpr unsigned count = per_vector<typename M::Input>;
  const std::size_t tile = std::size_t{vectors_in_flight} * blockDim.x, own = blockIdx.x * tile + threadIdx.x;
  allow_next_kernel();
  if (blockIdx.x < early) ask_ahead(in + head + blockIdx.x * tile * count, ahead);
  wait_for_previous_kernel();
  const std::size_t round = gridDim.x * tile, step = std::size_t{blockDim.x} * count, first = head + own * count;
  const auto* from = reinterpret_cast<const Vector16*>(in + head) + own;
  Running<M> running;
  unsigned turn = 0;
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    Vector16 v[vectors_in_flight];
#pragma unroll
    for (unsigned j = 0; j < vectors_in_flight; ++j) v[j] = load_streaming(from + j * blockDim.x);
    running.take(v, vectors_in_flight, turn, first + turn / vectors_in_flight * round * count, step);
    from += round;
    turn += vectors_in_flight;
  }
  auto value = M::identity();
  if (turn != 0) value = running.result(first, round * count, step);
  const std::size_t done = head + tiles * tile * count;
  if (blockIdx.x == gridDim.x - 1 && (head != 0 || done < n))
    value = M::combine(value, reduce_rest<M>(in, head, done, n));
  value = reduce_block<M>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// P: the monoid of partials, so that element types share this kernel.
template <class P>
__global__ void __launch_bounds__(1024)
    vector_finish(const typename P::Input* partials, typename P::Result* result, unsigned count, std::size_t n) {
  allow_next_kernel();
  wait_for_previous_kernel();
  auto value = P::identity();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) value = P::combine(value, P::load(partials[i], i));
  value = reduce_block<P>(value);
  if (threadIdx.x == 0) *result = P::finish(value, n);
}

struct Vector {
  static constexpr KernelInfo info{
      .family = Family::reduce,
      .name = "vector",
      .order = 12,
      .summary = "whole tiles of 16-byte loads, four in flight a thread; overlapped second launch",
      .teaches = "the way to the limit: bytes in flight, few instructions, no idle launch",
      .ladder = true};
  struct Shape {
    unsigned block, grid;
    std::size_t tile;  ///< elements
    bool one;          ///< launch
  };

  /// By bytes, as measured on an H200 for sum, max and argmax of i8, i32, f32 and f64 alike; rung bench reduce
  /// --mode graph -k vector -a n=2^10:2^30:x4 -a block=64,128,256,512,1024 -a grid=528,1056,2112,4224 asks again. Small
  /// arrays want many blocks, large ones few that each have much in flight; the largest want blocks that end often, so
  /// that multiprocessors that are behind get fewer of them: heavy operations from 128 MiB on, where 4224 blocks were
  /// 1.01 times as fast as 1056 (f64 max, 512 MiB). One block, while it is sooner done than a second launch.
  static Shape shape(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    const std::size_t size = size_of(p.dtype), bytes = p.n * size, chip = device.multiprocessors;
    constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
    const bool heavy = takes_registers(p.op, p.dtype), one = launch.grid == 0 && bytes <= (size < 4 ? 32 : 64) * KiB;
    const unsigned block = launch.block       ? launch.block
                           : one              ? (bytes <= 16 * KiB ? 512 : 1024)
                           : bytes <= 2 * MiB ? 128
                           : bytes <= 4 * MiB ? 256
                           : bytes <= 8 * MiB ? 512
                           : heavy            ? 512
                                              : 1024;
    const bool largest = bytes > (heavy ? 128 : 512) * MiB;
    const std::size_t most = (largest ? 32 : bytes > 64 * MiB && !heavy ? 4 : 8) * chip;
    const std::size_t tile = std::size_t{vectors_in_flight} * block * (sizeof(Vector16) / size);
    const std::size_t blocks = block_count(p.n, tile);
    const std::size_t grid = std::min(blocks, launch.grid ? launch.grid : most);
    return {block, static_cast<unsigned>(grid), tile, blocks == 1};
  }
  struct Ahead {
    unsigned early, lines;
  };
  /// 32 KiB a multiprocessor at most: more are still on their way when the loads come, and are then in their way (f64,
  /// 32 MiB on an H200: 0.94 of the time with a quarter of a tile of 64 KiB, 1.13 with all of it).
  static Ahead ahead(const Shape& s, unsigned tiles, const DeviceProperties& device) {
    const unsigned resident = device.multiprocessors * (2048 / s.block);
    const unsigned early = std::min({s.grid, tiles, resident}), tile_lines = s.block * vectors_in_flight / 8;
    if (early == 0) return {0, 0};
    return {early, std::min(tile_lines, device.multiprocessors * (32 * 1024 / cache_line) / early)};
  }
  /// A thread a partial, so that no load waits for another.
  static unsigned finish_block(unsigned grid) { return std::clamp((grid + 31) / 32 * 32, 256u, 1024u); }

  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties& device) {
    if (auto reason = refusal(p, launch.block ? launch.block : 32, BlockRule::whole_warps); !reason.empty())
      return refuse(reason);
    if (launch.items != 0) return refuse("--items: four vectors a thread are in flight, fixed when compiled");
    if (launch.grid > max_blocks) return refuse("--grid " + std::to_string(launch.grid) + ": 2^31 - 1 blocks at most");
    const Shape s = shape(p, launch, device);
    Plan plan;
    plan.workspace = aligned(s.grid * sizes.accumulator);
    // The last block has a tile more, and an element that fills no vector.
    plan.chain = strip_chain(p.n, sizes.input, std::size_t{s.grid} * s.block) + vectors_in_flight + 2 + block_chain;
    if (!s.one) plan.chain += static_cast<double>(ceil_div(s.grid, finish_block(s.grid))) + block_chain;
    plan.launch = describe(s.grid, s.block);
    return plan;
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties& device, Stream stream) {
    using P = PartialsOf<M>;
    constexpr std::size_t slots = 32 * sizeof(typename M::Accumulator);
    const Shape s = shape(p, launch, device);
    auto* partials = static_cast<typename M::Accumulator*>(workspace);
    if (s.one) {
      launch_overlapping(vector_block<M>, {1, s.block, slots}, stream, in, out, static_cast<unsigned>(p.n));
    } else {
      const unsigned head = head_of(in), tiles = static_cast<unsigned>((p.n - head) / s.tile);
      const auto [early, lines] = ahead(s, tiles, device);
      launch_overlapping(vector_tiles<M>, {s.grid, s.block, slots}, stream, in, partials, head, tiles, p.n, early,
                         lines);
      launch_overlapping(vector_finish<P>, {1, finish_block(s.grid), slots}, stream, partials, out, s.grid, p.n);
    }
  }
};
[[maybe_unused]] const bool vector_registered = add_reduce<Vector>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
