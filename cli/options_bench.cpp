#include "../kernels/error.hpp"
#include "bench/sweep.hpp"
#include "grammar.hpp"
#include "names.hpp"
#include "text.hpp"
#include "values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rung::cli {
namespace {

/// A decimal number above 0.
double parse_positive(const std::string& option, std::string_view text, std::string_view number) {
  double value = 0;
  const char* end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value);
  if (number.empty() || result.ec != std::errc{} || result.ptr != end || !(value > 0) || !std::isfinite(value))
    throw UsageError(option + " " + quoted(text) + ": not a number above 0");
  return value;
}

/// "0.5%" as 0.005; the sign may be left out.
double parse_share(const std::string& option, std::string_view text, std::string_view number) {
  if (number.ends_with('%')) number.remove_suffix(1);
  return parse_positive(option, text, number) / 100;
}

Limit parse_limit(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  Limit limit;
  limit.slower = choose("change", kind, {"slower", "faster"}) == 0;
  if (colon != std::string::npos)
    limit.share = parse_share("--fail-if", text, std::string_view(text).substr(colon + 1));
  return limit;
}

void add_sweep(Grammar& g, BenchOptions& o) {
  g.value(
      "a,sweep", "NAME=VALUES",
      "sweep: n, shape, dtype, op, axis, acc, mode, block, grid or items; values with commas between, counts also as "
      "2^10:2^30:x4 or 1:9:+2; repeated, all combinations",
      [&o](const auto& text) { o.sweep.push_back(parse_sweep(text)); });
}

void add_method(Grammar& g, BenchOptions& o) {
  g.group("Method");
  g.value("mode", "M",
          "cold (default): nothing of the input in the cache; hot: the same run again; graph (gpu): a captured batch "
          "over rotating inputs, for runs that are short beside a launch",
          [&o](const auto& text) { o.mode = static_cast<Mode>(choose("mode", text, strings(mode_names))); });
  g.flag(
      "end-to-end",
      "time whole processes, rung FAMILY FILE, from file to result and start-up included, against -d cpu; made input "
      "is a file of $TMPDIR for the time",
      [&o] { o.end_to_end = true; });
  g.value("precision", "P%",
          "stop when the median's 95 % interval is within this many percent of it (default 0.5%; 0.5 is the same)",
          [&o](const auto& text) { o.precision = parse_share("--precision", text, text); });
  g.value("max-time", "SECONDS", "stop sampling a point after so long (default 5)",
          [&o](const auto& text) { o.max_seconds = parse_positive("--max-time", text, text); });
  g.value("min-samples", "N",
          "before the precision is looked at (default 20); 2000, or N where that is more, are the most (most-samples)",
          [&o](const auto& text) { o.least_samples = parse_launch("--min-samples", text); });
  g.flag("no-reference", "leave the libraries out; end to end: the cpu", [&o] { o.references = false; });
  g.group("Report");
  g.value("svg", "FILE", "a plot of GB/s by size", [&o](const auto& text) { o.svg = text; });
  g.value("from-json", "FILE", "measure nothing: render an earlier --json file",
          [&o](const auto& text) { o.from_json = text; });
}

/// What an option has no effect beside is an error: its figures would be taken for others.
void refuse_idle_options(const Grammar& g, BenchOptions& o) {
  if (o.from_json.empty()) return settle_input(g, o.run);
  static const std::vector<std::string> renders{"json",  "csv",   "markdown", "svg",
                                                "quiet", "color", "verbose",  "from-json"};
  for (const std::string& word : g.given())
    if (std::find(renders.begin(), renders.end(), word) == renders.end())
      throw UsageError("--from-json measures nothing: leave " + (word == "count" ? "-n" : "--" + word) + " out");
}

void check_sweep(const Grammar& g, BenchOptions& o) {
  for (const auto& axis : o.sweep) {
    if (g.given(axis.name)) throw UsageError("--" + axis.name + " and -a " + axis.name, "leave one of them out");
    if (axis.name == "axis" && o.run.family == Family::transpose) throw UsageError("-a axis is for reduce and reverse");
    if (!o.run.files.empty() && (axis.name == "n" || axis.name == "shape" || axis.name == "dtype"))
      throw UsageError("-a " + axis.name + " makes input; the FILE is one");
    if (axis.name == "n" || axis.name == "shape") {
      if (o.run.read.shape) throw UsageError("-a " + axis.name + " and another shape", "leave -n and --shape out");
      o.run.read.shape = Shape{1};
    }
  }
  const auto given = [&](const std::string& name) {
    return g.given(name) ||
           std::any_of(o.sweep.begin(), o.sweep.end(), [&](const SweepAxis& axis) { return axis.name == name; });
  };
  if (given("mode") && o.end_to_end)
    throw UsageError("--mode and --end-to-end: a process runs once, whatever the cache holds", "leave one of them out");
  if (o.run.device.machine && *o.run.device.machine == Machine::sim)
    for (const char* name : {"mode", "precision", "max-time", "min-samples"})
      if (given(name))
        throw UsageError("--" + std::string(name) + ": the simulator's times are of three runs, whatever is asked for",
                         "leave it out, or name another machine with -d");
  refuse_other_family(o.run.family, given);
}

}  // namespace

