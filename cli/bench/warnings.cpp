#include "warnings.hpp"

#include "../text.hpp"

#include <algorithm>

namespace rung::cli {
namespace {

constexpr std::string_view debug_build = "this is a Debug build", busy_cores = "others use the cores";

}  // namespace

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
  point.warnings.push_back(std::string(debug_build) + ": its times say nothing");
#endif
}

void warn_of_load(BenchPoint& point, double load, unsigned cores) {
  // The load before includes what bench itself made ready; more than all cores is others' work.
  if (load > 1.5 * cores)
    point.warnings.push_back(std::string(busy_cores) + ": load " + significant(load, 3) + " on " +
                             std::to_string(cores));
}

std::string warning_kind(const std::string& warning) {
  std::string kind;
  for (const char c : warning)
    if ((c < '0' || c > '9') && c != '.') kind += c;
  return kind;
}

std::vector<std::string> SweepWarnings::fresh(const BenchPoint& point) {
  std::vector<std::string> texts;
  for (const std::string& warning : point.warnings) {
    if (warning.starts_with(debug_build) || warning.starts_with(busy_cores)) {
      const std::string kind = warning_kind(warning);
      if (std::find(said_.begin(), said_.end(), kind) != said_.end()) continue;
      said_.push_back(kind);
    }
    texts.push_back(warning);
  }
  return texts;
}

}  // namespace rung::cli
