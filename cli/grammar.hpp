// One subcommand's options: their words, their help, and what to do with each.
#pragma once
#include "options.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

class Grammar {
 public:
  Grammar(const std::string& name, const std::string& usage, const std::string& about);
  Grammar(Grammar&&) noexcept;
  ~Grammar();

  /// Options that follow appear under this heading.
  void group(std::string name);
  /// names: "o,output" or "output". `take` is called with the text as typed, at every appearance.
  void value(const std::string& names, const std::string& argument, const std::string& about,
             std::function<void(const std::string&)> take);
  void flag(const std::string& names, const std::string& about, std::function<void()> take);
  void examples(std::string text);

  /// Runs what was given with each option, in the order of the command line; fills in the positionals.
  /// --help and --version come first, whatever else is there, as text.
  std::optional<PrintText> parse(const std::vector<std::string>& args, std::vector<std::string>& positionals);
  /// The words, without dashes, of the options that the command line had.
  const std::vector<std::string>& given() const;
  bool given(const std::string& word) const;

 private:
  struct Spec;
  std::unique_ptr<Spec> spec_;
};

/// `verbose`: what -v says.
void add_console(Grammar& g, ConsoleOptions& o,
                 const std::string& verbose = "say which machine and kernel were chosen, and why");
/// `where` and `format`: what holds without -o and -t.
void add_output(Grammar& g, std::string& output, std::optional<io::Format>& to, const std::string& where,
                const std::string& format);
/// What --acc takes.
inline constexpr const char* acc_words =
    "wide (default); or same: the element's type, with bool counted in 8 bits, and f16 and bf16 summed in f32; rung "
    "list dtypes "
    "has both";

/// `made`: what else --dtype is for, with a comma after it; `made_shape`: what --shape is for.
void add_input(Grammar& g, io::ReadOptions& o, const std::string& made = {}, const std::string& made_shape = {});

/// What the operations give where that could be otherwise (design §4).
inline constexpr const char* op_words =
    "Sums and products of integers wrap at 64 bits, with --acc same at the type's own; a NaN wins min, max, argmin and "
    "argmax; argmin and argmax give the "
    "first of equals, its flat index in C order, or that along the axis";

/// `automatic`: what --device auto does.
void add_kernel_choice(Grammar& g, RunOptions& o, const std::string& automatic);
/// --json of a command that has no other report; `about`: what it holds.
void add_json(Grammar& g, std::string& path, const std::string& about);
/// `json`: what its report holds.
void add_report(Grammar& g, RunOptions& o, const std::string& json = "the report as JSON, with the environment");

/// What to compute, of which input where there is no FILE; the last two: how much there then is.
void add_work(Grammar& g, RunOptions& o, Distribution& distribution, std::uint64_t& seed, const std::string& count,
              const std::string& matrix);
/// An option of reading, and no FILE: standard input is it. Throws UsageError for options that make input beside one
/// that is read.
void settle_input(const Grammar& g, RunOptions& o);
/// Throws UsageError for options of add_work that the family has not. `given`: whether an option is there.
void refuse_other_family(Family family, const std::function<bool(const std::string&)>& given);

Command parse_bench(const std::vector<std::string>& args);
Command parse_explain(const std::vector<std::string>& args);
Command parse_compare(const std::vector<std::string>& args);

/// reduce, transpose, reverse.
Command parse_run(Family family, const std::vector<std::string>& args);

}  // namespace rung::cli
