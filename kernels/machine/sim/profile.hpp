// The recorder behind `explain`: accesses of threads become requests of warps, and those counters by source line.
#pragma once
#include "recorder.hpp"
#include "request.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rung::sim {

/// What requests are counted apart by. Units: sectors of global loads and stores, wavefronts of shared ones, turns of
/// atomics.
enum class Traffic : std::uint8_t {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic
};
inline constexpr std::array<std::string_view, 6> traffic_names{"global load", "global store", "global atomic",
                                                               "shared load", "shared store", "shared atomic"};
constexpr std::string_view name_of(Traffic t) { return traffic_names[static_cast<std::size_t>(t)]; }

struct Tally {
  std::uint64_t requests = 0;  ///< instructions of warps
  std::uint64_t lanes = 0;     ///< that took part, over all requests
  std::uint64_t bytes = 0;     ///< asked for (Cost::bytes)
  std::uint64_t units = 0, ideal = 0;
  std::uint64_t excess() const { return units - ideal; }
  void add(const Tally& more);
};

/// The accesses of one kind that one line of the kernel's source makes.
struct Line {
  std::string at;  ///< "tile.cu:23"
  Traffic traffic{};
  Tally tally;
  Pattern worst;  ///< the form of request that costs the line most above the ideal; no lanes where none does
};

struct Profile {
  std::vector<LaunchEvent> launches;
  std::uint64_t blocks = 0, threads = 0;  ///< over all launches
  std::uint64_t barriers = 0;             ///< that blocks passed
  std::uint64_t static_shared = 0;        ///< bytes: the span of static shared memory that was accessed
  std::array<Tally, traffic_names.size()> total{};
  std::vector<Line> lines;  ///< the most excess first; lines without any in the order of the source

  const Tally& of(Traffic t) const { return total[static_cast<std::size_t>(t)]; }
};

/// The share of a multiprocessor's threads that blocks of this launch can fill, by threads, blocks and shared memory
/// (Programming Guide, "Technical Specifications per Compute Capability", 9.0). Registers, which only nvcc knows, are
/// not counted, so that it is an upper bound.
double occupancy(const LaunchEvent& launch, std::uint64_t static_shared);

/// Lanes belong to one instruction when they pass the same place for the same number of times since they last met, at a
/// barrier or in a collective of their warp. Where a branch inside a loop without one sends lanes past a place a
/// different number of times, this pairs accesses of different turns of the loop.
class Profiler : public AccessRecorder {
 public:
  Profiler();
  ~Profiler() override;
  void begin_launch(const LaunchEvent& launch) override;
  void begin_block(std::uint32_t threads) override;
  void access(const AccessEvent& event) override;
  void block_barrier() override;
  void warp_barrier(std::uint32_t warp, std::uint32_t mask) override;
  void end_block() override;

  /// What was recorded since the last call, and forgets it.
  Profile take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rung::sim
