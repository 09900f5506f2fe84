// The words of a command line, sorted into options and positionals, before cxxopts sees them. It would split
// values at commas, take no value attached to a short option, and know no nearest name.
#pragma once
#include <string>
#include <vector>

namespace rung::cli {

struct OptionName {
  char letter = 0;   ///< 0: none
  std::string word;  ///< without dashes
  bool takes_value = false;
  bool takes_file = false;  ///< a word of its own that starts with a dash is then another option, but for "-"
};

/// The same command line in one form: `--word` and `--word=value` for every option in order, then `--`, then the
/// positionals in order. `-` is a positional; everything after `--` is one; a value may start with a dash.
/// Throws UsageError for an option that is not in `names`, and for a value that is missing or not wanted.
std::vector<std::string> sort_arguments(const std::vector<std::string>& args, const std::vector<OptionName>& names);

}  // namespace rung::cli
