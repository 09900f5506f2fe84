// axis: reductions along one axis, outer × n × inner to outer × inner; a whole array is 1 × n × 1.
// Rows (inner = 1) are strips of memory, read as in `vector` by a few lanes, a warp or a block each, as their length
// asks for. Columns (inner > 1) are read side by side: a row of threads takes a row of elements, so that loads are
// coalesced whatever the number of columns, and the rows of threads meet in shared memory.
// From vector: many results. The cost there is the shape that fits one loop badly: a thread a row reads memory in
// strides, a block a row has nothing to do for short rows, and one block a column leaves the chip idle for few.
// Cost that remains: columns of 1- and 2-byte elements are loaded one element at a time; results too few to fill
// the chip are split and need a second launch. Splits depend on the shape and the chip alone, so results repeat.
// Limits: none but 2^31 - 1 blocks; the launch shape is its own.
#include "axis.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// total: elements of a result, which the mean divides by; in a second launch not the n of the shape.
template <class M>
__global__ void __launch_bounds__(axis_block)
    reduce_rows(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* out,
                AxisShape shape, std::size_t total) {
  const unsigned lane = threadIdx.x & (shape.height - 1);
  const std::size_t strip = static_cast<std::size_t>(blockIdx.x) * shape.teams + threadIdx.x / shape.height;
  auto value = M::identity();
  if (strip < shape.strips) {
    const auto [row, part] = divide(strip, shape.splits);
    const std::size_t start = part * shape.chunk;
    const std::size_t left = shape.n - start, count = left < shape.chunk ? left : shape.chunk;
    value = reduce_strip<M>(in + row * shape.n + start, count, start, lane, shape.height,
                            shape.height < 32 ? shape.height : 32);
  }
  value = shape.height > 32 ? reduce_block<M>(value) : reduce_warp<M>(value, shape.height);
  if (lane != 0 || strip >= shape.strips) return;
  if (shape.splits == 1)
    out[strip] = M::finish(value, total);
  else
    partials[strip] = value;
}

template <class M>
__global__ void __launch_bounds__(axis_block)
    reduce_columns(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* out,
                   AxisShape shape, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned width = shape.width, height = shape.height, team = threadIdx.x / (width * height);
  const unsigned x = threadIdx.x % width, y = threadIdx.x / width % height;
  const std::size_t strip = static_cast<std::size_t>(blockIdx.x) * shape.teams + team;
  const auto [part, tile] = divide(strip, shape.tiles);
  const auto [row, split] = divide(part, shape.splits);
  const std::size_t column = tile * width + x;
  const bool active = team < shape.teams && strip < shape.strips && column < shape.inner;

  auto value = M::identity();
  if (active) {
    const std::size_t start = split * shape.chunk, left = shape.n - start;
    const std::size_t end = start + (left < shape.chunk ? left : shape.chunk);
    const auto* from = in + row * shape.n * shape.inner + column;
    for (std::size_t k = start + y; k < end; k += rows_in_flight * height) {
      typename M::Input v[rows_in_flight] = {};
#pragma unroll
      for (unsigned j = 0; j < rows_in_flight; ++j)
        if (k + j * height < end) v[j] = from[(k + j * height) * shape.inner];
#pragma unroll
      for (unsigned j = 0; j < rows_in_flight; ++j)
        if (k + j * height < end) value = M::combine(value, M::load(v[j], k + j * height));
    }
  }
  smem[threadIdx.x] = value;
  __syncthreads();
  for (unsigned left = height; left > 1;) {
    const unsigned half = (left + 1) / 2;
    if (active && y + half < left) smem[threadIdx.x] = M::combine(smem[threadIdx.x], smem[threadIdx.x + half * width]);
    __syncthreads();
    left = half;
  }
  if (!active || y != 0) return;
  if (shape.splits == 1)
    out[part * shape.inner + column] = M::finish(smem[threadIdx.x], total);
  else
    partials[part * shape.inner + column] = smem[threadIdx.x];
}

struct Axis {
  static constexpr KernelInfo info{
      .family = Family::reduce,
      .name = "axis",
      .order = 13,
      .summary = "along one axis: vectors along rows, coalesced columns, few results split",
      .teaches = "one loop does not fit every shape: who reads what decides",
      .ladder = false};

  /// The second launch reduces what the first left: outer × splits × inner accumulators.
  struct Shapes {
    AxisShape first, second;
  };
  static Shapes shapes(const Problem& p, std::size_t accumulator, const DeviceProperties& device) {
    if (p.output_elements() == 0) return {};
    const std::size_t chip = device.multiprocessors;
    const AxisShape first = axis_shape(p.outer, p.n, p.inner, size_of(p.dtype), chip, true);
    return {first, axis_shape(p.outer, first.splits, p.inner, accumulator, chip, false)};
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties& device) {
    if (launch.block != 0 || launch.grid != 0 || launch.items != 0)
      return refuse("--block, --grid, --items: the launch follows from the shape of the array");
    const auto [first, second] = shapes(p, sizes.accumulator, device);
    if (first.blocks() > max_blocks) return refuse("needs more than 2^31 - 1 blocks");
    Plan plan;
    plan.chain = axis_chain(first, sizes.input);
    plan.launch = describe(first.blocks(), axis_block);
    if (first.splits > 1) {
      plan.workspace = aligned(p.outer * first.splits * p.inner * sizes.accumulator);
      plan.chain += axis_chain(second, sizes.accumulator);
    }
    return plan;
  }
  template <class M>
  static void launch_one(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* out,
                         const AxisShape& shape, std::size_t total, Stream stream) {
    constexpr std::size_t slot = sizeof(typename M::Accumulator);
    const dim3 grid(static_cast<unsigned>(shape.blocks()));
    if (shape.inner == 1)
      rung::launch(reduce_rows<M>, {grid, axis_block, 32 * slot}, stream, in, partials, out, shape, total);
    else
      rung::launch(reduce_columns<M>, {grid, axis_block, axis_block * slot}, stream, in, partials, out, shape, total);
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch&, const DeviceProperties& device, Stream stream) {
    using A = typename M::Accumulator;
    if (p.output_elements() == 0) return;
    const auto [first, second] = shapes(p, sizeof(A), device);
    auto* partials = static_cast<A*>(workspace);
    launch_one<M>(in, partials, out, first, p.n, stream);
    if (first.splits > 1) launch_one<PartialsOf<M>>(partials, nullptr, out, second, p.n, stream);
  }
};
[[maybe_unused]] const bool axis_registered = add_reduce<Axis>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
