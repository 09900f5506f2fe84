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
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + (name.find(',') == std::string::npos ? name : '"' + name + '"');
  return text;
}

std::size_t find_name(std::string_view item, const std::vector<std::string>& names, std::size_t fields,
                      const std::string& where) {
  if (names.empty())
    throw UsageError("--columns " + quoted(item) + " is neither a position nor a range of them",
                     "positions count from 1 (2,5-7); names need --header yes");
  const auto found = std::find(names.begin(), names.end(), item);
  if (found == names.end())
    throw FileError(where + ": the header has no column " + quoted(item), "its columns: " + listed(names));
  if (std::find(found + 1, names.end(), item) != names.end())
    throw FileError(where + ": the header has column " + quoted(item) + " more than once", "give its position");
  if (names.size() != fields)  // which name belongs to which field is then a guess
    throw FileError(where + ": the header has " + std::to_string(names.size()) + " names, the lines have " +
                        std::to_string(fields) + " fields",
                    "give positions to --columns");
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::vector<std::size_t> resolve_columns(const std::string& list, std::size_t fields,
                                         const std::vector<std::string>& names, const std::string& where) {
  std::vector<std::size_t> columns;
  FieldScanner items(list, ',');
  for (Field field; items.next(field);) {
    if (field.fault != Field::Fault::none)
      throw UsageError("--columns " + quoted(list) + ": a quote that does not end",
                       "quote as in CSV: \"a,b\",c; a quote in a name is two");
    const std::string item = unescaped(field);
    if (item.empty()) throw UsageError("--columns " + quoted(list) + " has an empty item");
    if (const std::optional<Range> span = field.quoted ? std::nullopt : range(item)) {
      if (span->first == 0 || span->last == 0) throw UsageError("--columns counts from 1");
      if (span->first > span->last) throw UsageError("--columns " + quoted(item) + ": the range runs backwards");
      if (span->last > fields)
        throw FileError(where + ": there is no column " + item + ": the line has " + std::to_string(fields) +
                        (fields == 1 ? " field" : " fields"));
      const auto named = std::find(names.begin(), names.end(), item);
      if (named != names.end() && static_cast<std::size_t>(named - names.begin()) + 1 != span->first)
        throw FileError(where + ": --columns " + quoted(item) + " is both a position and the name of another column",
                        "in quotes it is the name: --columns '\"" + item + "\"'");
      for (std::size_t column = span->first; column <= span->last; ++column) columns.push_back(column - 1);
    } else {
      columns.push_back(find_name(item, names, fields, where));
    }
  }
  return columns;
}

}  // namespace rung::io::csv
