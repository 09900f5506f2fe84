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
  std::size_t first, last;
};

std::optional<Range> range(std::string_view item) {
  const std::size_t dash = item.find('-');
  const std::optional<std::size_t> first = position(item.substr(0, dash));
  const std::optional<std::size_t> last = dash == std::string_view::npos ? first : position(item.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return Range{*first, *last};
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + column_word(name);
  return text;
}

std::size_t find_name(std::string_view item, const std::vector<std::string>& names, std::size_t fields,
                      const std::string& where) {
  const auto found = std::find(names.begin(), names.end(), item);
  if (found == names.end())
    throw UsageError(where + ": the header has no column " + quoted(item), "its columns: " + listed(names));
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
    if (!span && !named)
      throw UsageError("--columns " + quoted(item) + " is neither a position nor a range of them",
                       "positions count from 1 (2,5-7); names need --header yes");
    if (span && (span->first == 0 || span->last == 0)) throw UsageError("--columns counts from 1");
    if (span && span->first > span->last) throw UsageError("--columns " + quoted(item) + ": the range runs backwards");
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
      const bool one = span->first == span->last;
      if (named != names.end() && !(one && static_cast<std::size_t>(named - names.begin()) + 1 == span->first))
        throw UsageError(where + ": --columns " + quoted(item) + " is both " +
                             (one ? "a position and the name of another column" : "a range and the name of a column"),
                         "in quotes it is the name: --columns '\"" + item + "\"'");
      if (span->last > fields)
        throw UsageError(where + ": there is no column " + item + ": the line has " + std::to_string(fields) +
                             (fields == 1 ? " field" : " fields"),
                         "columns are counted from 1" + (fields == 1 ? "" : " to " + std::to_string(fields)) +
                             (names.empty() ? std::string() : ": " + listed(names)));
      for (std::size_t column = span->first; column <= span->last; ++column) columns.push_back(column - 1);
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
