// compare: two files of bench --json. Status 1 when --fail-if says so.
#include "../../kernels/error.hpp"
#include "../bench/changes.hpp"
#include "commands.hpp"

namespace rung::cli {
namespace {

std::string fact(const BenchReport& report, const std::string& name) {
  for (const auto& [key, value] : report.environment)
    if (key == name) return value;
  return {};
}

}  // namespace

int compare_command(const CompareOptions& options) {
  if (options.before == "-" && options.after == "-")
    throw UsageError("compare: only one of OLD and NEW can be standard input");
  const Console console(options.console);
  const BenchReport before = read_bench_file(options.before), after = read_bench_file(options.after);
  for (const char* name : {"driver", "cuda", "compiler", "processor"})
    if (fact(before, name) != fact(after, name))
      console.warn(std::string(name) + " differs: " + fact(before, name) + ", then " + fact(after, name));
  const auto rows = compare_benches(before, after);
  if (rows.empty()) throw UsageError("there is nothing to compare: neither file has a row with a time");
  if (!options.console.quiet) write_stdout(changes_text(rows));
  const auto beyond = violations(rows, options.fail_if);
  for (const auto& text : beyond) console.error(text);
  return beyond.empty() ? 0 : 1;
}

}  // namespace rung::cli
