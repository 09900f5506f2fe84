// Two benchmarks side by side: what changed by more than their noise (measuring method, docs/benchmarking.md).
#pragma once
#include "../options.hpp"
#include "report.hpp"

#include <optional>
#include <string>
#include <string_view>
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
std::string_view name_of(Change change);

/// What a limit says of a row. cannot_tell: the change measured is within the limits, and noise may hide one beyond.
enum class Held : std::uint8_t { not_held, passed, cannot_tell, failed };
std::string_view name_of(Held held);

struct ChangeRow {
  std::string what;  ///< the point's heading
  Role role = Role::kernel;
  std::string name;
  bool ours = false;             ///< not a library's: what is wrong there is wrong here
  double before = 0, after = 0;  ///< median seconds; 0 where there is none
  double floor = 0;              ///< the larger noise floor of the two
  std::size_t point = 0;         ///< of OLD, or of NEW for what only that has
  Interval range;                ///< where both have a time: what the ratio may be, by the intervals and the floor
  Change change = Change::none;
  double ratio() const { return after / before; }
};

/// Rows are the same when all that describes them is, but the input's name. Those that have no time and are not wrong
/// are as if they were not there, and so are libraries that are wrong in both.
std::vector<ChangeRow> compare_benches(const BenchReport& before, const BenchReport& after);

/// Kernels alone are held against limits, and what is wrong in NEW fails by any.
Held held_against(const ChangeRow& row, const std::vector<Limit>& limits);

/// The ceiling of the same point where both changed, by more than the noise; null where one did not.
const ChangeRow* moved_ceiling(const std::vector<ChangeRow>& rows, const ChangeRow& row);

/// Kernels that changed by more than a limit allows, a share of OLD's median: "vector: 3.1% slower (reduce sum ...)".
/// With what the ceiling did, where that changed.
std::vector<std::string> violations(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits);

/// "cannot tell of 3 of 8 kernels ... (tile: 2% faster to 6% slower), ..." of those that noise, not time, lets pass;
/// empty where there are none.
std::string hidden_by_noise(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits);

/// Kernels of OLD that NEW has no time of, which no limit is held against: "vector: not in NEW (reduce sum ...)".
std::vector<std::string> unmatched_kernels(const std::vector<ChangeRow>& rows);

/// What is wrong in NEW: "vector: wrong in NEW (reduce sum ...)", or "wrong in both". Kernels, and the command itself
/// where whole processes were timed.
std::vector<std::string> wrong_results(const std::vector<ChangeRow>& rows);

/// Whether a kernel is in both, and judged.
bool any_kernel_compared(const std::vector<ChangeRow>& rows);

/// A table of what changed, of all with `unchanged`, and a line that counts. With limits a column says what they say,
/// and what cannot be told is shown too.
std::string changes_text(const std::vector<ChangeRow>& rows, bool unchanged = false,
                         const std::vector<Limit>& limits = {});

/// A fact of the environment that is not the same in both; of a side that does not have it, nothing.
struct FactChange {
  std::string name;
  std::optional<std::string> before, after;
};
/// Of driver, CUDA, compiler and processor: what times may depend on.
std::vector<FactChange> fact_changes(const Environment& before, const Environment& after);

/// What compare has found, for its JSON.
struct Comparison {
  Environment environment;  ///< of compare itself
  std::string old_name, new_name;
  BenchReport before, after;
  std::vector<ChangeRow> rows;
  std::vector<Limit> limits;
  int exit_status = 0;
};
inline constexpr const char* compare_schema = "rung-compare-1";
std::string changes_json(const Comparison& comparison);

/// "the machine itself changed: ceiling-read 5% slower (reduce sum ...)"; empty where the ceilings agree.
std::string machine_change(const std::vector<ChangeRow>& rows);

/// What a report warns of, each kind once: texts that differ in numbers alone are one kind.
std::vector<std::string> warnings_of(const BenchReport& report);

}  // namespace rung::cli
