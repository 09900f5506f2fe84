// The simulator's switches and findings: what tests and `explain` use beside open_sim(). Plain C++.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rung::sim {

class AccessRecorder;

/// What the checkers look for. Bounds, barriers and warp collectives are always checked.
struct Options {
  bool check_shared = true;   ///< races and reads of uninitialised bytes in shared memory
  bool check_global = false;  ///< races in global memory, between blocks too; blocks then run on one OS thread
  unsigned os_threads = 0;    ///< threads of the host that share the blocks; 0: all cores, or one for a small grid
  double stall_seconds = 60;  ///< a block without progress for so long is reported as deadlocked and given up
  AccessRecorder* recorder = nullptr;  ///< told of every access; blocks then run on one OS thread
};

/// Process-wide; read at each launch.
Options& options();

enum class Fault : std::uint8_t {
  barrier_divergence,
  exit_before_barrier,
  collective_mask,
  collective_exited,
  collective_divergence,
  shuffle_source,
  deadlock,
  global_bounds_read,
  global_bounds_write,
  shared_bounds_read,
  shared_bounds_write,
  wild_read,
  wild_write,
  misaligned,
  early_access,
  shared_uninitialised,
  shared_race_read_after_write,
  shared_race_write_after_write,
  shared_race_write_after_read,
  global_race_read_after_write,
  global_race_write_after_write,
  global_race_write_after_read,
};
std::string_view text_of(Fault fault);

/// A fault of a kernel. The same fault at the same places is one finding with a count.
struct Finding {
  static constexpr std::uint32_t none = 0xffffffff;
  Fault fault{};
  std::string at, other_at;              ///< file:line; other_at: the earlier access or the other collective, or empty
  std::array<std::uint32_t, 3> block{};  ///< of the first occurrence
  std::uint32_t thread = none;           ///< its number within the block, x fastest
  std::uint32_t other_thread = none;     ///< of the same block; none where it is not known
  std::uint64_t count = 0;
};

/// One line: what, where, which block and threads, how often.
std::string to_string(const Finding& finding);

/// The findings since the last call, in the order of their first occurrence, and forgets them.
std::vector<Finding> take_findings();

}  // namespace rung::sim
