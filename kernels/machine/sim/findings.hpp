// Findings while a launch runs: by place numbers, merged and turned into text when it is over.
#pragma once
#include "place.hpp"
#include "sim.hpp"

#include <cstdint>
#include <vector>

namespace rung::sim {

struct RawFinding {
  Fault fault{};
  Place place = nowhere, other_place = nowhere;
  std::array<std::uint32_t, 3> block{};
  std::uint32_t thread = Finding::none, other_thread = Finding::none;
  std::uint64_t count = 1;
};

class FindingLog {
 public:
  /// Kernels have few faulty places, however often they are passed: a list, searched.
  void add(const RawFinding& finding);
  bool empty() const { return list_.empty(); }
  /// To the process-wide list that take_findings() gives out, and forgets them.
  void publish();

 private:
  std::vector<RawFinding> list_;
};

}  // namespace rung::sim
