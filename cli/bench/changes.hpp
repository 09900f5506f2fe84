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

/// Kernels that changed by more than a limit allows, a share of OLD's median: "vector: 3.1% slower (reduce sum ...)".
std::vector<std::string> violations(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits);

/// Kernels of OLD that NEW has no time of, which no limit is held against: "vector: not in NEW (reduce sum ...)".
std::vector<std::string> unmatched_kernels(const std::vector<ChangeRow>& rows);

/// Whether a kernel is in both, and judged.
bool any_kernel_compared(const std::vector<ChangeRow>& rows);

/// A table of what changed, of all with `unchanged`, and a line that counts.
std::string changes_text(const std::vector<ChangeRow>& rows, bool unchanged = false);

/// "the machine itself changed: ceiling-read 5% slower (reduce sum ...)"; empty where the ceilings agree.
std::string machine_change(const std::vector<ChangeRow>& rows);

/// What a report warns of, each kind once: texts that differ in numbers alone are one kind.
std::vector<std::string> warnings_of(const BenchReport& report);

}  // namespace rung::cli
