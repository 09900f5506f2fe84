// One launch: what its blocks share.
#pragma once
#include "machine.hpp"
#include "releases.hpp"
#include "shadow.hpp"
#include "sim.hpp"

#include <atomic>
#include <cstdint>

namespace rung::sim {

/// Global races are found between the blocks of one launch, which then run one after another; the shadow outlives it.
struct GlobalState {
  Shadow shadow;
  Releases releases;
  std::uint32_t last_epoch = 0;  ///< engines number epochs on their own: each goes on from here
};

struct GridShape {
  Grid grid;
  std::uint64_t blocks() const { return std::uint64_t{grid.grid.x} * grid.grid.y * grid.grid.z; }
  unsigned threads() const { return grid.block.x * grid.block.y * grid.block.z; }
  uint3 block_dim() const { return {grid.block.x, grid.block.y, grid.block.z}; }
  uint3 grid_dim() const { return {grid.grid.x, grid.grid.y, grid.grid.z}; }
};

inline constexpr std::size_t shared_limit = std::size_t{227} << 10;  ///< dynamic shared memory a block can have

struct Launch {
  GridShape grid;
  void (*enter)(const void*);
  const void* argument;
  Options options;
  GlobalState* global = nullptr;  ///< null unless global races are looked for
  std::uint64_t chunk = 1;        ///< blocks that an engine takes at a time
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> stop{false};  ///< a block was given up: the others would stall as long
};

}  // namespace rung::sim
