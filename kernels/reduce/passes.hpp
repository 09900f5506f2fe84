// The host side of the classic ladder. Rungs 1 to 6 run one pass after another, each leaving one partial a block,
// until one value is left; from rung 7 on two launches do. Passes never write to the input.
#pragma once
#include "../machine/machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace rung::reduce {
inline namespace RUNG_ABI {

inline constexpr unsigned default_block = 512;
inline constexpr std::size_t max_blocks = 0x7fffffff;  ///< of a grid in x

/// How a ladder rung cuts its work: threads a block, and elements that one block reduces to a partial.
struct PassShape {
  unsigned block;
  std::size_t tile;
};

/// A fixed grid: what rungs that walk the array launch.
struct GridShape {
  unsigned block, grid;
};

inline std::size_t aligned(std::size_t bytes) { return ceil_div(bytes, 256) * 256; }

/// Blocks that tiles of `tile` elements make; one for no elements, so that the result is written.
inline std::size_t block_count(std::size_t n, std::size_t tile) { return ceil_div(std::max<std::size_t>(n, 1), tile); }

/// Why a rung of whole arrays whose block is a tree, or made of warps, cannot run; empty when it can.
enum class BlockRule { power_of_two, whole_warps };
inline std::string refusal(const Problem& p, unsigned block, BlockRule rule) {
  if (!p.whole_array()) return "reduces whole arrays only, not along an axis";
  const bool fits = rule == BlockRule::power_of_two ? std::has_single_bit(block) : block % 32 == 0;
  if (fits && block >= 32 && block <= 1024) return {};
  return "--block " + std::to_string(block) +
         (rule == BlockRule::power_of_two ? ": the tree needs a power of two from 32 to 1024"
                                          : ": needs whole warps, 32 to 1024 threads");
}

inline std::string describe(std::size_t grid, unsigned block) {
  return "grid " + std::to_string(grid) + ", block " + std::to_string(block);
}

/// Plan of a rung that runs passes. `chain_per_pass`: the longest chain of additions inside one pass.
inline Plan plan_passes(const Problem& p, const ReduceSizes& sizes, const Launch& launch, PassShape shape,
                        double chain_per_pass) {
  if (auto reason = refusal(p, shape.block, BlockRule::power_of_two); !reason.empty()) return refuse(reason);
  if (launch.grid != 0) return refuse("--grid: the grid follows from the size of the array");
  if (launch.items != 0) return refuse("--items: the work of a thread is fixed");
  Plan plan;
  const std::size_t first = block_count(p.n, shape.tile), second = ceil_div(first, shape.tile);
  if (first > max_blocks) return refuse("needs more than 2^31 - 1 blocks");
  plan.workspace = aligned(first * sizes.accumulator) + aligned(second * sizes.accumulator);
  std::size_t left = std::max<std::size_t>(p.n, 1);
  do {
    left = ceil_div(left, shape.tile);
    plan.chain += chain_per_pass;
  } while (left > 1);
  plan.launch = describe(first, shape.block);
  return plan;
}

/// One pass: in[0, n) to one partial a block; the pass of a single block writes the result, finish(acc, total).
/// Pass is called as pass.operator()<M>(in, partials, result, n, total, blocks). The passes ping-pong between two
/// buffers of the workspace.
template <class M, class Pass>
void run_passes(const typename M::Input* in, typename M::Result* out, void* workspace, std::size_t n, std::size_t tile,
                Pass pass) {
  using A = typename M::Accumulator;
  std::size_t blocks = block_count(n, tile);
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

/// Plan of a rung whose fixed grid leaves one partial a block, which a second launch of one block finishes.
/// `chain(n, blocks)`: the longest chain of additions when so many blocks reduce n values.
template <class Chain>
Plan plan_two_launches(const Problem& p, const ReduceSizes& sizes, const Launch& launch, GridShape shape,
                       BlockRule rule, Chain chain) {
  if (auto reason = refusal(p, shape.block, rule); !reason.empty()) return refuse(reason);
  if (launch.items != 0) return refuse("--items: the work of a thread follows from --grid and --block");
  if (launch.grid > max_blocks) return refuse("--grid " + std::to_string(launch.grid) + ": 2^31 - 1 blocks at most");
  Plan plan;
  plan.workspace = aligned(shape.grid * sizes.accumulator);
  plan.chain = chain(p.n, shape.grid) + (shape.grid > 1 ? chain(shape.grid, 1u) : 0.0);
  plan.launch = describe(shape.grid, shape.block);
  return plan;
}

/// Pass is called as for run_passes.
template <class M, class Pass>
void run_two_launches(const typename M::Input* in, typename M::Result* out, void* workspace, std::size_t n,
                      unsigned grid, Pass pass) {
  auto* partials = static_cast<typename M::Accumulator*>(workspace);
  pass.template operator()<M>(in, partials, out, n, n, grid);
  if (grid == 1) return;
  pass.template operator()<PartialsOf<M>>(static_cast<const typename M::Accumulator*>(partials), partials, out,
                                          std::size_t{grid}, n, 1u);
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
