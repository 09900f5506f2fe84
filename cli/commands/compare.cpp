// compare: two files of bench --json. Status 1 when --fail-if says so, has nothing to be held against, or NEW
// is wrong.
#include "../../kernels/error.hpp"
#include "../bench/changes.hpp"
#include "commands.hpp"
#include "json_file.hpp"

#include <utility>

namespace rung::cli {
namespace {

std::string known(const std::optional<std::string>& fact) { return fact.value_or("none recorded"); }

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

int compare_command(const CompareOptions& options, const std::vector<std::string>& args) {
  if (options.before == "-" && options.after == "-")
    throw UsageError("compare: only one of OLD and NEW can be standard input");
  for (const auto& file : {options.before, options.after})
    if (reads_terminal(file)) {
      print_help(help_text("compare"));
      return 2;
    }
  const Console console(options.console);
  JsonFile json(options.json, {options.before, options.after}, !options.console.quiet);
  Comparison c{read_environment(args),
               options.before,
               options.after,
               read_bench_file(options.before),
               read_bench_file(options.after),
               {},
               options.fail_if,
               0};
  for (const FactChange& fact : fact_changes(c.before.environment, c.after.environment))
    console.warn(fact.name + " differs: " + known(fact.before) + ", then " + known(fact.after));
  c.rows = compare_benches(c.before, c.after);
  if (c.rows.empty()) throw UsageError("there is nothing to compare: neither file has a row with a time");
  for (const auto& [name, report] : {std::pair(options.before, &c.before), std::pair(options.after, &c.after)})
    for (const auto& warning : warnings_of(*report)) console.warn(shown_name(name) + " warned: " + warning);
  if (const std::string change = machine_change(c.rows); !change.empty()) console.warn(change);
  if (!options.console.quiet && !json.on_stdout())
    tell_stdout(changes_text(c.rows, options.console.verbose, options.fail_if));
  if (!options.fail_if.empty())
    c.exit_status = hold_against(c.rows, options.fail_if, console);
  else
    for (const auto& text : wrong_results(c.rows)) console.warn(text);
  if (json.asked()) json.write(changes_json(c));
  return c.exit_status;
}

}  // namespace rung::cli
