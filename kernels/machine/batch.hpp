// Runs that are timed together: one sample of `rung bench`. Plain C++: no CUDA header.
#pragma once
#include "../kernel.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace rung {

/// What a run finds in the cache, and how it is launched (docs/benchmarking.md).
enum class Mode : std::uint8_t { cold, hot, graph };
inline constexpr std::array<std::string_view, 3> mode_names{"cold", "hot", "graph"};
constexpr std::string_view name_of(Mode m) { return mode_names[static_cast<std::size_t>(m)]; }

/// Enqueues one run. `turn` counts the runs: a caller with several sets of buffers takes set turn % sets.
using TurnRun = std::function<void(Stream, std::size_t turn)>;

struct BatchShape {
  Mode mode = Mode::cold;
  unsigned count = 1;  ///< runs in one sample, one behind the other
  bool waits = false;  ///< the call waits for the device itself: neither captured nor held back by a blocking kernel
};

class Batch {
 public:
  virtual ~Batch() = default;
  /// Runs the batch and waits for it. Returns the seconds of one run, the mean of the batch; NaN for a sample that
  /// is not to be used. Throws DeviceError.
  virtual double sample() = 0;
  /// How it is launched where that differs from what the mode says; empty where it does not.
  virtual std::string remark() const { return {}; }
};

/// What the processor of a device does at this moment.
struct Clock {
  double megahertz = 0;
  bool throttled = false;  ///< held back by heat or power
};

}  // namespace rung
