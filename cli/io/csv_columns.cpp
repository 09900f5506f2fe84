#include "csv.hpp"

#include <algorithm>
#include <charconv>

namespace rung::io::csv {
namespace {

/// A position from 1, all of the text.
std::optional<std::size_t> position(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc{} ? value : SIZE_MAX;
}

struct Range {
  std::size_t first;
  std::optional<std::size_t> last;  ///< nothing: as far as there are columns
  bool is_one() const { return last == first; }
};

/// "3", "5-7", "3-".
std::optional<Range> range(std::string_view item) {
  const std::size_t dash = item.find('-');
  const std::optional<std::size_t> first = position(item.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return Range{*first, first};
  const std::string_view after = item.substr(dash + 1);
  const std::optional<std::size_t> last = position(after);
  if (!last && !after.empty()) return std::nullopt;
  return Range{*first, last};
}

/// "-4" is the first four to cut(1), and the fourth from the end to --axis: nobody's guess. Empty for other items.
std::string hint_of_dash(std::string_view item) {
  if (!item.starts_with('-') || position(item.substr(1)).value_or(0) == 0) return {};
  return "columns 1 to " + std::string(item.substr(1)) + " are 1" + std::string(item) +
         "; none is counted from the end";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + column_word(name);
  return text;
}

std::size_t find_name(std::string_view item, const std::vector<std::string>& names, std::size_t fields,
                      const std::string& where) {
  const std::string dash = hint_of_dash(item);
  const auto found = std::find(names.begin(), names.end(), item);
  if (found == names.end())
    throw UsageError(where + ": the header has no column " + quoted(item),
                     !dash.empty() ? dash : "its columns: " + listed(names));
  if (std::find(found + 1, names.end(), item) != names.end())
    throw UsageError(where + ": the header has column " + quoted(item) + " more than once", "give its position");
  if (names.size() != fields)  // which name belongs to which field is then a guess
    throw UsageError(where + ": the header has " + std::to_string(names.size()) + " names, the lines have " +
                         std::to_string(fields) + " fields",
                     "give positions to --columns");
  return static_cast<std::size_t>(found - names.begin());
}

struct Item {
  std::string text;
  std::optional<Range> range;  ///< nothing: a name
};

std::vector<Item> parse_items(const std::string& list, bool named) {
  std::vector<Item> parsed;
  FieldScanner items(list, ',');
  for (Field field; items.next(field);) {
    if (field.fault != Field::Fault::none)
      throw UsageError("--columns " + quoted(list) + ": a quote that does not end",
                       "quote as in CSV: \"a,b\",c; a quote in a name is two");
    const std::string item = unescaped(field);
    if (item.empty()) throw UsageError("--columns " + quoted(list) + " has an empty item");
    const std::optional<Range> span = field.quoted ? std::nullopt : range(item);
    const std::string dash = hint_of_dash(item);
    if (!span && !named)
      throw UsageError("--columns " + quoted(item) + " is neither a position nor a range of them",
                       !dash.empty() ? dash : "positions count from 1 (2,5-7,9-); names need --header yes");
    if (span && (span->first == 0 || span->last == 0)) throw UsageError("--columns counts from 1");
    if (span && span->last && span->first > *span->last)
      throw UsageError("--columns " + quoted(item) + ": the range runs backwards");
    parsed.push_back({item, span});
  }
  return parsed;
}

}  // namespace

void check_columns(const std::string& list, bool named) { parse_items(list, named); }

std::vector<std::size_t> resolve_columns(const std::string& list, std::size_t fields,
                                         const std::vector<std::string>& names, const std::string& where) {
  std::vector<std::size_t> columns;
  for (const auto& [item, span] : parse_items(list, !names.empty())) {
    if (span) {
      const auto named = std::find(names.begin(), names.end(), item);
      const bool one = span->is_one();
      const std::size_t last = span->last.value_or(fields);
      if (named != names.end() && !(one && static_cast<std::size_t>(named - names.begin()) + 1 == span->first))
        throw UsageError(where + ": --columns " + quoted(item) + " is both " +
                             (one ? "a position and the name of another column" : "a range and the name of a column"),
                         "in quotes it is the name: --columns '\"" + item + "\"'");
      if (std::max(span->first, last) > fields)
        throw UsageError(where + ": there is no column " + item + ": the line has " + std::to_string(fields) +
                             (fields == 1 ? " field" : " fields"),
                         "columns are counted from 1" + (fields == 1 ? "" : " to " + std::to_string(fields)) +
                             (names.empty() ? std::string() : ": " + listed(names)));
      for (std::size_t column = span->first; column <= last; ++column) columns.push_back(column - 1);
    } else {
      columns.push_back(find_name(item, names, fields, where));
    }
  }
  return columns;
}

}  // namespace rung::io::csv

namespace rung::io {

std::string column_word(const std::string& name) {
  if (name.find(',') == std::string::npos && !name.starts_with('"')) return name;
  std::string word = "\"";
  for (const char c : name) word += c == '"' ? "\"\"" : std::string(1, c);
  return word + '"';
}

}  // namespace rung::io
