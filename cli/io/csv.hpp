// The parts of the CSV reader (design §5): lines, fields, and the layout that the first lines and the options give.
#pragma once
#include "common.hpp"
#include "number.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rung::io::csv {

/// Delimiters are a character, or one of these two.
inline constexpr char no_delimiter = '\0';  ///< one field a line
inline constexpr char white_space = ' ';    ///< runs of spaces and tabs

/// Blanks are trimmed from fields; a tab that separates fields is not one.
constexpr bool is_blank(char c, char delimiter) { return c == ' ' || (c == '\t' && delimiter != '\t'); }

inline std::string_view trim(std::string_view text, char delimiter) {
  while (!text.empty() && is_blank(text.front(), delimiter)) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back(), delimiter)) text.remove_suffix(1);
  return text;
}

/// The lines of [at, end), without LF or CRLF.
struct LineScanner {
  const char* at;
  const char* end;

  bool next(std::string_view& line) {
    if (at == end) return false;
    const auto* stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const last = stop ? stop : end;
    line = {at, static_cast<std::size_t>(last - at)};
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    at = stop ? stop + 1 : end;
    return true;
  }
};

/// False for comments and blank lines, which are skipped.
inline bool holds_data(std::string_view line, char delimiter) {
  if (line.empty() || line.front() == '#') return false;
  return !is_blank(line.front(), delimiter) || !trim(line, delimiter).empty();
}

inline constexpr const char* open_quote_reason = " has a quote that does not end on its line";
inline constexpr const char* open_quote_hint =
    "fields of several lines are not read: join their lines, or take the quote out";

inline constexpr std::string_view nul_reason = "a NUL byte: this is not text";
inline constexpr std::string_view nul_hint = "if it is UTF-16, iconv -f UTF-16 -t UTF-8 converts it";

struct Field {
  enum class Fault : std::uint8_t { none, open_quote, text_after_quote };
  std::string_view text;  ///< trimmed, without the quotes
  Fault fault = Fault::none;
  bool quoted = false;
};

/// What is wrong with a field that has a fault.
inline Complaint quote_complaint(const Field& field) {
  if (field.fault == Field::Fault::open_quote) return {quoted(field.text) + open_quote_reason, open_quote_hint};
  return {quoted(field.text) + " has text after its closing quote", ""};
}

/// The fields of one line that holds data. A line has at least one.
class FieldScanner {
 public:
  FieldScanner(std::string_view line, char delimiter) : rest_(line), delimiter_(delimiter) {
    if (delimiter_ == white_space) rest_ = trim(rest_, delimiter_);
  }
  bool next(Field& field);

 private:
  bool take_quoted(Field& field);

  std::string_view rest_;
  char delimiter_;
  bool more_ = true;
};

/// What the options and the first lines decide, before the numbers are read.
struct Layout {
  char delimiter = no_delimiter;
  std::size_t fields = 0;            ///< in each line
  std::size_t first_line = 0;        ///< number of the first line of data, from 1
  const char* data = nullptr;        ///< where that line starts
  bool has_header = false;           ///< a line was skipped
  bool header_hint = false;          ///< --header was not given: a first line without numbers gets that hint
  std::string delimiter_hint;        ///< --delimiter leaves the first line whole, which another would split
  std::vector<std::string> names;    ///< the header's
  std::vector<std::size_t> columns;  ///< fields to take, from 0, in order; empty: all
  bool missing_nan = false;
  bool count_missing = false;   ///< nothing is kept: values may be missing whatever the type
  bool watch_integers = false;  ///< the type is nobody's choice: say which integers f64 rounds

  std::size_t width() const { return columns.empty() ? fields : columns.size(); }
};

/// Throws FileError when there is no data, or the delimiter cannot be found; UsageError for columns that are not there.
Layout find_layout(std::string_view text, const std::string& file, const ReadOptions& options, const Warn& warn);

/// --delimiter's value as a character. Throws UsageError.
char parse_delimiter(const std::string& text);

/// "','", "tab", "white space", "none".
std::string delimiter_name(char delimiter);

/// What --delimiter is told, without a shell's quotes: "comma", "tab", "whitespace".
std::string delimiter_word(char delimiter);

/// A field's text with "" for one quote undone.
std::string unescaped(const Field& field);

/// Resolves --columns (as CSV: a quoted item is a name, whatever is in it) against the number of fields and the
/// header's names. Throws UsageError, starting with `where` for what this file lacks.
std::vector<std::size_t> resolve_columns(const std::string& list, std::size_t fields,
                                         const std::vector<std::string>& names, const std::string& where);

/// Throws UsageError for a list that no file could satisfy; `named`: files have a header, and so columns have names.
void check_columns(const std::string& list, bool named);

/// Names of a header line; empty without one.
std::vector<std::string> header_names(std::string_view line, char delimiter);

}  // namespace rung::io::csv
