// Two benchmarks side by side: what changed by more than their noise (measuring method, docs/benchmarking.md).
#pragma once
#include "../options.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace rung::cli {

/// not_judged: the call waits for the device, and so has the host's noise, which the floor is not of.
enum class Change : std::uint8_t { none, slower, faster, not_judged, only_before, only_after };

struct ChangeRow {
  std::string what;  ///< the point's heading
  Role role = Role::kernel;
  std::string name;
  double before = 0, after = 0;  ///< median seconds
  double floor = 0;              ///< the larger noise floor of the two
  Change change = Change::none;
  double ratio() const { return after / before; }
};

/// Rows are the same when all that describes them is, but the input's name. Those without a time are as if they
/// were not there.
std::vector<ChangeRow> compare_benches(const BenchReport& before, const BenchReport& after);

/// Kernels that changed by more than a limit allows: "vector: 3.1% slower (reduce sum ...)".
std::vector<std::string> violations(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits);

/// A table of what changed and a line that counts.
std::string changes_text(const std::vector<ChangeRow>& rows);

}  // namespace rung::cli
