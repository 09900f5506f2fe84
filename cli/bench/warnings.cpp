#include "warnings.hpp"

namespace rung::cli {

void warn_of_samples(BenchPoint& point, std::size_t least) {
  std::size_t dropped = 0, few = 0;
  for (const BenchRow& row : point.rows) {
    dropped += row.dropped;
    if (row.verdict != RowVerdict::skipped && row.verdict != RowVerdict::fail && !row.seconds)
      point.warnings.push_back(row.name + ": every sample was dropped");
    few += row.seconds && row.seconds->n < least;
  }
  if (dropped != 0)
    point.warnings.push_back(std::to_string(dropped) +
                             " samples dropped: the clock was throttled, or a launch was late");
  if (few != 0 && point.machine != Machine::sim)
    point.warnings.push_back(std::to_string(few) + (few == 1 ? " row has" : " rows have") + " fewer than " +
                             std::to_string(least) + " samples; a longer --max-time gives more");
}

void warn_of_build([[maybe_unused]] BenchPoint& point) {
#if !defined(__OPTIMIZE__)
  point.warnings.emplace_back("this is a Debug build: its times say nothing");
#endif
}

}  // namespace rung::cli
