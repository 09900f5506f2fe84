#include "../kernels/error.hpp"
#include "grammar.hpp"
#include "names.hpp"
#include "text.hpp"
#include "values.hpp"

#include <algorithm>

namespace rung::cli {

void add_work(Grammar& g, RunOptions& o, Distribution& distribution, std::uint64_t& seed, const std::string& count,
              const std::string& matrix) {
  g.group("Work");
  g.value("n,count", "N",
          "made input: so many elements in one dimension (default " + count +
              "); --shape RxC is for more. Not for transpose, which leaves one dimension as it is (default " + matrix +
              ")",
          [&o](const auto& text) {
            o.read.shape = parse_shape("-n", text);
            if (o.read.shape->size() != 1)
              throw UsageError("-n " + quoted(text) + ": not one number of elements", "--shape RxC is for dimensions");
          });
  g.value("op", "OP", std::string("reduce: sum (default), prod, min, max, mean, argmin, argmax. ") + op_words,
          [&o](const auto& text) { o.op = static_cast<Op>(choose("operation", text, strings(op_names))); });
  g.value("acc", "A", std::string("reduce: accumulator: ") + acc_words,
          [&o](const auto& text) { o.acc = static_cast<Acc>(choose("--acc", text, strings(acc_names))); });
  g.value("axis", "N", "reduce, reverse: along axis N, negative from the end; repeat it for several",
          [&o](const auto& text) {
            const auto more = parse_axes("--axis", text);
            o.axes.insert(o.axes.end(), more.begin(), more.end());
          });
  g.value("axes", "P", "transpose: the permutation, as in 2,0,1",
          [&o](const auto& text) { o.axes = parse_axes("--axes", text); });
  g.value("dist", "D", "made input: uniform (default), normal, arange, exact; see rung gen",
          [&distribution](const auto& text) {
            distribution =
                static_cast<Distribution>(choose("distribution", text, {"uniform", "normal", "arange", "exact"}));
          });
  g.value("seed", "N", "made input: which random numbers (default 0)",
          [&seed](const auto& text) { seed = parse_count("--seed", text); });
}

void settle_input(const Grammar& g, RunOptions& o) {
  const auto among = [](const std::string& word, const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  static const std::vector<std::string> makes{"count", "dist", "seed"},
      reads{"from", "offset", "endian", "delimiter", "header", "columns", "missing"};
  const auto one_of = [&](const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return g.given(word); });
  };
  if (g.given("count") && g.given("shape"))
    throw UsageError("-n and --shape both say how large the input is", "leave one of them out");
  if (o.files.empty() && one_of(reads) && !one_of(makes)) o.files = {"-"};
  for (const std::string& word : g.given()) {
    const std::string option = word == "count" ? "-n" : "--" + word;
    if (!o.files.empty() && among(word, makes))
      throw UsageError(option + " makes input, and " + quoted(o.files[0]) + " is one", "leave one of them out");
    if (o.files.empty() && among(word, reads))
      throw UsageError(option + " is for reading a FILE, and there is none",
                       "leave it out, or name a FILE; - is standard input");
  }
}

void refuse_other_family(Family family, const std::function<bool(const std::string&)>& given) {
  const bool transposes = family == Family::transpose;
  if (transposes && (given("count") || given("n")))
    throw UsageError("-n makes one dimension, whose transpose is a copy", "--shape RxC makes a matrix");
  for (const char* name : {"op", "acc"})
    if (given(name) && family != Family::reduce) throw UsageError("--" + std::string(name) + " is for reduce");
  if (given("axes") && !transposes) throw UsageError("--axes is for transpose", "--axis names the axes of the others");
  if (given("axis") && transposes) throw UsageError("--axis is for reduce and reverse", "see --axes");
}

Command parse_explain(const std::vector<std::string>& args) {
  ExplainOptions o;
  Grammar g("explain", "reduce|transpose|reverse [options] [FILE]",
            "Runs kernels on the simulator, which needs no GPU, and says what their memory accesses cost a warp, and "
            "why: sectors of global memory, wavefronts of shared memory, atomics, idle lanes, and the lines of source "
            "that are to blame; with races, bounds and barriers checked, where a fault is exit status 1. Makes its "
            "input, or reads FILE, of which - is standard input. See docs/explain.md.");
  add_work(g, o.run, o.distribution, o.seed, "2^14", "128x128");
  add_kernel_choice(g, o.run, "here sim alone, which records what is accessed");
  add_report(g, o.run);
  add_input(g, o.run.read, "made input (default f32), ", "made input: 128x128, 2^14 (see -n); ");
  add_console(g, o.run.console, "show every line of the source that accesses memory, not the worst alone");
  g.examples(
      "  rung explain transpose -k ladder\n  rung explain transpose -k tile,tile-padded --shape 256x256\n"
      "  rung explain reduce -k ladder -n 2^16 --acc same\n  rung explain reverse -k direct,shared small.npy --json "
      "-\n");
  std::vector<std::string> words;
  if (auto text = g.parse(args, words)) return *text;
  if (words.empty()) throw UsageError("explain needs a family", "valid: " + join(strings(family_names), ", "));
  o.run.family = static_cast<Family>(choose("family", words[0], strings(family_names)));
  o.run.files.assign(words.begin() + 1, words.end());
  if (o.run.files.size() > 1)
    throw UsageError("explain takes one FILE; there are " + std::to_string(o.run.files.size()));
  if (o.run.device.machine && *o.run.device.machine != Machine::sim)
    throw UsageError("explain runs on sim, not on " + std::string(name_of(*o.run.device.machine)),
                     "leave -d out; rung bench measures on the others");
  settle_input(g, o.run);
  refuse_other_family(o.run.family, [&g](const std::string& word) { return g.given(word); });
  return o;
}

}  // namespace rung::cli
