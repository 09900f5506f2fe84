// The host side that the one-dimensional reverses share.
#pragma once
#include "../machine/machine.hpp"

#include <cstddef>
#include <string>

namespace rung::reverse {
inline namespace RUNG_ABI {

inline unsigned block_of(const Launch& launch) { return launch.block ? launch.block : 256; }

/// Plan of a launch with a thread for each of `count` pieces of work.
inline Plan plan_blocks(const Problem& p, std::size_t count, const Launch& launch, const DeviceProperties& device) {
  if (!p.reverse) return refuse("flips some of the axes: strided does");
  if (launch.grid != 0) return refuse("--grid: the grid follows from the size of the array");
  if (launch.items != 0) return refuse("--items: the work of a thread is fixed");
  const unsigned block = block_of(launch);
  if (block > device.max_threads_per_block) return refuse("--block: more threads than a block can have");
  const std::size_t blocks = ceil_div(count, block);
  if (blocks > 0x7fffffff) return refuse("needs more than 2^31 - 1 blocks");
  Plan plan;
  plan.launch = "grid " + std::to_string(blocks) + ", block " + std::to_string(block);
  return plan;
}

/// The launch itself; count is not 0.
inline LaunchShape shape_of(std::size_t count, const Launch& launch, std::size_t shared = 0) {
  return {dim3(static_cast<unsigned>(ceil_div(count, block_of(launch)))), dim3(block_of(launch)), shared};
}

}  // namespace RUNG_ABI
}  // namespace rung::reverse
