// The host side of rungs 1 to 6: one pass after another, each leaving one partial a block, until one value is
// left. Passes ping-pong between two workspace buffers; the input is never written to.
#pragma once
#include "../machine/machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace rung::reduce {
inline namespace RUNG_ABI {

inline constexpr unsigned default_block = 512;

/// How a ladder rung cuts its work: threads a block, and elements that one block reduces to a partial.
struct PassShape {
  unsigned block;
  std::size_t tile;
};

inline std::size_t aligned(std::size_t bytes) { return ceil_div(bytes, 256) * 256; }

/// Plan of a rung that runs passes. `chain_per_pass`: the longest chain of additions inside one pass.
inline Plan plan_passes(const Problem& p, const ReduceSizes& sizes, const Launch& launch, PassShape shape, double chain_per_pass) {
  if (!p.whole_array()) return refuse("reduces whole arrays only, not along an axis");
  if (launch.grid != 0) return refuse("--grid: the grid follows from the size of the array");
  if (launch.items != 0) return refuse("--items: the work of a thread is fixed");
  if (shape.block < 32 || shape.block > 1024 || !std::has_single_bit(shape.block))
    return refuse("--block " + std::to_string(shape.block) + ": the tree needs a power of two from 32 to 1024");
  Plan plan;
  const std::size_t first = ceil_div(std::max<std::size_t>(p.n, 1), shape.tile), second = ceil_div(first, shape.tile);
  if (first > 0x7fffffffu) return refuse("needs more than 2^31 - 1 blocks");
  plan.workspace = aligned(first * sizes.accumulator) + aligned(second * sizes.accumulator);
  std::size_t left = std::max<std::size_t>(p.n, 1);
  do {
    left = ceil_div(left, shape.tile);
    plan.chain += chain_per_pass;
  } while (left > 1);
  plan.launch = "grid " + std::to_string(first) + ", block " + std::to_string(shape.block);
  return plan;
}

/// One pass: in[0, n) to one partial a block; the pass of a single block writes the result, finish(acc, total).
/// Pass is called as pass.operator()<M>(in, partials, result, n, total, blocks).
template <class M, class Pass>
void run_passes(const typename M::Input* in, typename M::Result* out, void* workspace, std::size_t n, std::size_t tile, Pass pass) {
  using A = typename M::Accumulator;
  std::size_t blocks = ceil_div(std::max<std::size_t>(n, 1), tile);
  A* to = static_cast<A*>(workspace);
  A* spare = reinterpret_cast<A*>(static_cast<std::byte*>(workspace) + aligned(blocks * sizeof(A)));
  pass.template operator()<M>(in, to, out, n, n, blocks);
  while (blocks > 1) {
    const std::size_t left = blocks;
    blocks = ceil_div(left, tile);
    pass.template operator()<PartialsOf<M>>(static_cast<const A*>(to), spare, out, left, n, blocks);
    std::swap(to, spare);
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
