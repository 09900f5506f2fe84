// compare: two files of bench --json. Status 1 when --fail-if says so, has nothing to be held against, or NEW
// is wrong.
#include "../../kernels/error.hpp"
#include "../bench/changes.hpp"
#include "commands.hpp"

#include <utility>

namespace rung::cli {
namespace {

std::string fact(const BenchReport& report, const std::string& name) {
  for (const auto& [key, value] : report.environment)
    if (key == name) return value;
  return {};
}

/// Whatever could not be held against the limits is said: a gate that passes because nothing ran, or because what ran
/// is wrong, is none.
int hold_against(const std::vector<ChangeRow>& rows, const std::vector<Limit>& limits, const Console& console) {
  const auto wrong = wrong_results(rows);
  for (const auto& text : wrong) console.error(text);
  for (const auto& text : unmatched_kernels(rows)) console.error(text);
  const auto beyond = violations(rows, limits);
  for (const auto& text : beyond) console.error(text);
  if (const std::string hidden = hidden_by_noise(rows, limits); !hidden.empty()) console.warn("--fail-if: " + hidden);
  const bool compared = any_kernel_compared(rows);
  if (!compared) console.error("--fail-if: no kernel was compared, so that nothing is known of a change");
  return wrong.empty() && beyond.empty() && compared ? 0 : 1;
}

}  // namespace

int compare_command(const CompareOptions& options) {
  if (options.before == "-" && options.after == "-")
    throw UsageError("compare: only one of OLD and NEW can be standard input");
  for (const auto& file : {options.before, options.after})
    if (reads_terminal(file)) {
      print_help(help_text("compare"));
      return 2;
    }
  const Console console(options.console);
  const BenchReport before = read_bench_file(options.before), after = read_bench_file(options.after);
  for (const char* name : {"driver", "cuda", "compiler", "processor"})
    if (fact(before, name) != fact(after, name))
      console.warn(std::string(name) + " differs: " + fact(before, name) + ", then " + fact(after, name));
  const auto rows = compare_benches(before, after);
  if (rows.empty()) throw UsageError("there is nothing to compare: neither file has a row with a time");
  for (const auto& [name, report] : {std::pair(options.before, &before), std::pair(options.after, &after)})
    for (const auto& warning : warnings_of(*report)) console.warn(shown_name(name) + " warned: " + warning);
  if (const std::string change = machine_change(rows); !change.empty()) console.warn(change);
  if (!options.console.quiet) tell_stdout(changes_text(rows, options.console.verbose));
  if (!options.fail_if.empty()) return hold_against(rows, options.fail_if, console);
  for (const auto& text : wrong_results(rows)) console.warn(text);
  return 0;
}

}  // namespace rung::cli
