#include "options.hpp"

#include "../kernels/error.hpp"
#include "arguments.hpp"
#include "grammar.hpp"
#include "help.hpp"
#include "names.hpp"
#include "report/commit.hpp"
#include "text.hpp"
#include "values.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

// Its own parser of words instead of std::regex, whose recursion a long argument overflows.
#define CXXOPTS_NO_REGEX
#include <cxxopts.hpp>

namespace rung::cli {
namespace {

const std::vector<std::string> subcommands{"reduce", "transpose", "reverse", "bench", "explain", "compare",
                                           "list",   "info",      "gen",     "diff",  "help"};

}  // namespace

struct Grammar::Spec {
  cxxopts::Options options;
  std::string name, group, examples;
  std::vector<std::string> groups, given;
  std::vector<OptionName> names;
  std::map<std::string, std::function<void(const std::string&)>> take;

  void add(const std::string& both, const std::string& about, const std::shared_ptr<cxxopts::Value>& value,
           const std::string& argument, std::function<void(const std::string&)> action) {
    options.add_options(group)(both, about, value, argument);
    if (groups.empty() || groups.back() != group) groups.push_back(group);
    const bool has_letter = both.size() > 1 && both[1] == ',';
    const std::string word = has_letter ? both.substr(2) : both;
    names.push_back({has_letter ? both[0] : '\0', word, !value->is_boolean(), argument == "FILE"});
    take[word] = std::move(action);
  }
  bool names_file(const std::string& word) const {
    return std::any_of(names.begin(), names.end(), [&](const OptionName& n) { return n.takes_file && n.word == word; });
  }
  std::string help() {
    const std::size_t width = help_width();
    options.set_width(width);
    return wrapped(options.help(groups) + "\nExamples:\n" + examples + "\n" + exit_statuses, width);
  }
};

Grammar::Grammar(const std::string& name, const std::string& usage, const std::string& about)
    : spec_(new Spec{cxxopts::Options("rung " + name, about + "\n"), name, {}, {}, {}, {}, {}, {}}) {
  spec_->options.custom_help(usage);
}
Grammar::Grammar(Grammar&&) noexcept = default;
Grammar::~Grammar() = default;

void Grammar::group(std::string name) { spec_->group = std::move(name); }
void Grammar::examples(std::string text) { spec_->examples = std::move(text); }

void Grammar::value(const std::string& names, const std::string& argument, const std::string& about,
                    std::function<void(const std::string&)> take) {
  spec_->add(names, about, cxxopts::value<std::string>(), argument, std::move(take));
}

void Grammar::flag(const std::string& names, const std::string& about, std::function<void()> take) {
  spec_->add(names, about, cxxopts::value<bool>(), "", [take = std::move(take)](const std::string&) { take(); });
}

std::optional<PrintText> Grammar::parse(const std::vector<std::string>& args, std::vector<std::string>& positionals) {
  auto words = sort_arguments(args, spec_->names);
  words.insert(words.begin(), spec_->name);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  const auto result = spec_->options.parse(static_cast<int>(argv.size()), argv.data());
  if (result.count("help")) return PrintText{spec_->help()};
  if (result.count("version")) return PrintText{version_page()};
  for (const auto& option : result.arguments()) {
    spec_->given.push_back(option.key());
    if (option.value().empty() && spec_->names_file(option.key()))
      throw UsageError("--" + option.key() + " \"\": not a file name");
    spec_->take.at(option.key())(option.value());
  }
  positionals = result.unmatched();
  return std::nullopt;
}

const std::vector<std::string>& Grammar::given() const { return spec_->given; }

bool Grammar::given(const std::string& word) const {
  return std::find(spec_->given.begin(), spec_->given.end(), word) != spec_->given.end();
}

namespace {

Command parse_list_command(const std::vector<std::string>& args) {
  ListOptions o;
  ConsoleOptions console;
  Grammar g("list", "[kernels [NAME...]|references|machines|dtypes|formats]",
            "Lists what there is; kernels unless told. kernels NAME: those of a family (reduce, transpose, reverse) or "
            "of a name. Of their flags, ladder is a rung that -k ladder runs, and atomic-order one that adds floats in "
            "whatever order its atomics come, so that the last digits may differ from run to run.");
  g.group("List");
  g.flag("markdown", "as a Markdown table", [&o] { o.markdown = true; });
  add_json(g, o.json, "the same as JSON, of kernels with what each teaches");
  add_console(g, console, "of kernels also what each teaches, as a kernel that is named is shown anyway");
  g.examples(
      "  rung list\n  rung list kernels reduce -v\n  rung list kernels shuffle\n  rung list references\n"
      "  rung list kernels --markdown\n");
  std::vector<std::string> words;
  if (auto text = g.parse(args, words)) return *text;
  if (!words.empty()) o.what = static_cast<Listing>(choose("listing", words[0], strings(listing_names)));
  if (words.size() > 1 && o.what != Listing::kernels)
    throw UsageError("list " + words[0] + " takes one word; there are " + std::to_string(words.size()),
                     "kernels alone are chosen by name: rung list kernels reduce");
  if (!words.empty()) o.names.assign(words.begin() + 1, words.end());
  o.teaches = console.verbose;
  if (o.markdown && io::is_stdout(o.json))
    throw UsageError("--markdown and --json " + o.json + ": each would go to standard output",
                     "name a file for the JSON, or leave one of them out");
  return o;
}

Command parse_info(const std::vector<std::string>& args) {
  InfoOptions o;
  Grammar g("info", "[options] [FILE...]", "Says what a file holds: dtype, shape, order, bytes, format.");
  add_input(g, o.read);
  g.group("Report");
  add_json(g, o.json, "the same as JSON, and of several FILEs those that failed");
  add_console(g, o.console, "no more than is said anyway");
  g.examples(
      "  rung info big.npy temps.csv\n  rung gen 10x10 | rung info\n"
      "  rung info --json - *.npy | jq -r '.files[] | .input'\n");
  if (auto text = g.parse(args, o.files)) return *text;
  if (o.files.empty()) o.files = {"-"};
  return o;
}

Command parse_gen(const std::vector<std::string>& args) {
  GenOptions o;
  Grammar g("gen", "SHAPE [options]", "Makes an array, the same bits for the same seed on every machine.");
  g.group("Array");
  g.value("dtype", "T", "element type (default f64); see rung list dtypes",
          [&o](const auto& text) { o.dtype = parse_dtype_name(text); });
  g.value("dist", "D",
          "uniform (default): floats in [0, 1), integers over the whole type; normal: mean 0, deviation 1; arange: the "
          "index, which wraps as the integer type does, and of floats at the last they count exactly (bf16 2^8, f16 "
          "2^11, f32 2^24); exact: integers so small that every order of summation gives the same bits",
          [&o](const auto& text) {
            o.distribution =
                static_cast<Distribution>(choose("distribution", text, {"uniform", "normal", "arange", "exact"}));
          });
  g.value("seed", "N", "which random numbers (default 0)",
          [&o](const auto& text) { o.seed = parse_count("--seed", text); });
  add_output(g, o.output, o.to, "(default -, standard output)", "npy (bf16: raw, as npy has no name for it)");
  add_console(g, o.console, "no more than is said anyway");
  g.examples(
      "  rung gen 4096x4096 --dtype f32 -o m.npy\n  rung gen 2^20 --dist exact | rung reduce --check\n"
      "  rung gen 4x3 --dist arange -t csv\n");
  std::vector<std::string> words;
  if (auto text = g.parse(args, words)) return *text;
  if (words.size() != 1) throw UsageError("gen needs one SHAPE", "such as 4096x300 or 2^20");
  o.shape = parse_shape("SHAPE", words[0]);
  return o;
}

Command parse_diff(const std::vector<std::string>& args) {
  DiffOptions o;
  Grammar g("diff", "A B [options]",
            "Compares two arrays: for the output of your own kernel. Silent when they agree. Of two formats each takes "
            "the input options that are for it; npy takes none.");
  g.group("Comparison");
  g.value(
      "max-ulp", "N",
      "how many units in the last place floats may differ (default 0: bit for bit, where 0 and -0 differ; from 1 on "
      "they do not). NaNs are equal to one another; integers and bools must be equal whatever N is",
      [&o](const auto& text) { o.tolerance.max_ulp = parse_count("--max-ulp", text); });
  g.value(
      "rtol", "R",
      "numbers of any type may differ by this share of B's: |A - B| <= atol + rtol * |B|, as in NumPy's allclose, B "
      "being what is expected (default 0, also beside --atol). Integers are compared without rounding, the others in "
      "f64, complex numbers by modulus; 0 and -0 are equal, NaNs too, and an infinity is equal to itself alone. "
      "Beside --max-ulp either is enough",
      [&o](const auto& text) { o.tolerance.rtol = parse_decimal("--rtol", text); });
  g.value("atol", "A", "how far they may be apart whatever their size; see --rtol (default 0, also beside --rtol)",
          [&o](const auto& text) { o.tolerance.atol = parse_decimal("--atol", text); });
  g.group("Report");
  g.value("json", "FILE", "the report as JSON, with the environment; see docs/diff.md",
          [&o](const auto& text) { o.json = text; });
  add_input(g, o.read);
  add_console(g, o.console, "say so, too, where there is no difference");
  g.examples(
      "  rung diff mine.npy theirs.npy\n  rung transpose m.npy | rung diff --max-ulp 1 - t.npy\n"
      "  rung diff mine.npy want.npy --rtol 1e-5 --atol 1e-8\n"
      "  rung diff want.npy mine.bin --dtype f32 --shape 300x400\n");
  std::vector<std::string> words;
  if (auto text = g.parse(args, words)) return *text;
  if (words.size() != 2) throw UsageError("diff needs two files, A and B; there are " + std::to_string(words.size()));
  if (words[0] == "-" && words[1] == "-") throw UsageError("diff: only one of A and B can be standard input");
  o.a = words[0];
  o.b = words[1];
  return o;
}

std::string overview_page() { return wrapped(overview + std::string(exit_statuses), help_width()); }

Command parse_subcommand(const std::string& name, const std::vector<std::string>& rest) {
  switch (choose("subcommand", name, subcommands)) {
    case 0:
      return parse_run(Family::reduce, rest);
    case 1:
      return parse_run(Family::transpose, rest);
    case 2:
      return parse_run(Family::reverse, rest);
    case 3:
      return parse_bench(rest);
    case 4:
      return parse_explain(rest);
    case 5:
      return parse_compare(rest);
    case 6:
      return parse_list_command(rest);
    case 7:
      return parse_info(rest);
    case 8:
      return parse_gen(rest);
    case 9:
      return parse_diff(rest);
    default:
      break;
  }
  if (rest.empty() || rest[0] == "help" || rest[0] == "--help" || rest[0] == "-h") return PrintText{overview_page()};
  return parse_subcommand(rest[0], {"--help"});
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& args) {
  if (args.empty()) return NothingAsked{overview_page()};
  if (args[0] == "--help" || args[0] == "-h") return PrintText{overview_page()};
  if (args[0] == "--version") return PrintText{version_page()};
  if (args[0].starts_with("-") && args[0].size() > 1)
    throw UsageError("unknown option " + quoted(args[0]) + " before a subcommand",
                     "valid: --help, --version, or a subcommand: " + join(subcommands, ", "));
  return parse_subcommand(args[0], {args.begin() + 1, args.end()});
}

std::string help_text(const std::string& subcommand) {
  return std::get<PrintText>(parse_subcommand(subcommand, {"--help"})).text;
}

std::string version_text() { return "rung " RUNG_VERSION; }

std::string version_page() {
  const std::string commit(built_from());
  return version_text() + "\n" + (commit.empty() ? "" : "commit " + commit + "\n");
}

}  // namespace rung::cli
