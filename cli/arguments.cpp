#include "arguments.hpp"

#include "names.hpp"
#include "text.hpp"

#include <algorithm>

namespace rung::cli {
namespace {

class Sorter {
 public:
  Sorter(const std::vector<std::string>& args, const std::vector<OptionName>& names) : args_(args), names_(names) {}

  std::vector<std::string> sort() {
    while (at_ < args_.size()) {
      const std::string& arg = args_[at_++];
      if (arg == "--") {
        positionals_.insert(positionals_.end(), args_.begin() + static_cast<std::ptrdiff_t>(at_), args_.end());
        break;
      }
      if (arg.starts_with("--"))
        word(arg.substr(2));
      else if (arg.size() > 1 && arg[0] == '-')
        letters(arg.substr(1));
      else
        positionals_.push_back(arg);
    }
    options_.emplace_back("--");
    options_.insert(options_.end(), positionals_.begin(), positionals_.end());
    return std::move(options_);
  }

 private:
  void word(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto option =
        std::find_if(names_.begin(), names_.end(), [&](const OptionName& known) { return known.word == name; });
    if (option == names_.end()) throw unknown("--" + name);
    if (!option->takes_value) {
      if (equals != std::string::npos) throw UsageError("--" + name + " takes no value");
      options_.push_back("--" + name);
    } else {
      add(*option, equals == std::string::npos ? next(*option, "--" + name) : text.substr(equals + 1));
    }
  }

  void letters(const std::string& text) {
    // -op would be a file named p, -time the format ime: a word with one dash is taken for one that lacks the other.
    const std::string whole = text.substr(0, text.find('='));
    const auto is_word = [&](const OptionName& known) { return known.word == whole; };
    if (whole.size() > 1 && std::any_of(names_.begin(), names_.end(), is_word))
      throw UsageError("unknown option " + quoted("-" + whole), "did you mean --" + whole + "?");
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto option =
          std::find_if(names_.begin(), names_.end(), [&](const OptionName& known) { return known.letter == text[i]; });
      const std::string typed = std::string("-") + text[i];
      if (option == names_.end()) throw unknown(typed);
      if (option->takes_value) return add(*option, i + 1 < text.size() ? text.substr(i + 1) : next(*option, typed));
      options_.push_back("--" + option->word);
    }
  }

  std::string next(const OptionName& option, const std::string& typed) {
    if (at_ == args_.size()) throw UsageError(typed + (option.takes_file ? " needs a FILE" : " needs a value"));
    const std::string& value = args_[at_++];
    if (option.takes_file && value.size() > 1 && value[0] == '-')
      throw UsageError(typed + " needs a FILE, and " + quoted(value) + " is an option",
                       "- is standard output or input; a name that starts with a dash is ./" + value);
    return value;
  }

  void add(const OptionName& option, const std::string& value) { options_.push_back("--" + option.word + "=" + value); }

  UsageError unknown(const std::string& typed) const {
    std::vector<std::string> valid;
    for (const auto& known : names_) valid.push_back("--" + known.word);
    const std::string suggestion = typed.size() > 2 ? nearest(typed, valid) : std::string();
    return UsageError("unknown option " + quoted(typed),
                      (suggestion.empty() ? "" : "did you mean " + suggestion + "? ") + "valid: " + join(valid, " "));
  }

  const std::vector<std::string>& args_;
  const std::vector<OptionName>& names_;
  std::size_t at_ = 0;
  std::vector<std::string> options_, positionals_;
};

}  // namespace

std::vector<std::string> sort_arguments(const std::vector<std::string>& args, const std::vector<OptionName>& names) {
  return Sorter(args, names).sort();
}

}  // namespace rung::cli
