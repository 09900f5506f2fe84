// The host side that the transposes share: what a rung can take, and grids of any number of tiles.
#pragma once
#include "../machine/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace rung::transpose {
inline namespace RUNG_ABI {

inline constexpr std::size_t max_grid_x = 0x7fffffff, max_grid_y = 65535;

/// A grid of across × down blocks. CUDA counts 2^31 - 1 blocks in x but only 65,535 in y and z: what is past that
/// in y goes to z, at most z - 1 rows of blocks too many. Both counts are positive.
inline dim3 fold(std::size_t across, std::size_t down) {
  const std::size_t z = ceil_div(down, max_grid_y);
  return dim3(static_cast<unsigned>(across), static_cast<unsigned>(ceil_div(down, z)), static_cast<unsigned>(z));
}

/// The block's place in y of a folded grid.
__device__ inline std::size_t folded_y() { return blockIdx.y + static_cast<std::size_t>(gridDim.y) * blockIdx.z; }

/// Plan of a launch of across × down blocks of `threads`.
inline Plan plan_grid(std::size_t across, std::size_t down, unsigned threads) {
  if (across > max_grid_x || down > max_grid_y * max_grid_y) return refuse("needs more blocks than a grid can have");
  Plan plan;
  plan.launch = "grid " + std::to_string(across);
  if (down > 1) plan.launch.append("x").append(std::to_string(down));
  plan.launch += ", block " + std::to_string(threads);
  return plan;
}

/// The same of a kernel that takes `most` blocks across where memory is not aligned: refused where those are too many.
inline Plan plan_grid_of(std::size_t most, std::size_t across, std::size_t down, unsigned threads) {
  Plan plan = plan_grid(most, down, threads);
  return plan ? plan_grid(across, down, threads) : plan;
}

/// Why a teaching rung cannot run this; empty when it can. They transpose one matrix, and take no launch shape but
/// --block, which each rung judges itself.
inline std::string ladder_refusal(const Problem& p, const Launch& launch) {
  if (!p.transpose) return "permutes more than two axes: window and strided do";
  if (p.transpose->batch != 1) return "batched: one matrix only; vector does";
  if (launch.grid != 0) return "--grid: the grid follows from the shape of the matrix";
  return {};
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