Command parse_bench(const std::vector<std::string>& args) {
  BenchOptions o;
  Grammar g("bench", "reduce|transpose|reverse [options] [FILE]",
            "Measures kernels against the libraries, interleaved, correct before and after; makes its input, or reads "
            "FILE, of which - is standard input.");
  add_work(g, o.run, o.distribution, o.seed, "2^24", "4096x4096");
  add_sweep(g, o);
  add_kernel_choice(
      g, o.run,
      "a GPU where there is one, else the cpu; kernels of the cpu alone take the cpu. Unlike rung reduce, "
      "transpose and reverse, which weigh the copy");
  add_method(g, o);
  add_report(g, o.run);
  add_input(g, o.run.read, "made input (default f32), ", "made input: 4096x4096, 2^20 (see -n); ");
  add_console(g, o.run.console);
  g.examples(
      "  rung bench reduce -k ladder -n 2^28 --dtype f32 --acc same\n"
      "  rung bench reduce --mode graph -a n=2^10:2^30:x4 -a dtype=i32,f32 --json reduce.json\n"
      "  rung bench transpose -a shape=1024x1024,4097x8191 -d cpu\n"
      "  rung bench transpose big.npy --end-to-end -d gpu --max-time 120\n"
      "  rung bench --from-json reduce.json --markdown - --svg reduce.svg\n");
  std::vector<std::string> words;
  if (auto text = g.parse(args, words)) return *text;
  if (!o.from_json.empty()) {
    if (!words.empty()) throw UsageError("--from-json measures nothing: leave " + quoted(words[0]) + " out");
    refuse_idle_options(g, o);
    return o;
  }
  if (words.empty()) throw UsageError("bench needs a family", "valid: " + join(strings(family_names), ", "));
  o.run.family = static_cast<Family>(choose("family", words[0], strings(family_names)));
  o.run.files.assign(words.begin() + 1, words.end());
  if (o.run.files.size() > 1) throw UsageError("bench takes one FILE; there are " + std::to_string(o.run.files.size()));
  refuse_idle_options(g, o);
  check_sweep(g, o);
  return o;
}

Command parse_compare(const std::vector<std::string>& args) {
  CompareOptions o;
  Grammar g("compare", "OLD.json NEW.json [options]",
            "Compares two benchmarks. Times differ when their medians are further apart than the noise floor and their "
            "intervals are disjoint. Percentages are of OLD's median. Rows with no difference are counted; -v shows "
            "them. Where the ceilings differ too, the machine itself has changed, and a warning says so.");
  g.group("Comparison");
  g.value(
      "fail-if", "CHANGE",
      "slower:2% or faster:2%: exit status 1 when a kernel's median changed by more percent of OLD's (slower:2 is "
      "the same; slower alone: by any change beyond the noise), is wrong in NEW, or no kernel could be compared; "
      "kernels that are missing in NEW are named, with -q too; where noise reaches beyond the limit, and the median "
      "does not, the table says cannot tell, a warning too, and the kernel passes; where the ceiling moved as well, "
      "that stands beside the kernel that failed; repeat it for both",
      [&o](const auto& text) { o.fail_if.push_back(parse_limit(text)); });
  g.group("Report");
  add_json(g, o.json, "all rows as JSON, with both environments");
  add_console(g, o.console, "show the rows with no difference too");
  g.examples(
      "  rung compare before.json after.json\n  rung compare main.json pr.json --fail-if slower:2%\n"
      "  rung compare main.json pr.json --json - | jq '.rows[] | select(.change == \"slower\")'\n");
  std::vector<std::string> words;
  if (auto text = g.parse(args, words)) return *text;
  if (words.size() != 2)
    throw UsageError("compare needs two files, OLD and NEW; there are " + std::to_string(words.size()));
  o.before = words[0];
  o.after = words[1];
  return o;
}

}  // namespace rung::cli
