// One point: every kernel and library that can run it, right before and after, timed in turn.
#pragma once
#include "../commands/check.hpp"
#include "../commands/work.hpp"
#include "data.hpp"
#include "report.hpp"
#include "schedule.hpp"

namespace rung::cli {

struct PointSetup {
  Device& device;
  const BenchSpec& spec;
  const Work& work;
  const Selection& selection;
  const Judge& judge;
  const std::byte* input;  ///< on the host
  BenchSets& sets;
  StopRule rule;
  bool references = true;
};

/// Rows, ceiling, noise floor and warnings into `point`, whose description is there.
void measure_point(BenchPoint& point, const PointSetup& setup);

/// Whether every kernel was right.
bool all_right(const BenchPoint& point);

}  // namespace rung::cli
