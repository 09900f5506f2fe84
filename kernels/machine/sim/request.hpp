// What one instruction of a warp asks of memory, and what that costs: sectors, wavefronts, turns. Plain arithmetic on
// the lanes' addresses. The rules are those of the CUDA Programming Guide ("Global Memory", "Shared Memory" of its
// chapters on compute capabilities) and of Nsight Compute's glossary; docs/explain.md says them in words.
#pragma once
#include <array>
#include <cstdint>

namespace rung::sim {

/// One instruction of one warp: the lanes that take part, and where each accesses its `size` bytes.
struct Request {
  std::uint32_t mask = 0;
  std::uint32_t size = 0;
  std::array<std::uint64_t, 32> offset{};
};

/// What a request costs, in units of what is counted, and the least that the same bytes could cost.
struct Cost {
  unsigned lanes = 0;  ///< that took part
  unsigned bytes = 0;  ///< asked for; a byte that several lanes ask for counts once
  unsigned units = 0, ideal = 0;
  unsigned excess() const { return units - ideal; }
};

/// Global memory moves in sectors of 32 aligned bytes. Ideal: the bytes asked for / 32, rounded up.
Cost sectors(const Request& request);

/// Shared memory has 32 banks, each 4 bytes wide, and gives one word of each bank in a wavefront; lanes that want the
/// same word share it. Accesses of up to 4 bytes are made by the whole warp at once, of 8 by half warps, of 16 by
/// quarters. Ideal: one wavefront for each such part that has a lane in it.
Cost wavefronts(const Request& request);

/// Atomics on one address follow each other. Units: the lanes that meet at the busiest address; ideal: 1.
Cost turns(const Request& request);

/// How the addresses follow from the lanes: lane k of those that take part is at
/// k % group · inner + k / group · outer bytes from the first. `regular` is false where there is no such rule.
struct Pattern {
  bool regular = false;
  unsigned lanes = 0, group = 0;  ///< group: lanes at the inner stride; all of them where there is one stride
  std::int64_t inner = 0, outer = 0;
  std::uint32_t size = 0;  ///< bytes a lane
  unsigned into = 0;       ///< bytes from the start of the lowest address's sector
  unsigned busiest = 0;    ///< the most lanes with a word of their own in one bank
  unsigned bytes = 0;      ///< as in Cost, of the first such request
  unsigned units = 0, ideal = 0;

  /// Requests of one form are one pattern, wherever they start.
  bool like(const Pattern& o) const {
    return regular == o.regular && lanes == o.lanes && group == o.group && inner == o.inner && outer == o.outer &&
           size == o.size && units == o.units && ideal == o.ideal;
  }
};

/// `cost`: of this request, by the function that its memory calls for.
Pattern pattern_of(const Request& request, const Cost& cost);

}  // namespace rung::sim
