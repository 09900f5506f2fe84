// Two benchmarks side by side: what changed by more than their noise (measuring method, docs/benchmarking.md).
#pragma once
#include "../options.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace rung::cli {

/// not_judged: the call waits for the device, and so has the host's noise, which the floor is not of.
/// wrong_*: where results failed their check, and so have no time that counts.
enum class Change : std::uint8_t {
  none,
  slower,
  faster,
  not_judged,
  only_before,
  only_after,
  wrong_before,
  wrong_after,
  wrong_both
};

struct ChangeRow {
  std::string what;  ///< the point's heading
  Role role = Role::kernel;
  std::string name;
  bool ours = false;             ///< not a library's: what is wrong there is wrong here
  double before = 0, after = 0;  ///< median seconds; 0 where there is none
  double floor = 0;              ///< the larger noise floor of the two
  Change change = Change::none;
  double ratio() const { return after / before; }
};

/// Rows are the same when all that describes them is, but the input's name. Those that have no time and are not wrong
/// are as if they were not there, and so are libraries that are wrong in both.
std::vector<ChangeRow> compare_benches(const BenchReport& before, const BenchReport& after);

/// Kernels that changed by more than a limit allows, a share of OLD's median: "vector: 3.1% slower (reduce sum ...)".
std::vector<std::string> violations(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits);

/// "3 of 8 kernels vary by more than 2% by themselves (tile: 64.6%), ..." where a limit is below the noise floor, so
/// that what goes beyond it can pass unseen; empty where none is.
std::string hidden_by_noise(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits);

/// Kernels of OLD that NEW has no time of, which no limit is held against: "vector: not in NEW (reduce sum ...)".
std::vector<std::string> unmatched_kernels(const std::vector<ChangeRow>& rows);

/// What is wrong in NEW: "vector: wrong in NEW (reduce sum ...)", or "wrong in both". Kernels, and the command itself
/// where whole processes were timed.
std::vector<std::string> wrong_results(const std::vector<ChangeRow>& rows);

/// Whether a kernel is in both, and judged.
bool any_kernel_compared(const std::vector<ChangeRow>& rows);

/// A table of what changed, of all with `unchanged`, and a line that counts.
std::string changes_text(const std::vector<ChangeRow>& rows, bool unchanged = false);

/// "the machine itself changed: ceiling-read 5% slower (reduce sum ...)"; empty where the ceilings agree.
std::string machine_change(const std::vector<ChangeRow>& rows);

/// What a report warns of, each kind once: texts that differ in numbers alone are one kind.
std::vector<std::string> warnings_of(const BenchReport& report);

}  // namespace rung::cli
