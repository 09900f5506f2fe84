// Where a recorder of accesses attaches: what `explain` counts sectors and wavefronts from.
#pragma once
#include "place.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace rung::sim {

enum class Access : std::uint8_t { load, store, atomic };
enum class Space : std::uint8_t { global, shared };

/// One access of one thread, that the bounds checker let pass.
struct AccessEvent {
  Space space;
  Access kind;
  std::uint32_t size;
  std::uint16_t thread;  ///< of the block; its warp is thread / 32
  Place place;
  std::uint64_t offset;  ///< from the start of device memory or of the block's shared memory
};

struct LaunchEvent {
  std::array<std::uint32_t, 3> grid{}, block{};
  std::size_t shared = 0;  ///< bytes of dynamic shared memory a block
  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
};

/// Set in Options::recorder for the launches to record. The grid then runs on one OS thread, block after block,
/// so that an implementation needs no locks. A null recorder costs one test of a register an access.
class AccessRecorder {
 public:
  virtual ~AccessRecorder() = default;
  virtual void begin_launch(const LaunchEvent& /*launch*/) {}
  virtual void begin_block(std::uint32_t /*threads*/) {}
  virtual void access(const AccessEvent& event) = 0;
  /// All threads of the block met: accesses of one site before and after belong to different instructions.
  virtual void block_barrier() {}
  /// The lanes of the mask met, at a barrier of their warp or in a shuffle, vote or reduction.
  virtual void warp_barrier(std::uint32_t /*warp*/, std::uint32_t /*mask*/) {}
  virtual void end_block() {}
};

}  // namespace rung::sim
