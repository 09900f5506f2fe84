// axis: reductions along one axis, outer × n × inner to outer × inner; a whole array is 1 × n × 1.
// Rows (inner = 1) are strips of memory. Those of whole 16-byte vectors are read by a warp or a block each, as their
// length asks for; short ones are copied to shared memory, as the one piece of memory that they are, many to a warp,
// where each lane finds its part of a row in one piece. Ragged rows take the same ways, at the cost of their ends.
// Columns (inner > 1) are read side by side: a row of threads takes a row of elements, 16 bytes each where the columns
// can be cut so, and the rows of threads meet in shared memory.
// From vector: many results. The cost there is the shape that fits one loop badly: a thread a row reads memory in
// strides, a block a row has nothing to do for short rows, and one block a column leaves the chip idle for few.
// Cost that remains: columns whose number is odd are loaded one element at a time; results too few to fill the chip are
// split and need a second launch; many results are as much memory as the elements. Splits depend on the shape and the
// chip alone, so results repeat.
// Limits: whole warps, 32 to 1024 threads a block; 2^31 - 1 blocks.
#include "axis_columns.hpp"
#include "axis_ragged.hpp"
#include "axis_rows.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

struct Axis {
  static constexpr KernelInfo info{
      .family = Family::reduce,
      .name = "axis",
      .order = 13,
      .summary = "along one axis: long rows by vectors, short ones staged, columns side by side; few results split",
      .teaches = "one loop does not fit every shape: who reads what decides",
      .ladder = false};

  /// The second launch reduces what the first left: outer × splits × inner accumulators.
  struct Shapes {
    AxisShape first, second;
  };
  static Shapes shapes(const Problem& p, std::size_t accumulator, const Launch& launch,
                       const DeviceProperties& device) {
    if (p.output_elements() == 0) return {};
    const std::size_t chip = device.multiprocessors;
    const AxisShape first = axis_shape(p.outer, p.n, p.inner, size_of(p.dtype), chip, launch.block, true);
    return {first, axis_shape(p.outer, first.splits, p.inner, accumulator, chip, launch.block, false)};
  }
  /// Of a launch on aligned memory or on other.
  static double longest_chain(const AxisShape& shape, std::size_t element_size) {
    return std::max(axis_chain(shape, element_size), axis_chain(unaligned(shape, element_size), element_size));
  }
  static Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, const DeviceProperties& device) {
    if (launch.block % 32 != 0 || launch.block > axis_block_most)
      return refuse("--block " + std::to_string(launch.block) + ": needs whole warps, 32 to 1024 threads");
    if (launch.grid != 0 || launch.items != 0) return refuse("--grid, --items: follow from the shape of the array");
    const auto [first, second] = shapes(p, sizes.accumulator, launch, device);
    if (launch.block != 0 && first.way == AxisWay::short_rows)
      return refuse("--block: short rows are staged by blocks of " + std::to_string(axis_block));
    if (std::max(first.blocks(), unaligned(first, sizes.input).blocks()) > max_blocks)
      return refuse("needs more than 2^31 - 1 blocks");
    if (std::max(columns_bytes(first, sizes.accumulator), columns_bytes(second, sizes.accumulator)) >
        device.shared_per_block)
      return refuse("--block " + std::to_string(launch.block) + ": needs more shared memory than a block has here");
    Plan plan;
    plan.chain = longest_chain(first, sizes.input);
    plan.launch = describe(first.blocks(), first.block);
    if (first.splits > 1) {
      plan.workspace = aligned(p.outer * first.splits * p.inner * sizes.accumulator);
      plan.chain += longest_chain(second, sizes.accumulator);
    }
    return plan;
  }
  template <class M>
  static void launch_one(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* out,
                         const AxisShape& shape, std::size_t total, Stream stream) {
    constexpr std::size_t slot = sizeof(typename M::Accumulator);
    constexpr auto most = static_cast<unsigned>(std::min<std::size_t>(per_vector<typename M::Input>, 4));
    const dim3 grid(static_cast<unsigned>(shape.blocks())), rows(shape.width, shape.height * shape.teams);
    const LaunchShape columns{grid, rows, columns_bytes(shape, slot)};
    if (shape.way == AxisWay::short_rows && shape.whole) {
      const LaunchShape launch{grid, shape.block, stage_of_warp * sizeof(Vector16) * (axis_block / 32)};
      rung::launch(reduce_short_rows<M>, launch, stream, in, out, shape, total);
    } else if (shape.way == AxisWay::short_rows) {
      // Room for the elements in front of the first row, up to a 16-byte boundary.
      const LaunchShape launch{grid, shape.block, stage_bytes + 2 * sizeof(Vector16)};
      rung::launch(reduce_short_ragged_rows<M>, launch, stream, in, out, shape, total);
    } else if (shape.way == AxisWay::rows) {
      const LaunchShape launch{grid, shape.block, 32 * slot};
      rung::launch(shape.whole ? reduce_rows<M> : reduce_ragged_rows<M>, launch, stream, in, partials, out, shape,
                   total);
    } else if (shape.columns == 1) {
      rung::launch(reduce_columns<M, 1>, columns, stream, in, partials, out, shape, total);
    } else {
      rung::launch(reduce_columns<M, most>, columns, stream, in, partials, out, shape, total);
    }
  }
  template <class M>
  static void launch_single(const typename M::Input* in, typename M::Result* out, const AxisShape& shape,
                            const Problem& p, Stream stream) {
    constexpr auto most = static_cast<unsigned>(std::min<std::size_t>(per_vector<typename M::Input>, 4));
    const dim3 grid(static_cast<unsigned>(shape.tiles), static_cast<unsigned>(p.outer));
    if constexpr (most > 1)
      rung::launch(reduce_single_columns<M, most>, {grid, dim3(shape.block)}, stream, in, out, shape, p.n);
  }
  template <class M>
  static void run(const typename M::Input* in, typename M::Result* out, void* workspace, const Problem& p,
                  const Launch& launch, const DeviceProperties& device, Stream stream) {
    using A = typename M::Accumulator;
    if (p.output_elements() == 0) return;
    auto [first, second] = shapes(p, sizeof(A), launch, device);
    const auto misaligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % sizeof(Vector16) != 0; };
    if (misaligned(in) || misaligned(out)) first = unaligned(first, sizeof(*in)), second = unaligned(second, sizeof(A));
    auto* partials = static_cast<A*>(workspace);
    if (first.single)
      launch_single<M>(in, out, first, p, stream);
    else
      launch_one<M>(in, partials, out, first, p.n, stream);
    if (first.splits > 1) launch_one<PartialsOf<M>>(partials, nullptr, out, second, p.n, stream);
  }
};
[[maybe_unused]] const bool axis_registered = add_reduce<Axis>();

}  // namespace RUNG_ABI
}  // namespace rung::reduce
