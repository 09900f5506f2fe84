#include "csv.hpp"

#include <algorithm>

namespace rung::io::csv {
namespace {

constexpr std::string_view detected = ",;\t|";

struct Line {
  std::string_view text;
  std::size_t number = 0;
};

std::string at(const std::string& file, std::size_t line) { return file + ":" + std::to_string(line); }

std::string_view without_mark(std::string_view text, const std::string& file) {
  using namespace std::string_view_literals;
  for (const std::string_view mark : {"\xff\xfe"sv, "\xfe\xff"sv, "\0\0\xfe\xff"sv})
    if (text.starts_with(mark))
      throw FileError(file + ":1: UTF-16 or UTF-32 text, not UTF-8", "iconv -f UTF-16 -t UTF-8 converts it");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

std::vector<Field> split(std::string_view line, char delimiter) {
  std::vector<Field> fields;
  FieldScanner scanner(line, delimiter);
  for (Field field; scanner.next(field);) fields.push_back(field);
  return fields;
}

/// "1,5", "1,234", "1,234,567.8": one number of another country, where no comma separates.
bool is_number_with_commas(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::vector<Field> parts = split(text, ',');
  const auto is_digits = [](std::string_view part) { return part.find_first_not_of("0123456789") == part.npos; };
  const auto is_group = [&](const Field& part) {
    const std::string_view whole = part.text.substr(0, &part == &parts.back() ? part.text.find('.') : part.text.npos);
    return whole.size() == 3 && is_digits(whole);
  };
  const std::string_view first = parts.front().text, last = parts.back().text;
  if (text.find(' ') != text.npos || !is_digits(first.substr(first.starts_with('-') || first.starts_with('+'))))
    return false;
  const bool is_fraction = !last.empty() && is_digits(last.substr(0, 1)) && last.find('.') == last.npos;
  return (parts.size() == 2 && is_fraction && has_number_syntax(last)) ||
         std::all_of(parts.begin() + 1, parts.end(), is_group);
}

class Finder {
 public:
  Finder(const std::string& file, const ReadOptions& options) : file_(file), options_(options) {}

  Layout run(std::string_view text, const Warn& warn) {
    Layout layout;
    layout.missing_nan = options_.missing_nan;
    layout.header_hint = !options_.header;
    layout.delimiter = options_.delimiter ? parse_delimiter(*options_.delimiter) : no_delimiter;
    locate(text, layout);
    refuse_nul(text.substr(0, static_cast<std::size_t>(first_.text.data() - text.data()) + first_.text.size()));
    if (!options_.delimiter) {
      layout.delimiter = detect();
      // A line of tabs alone is blank until tabs are known to separate fields: then it is a row of empty ones.
      if (layout.delimiter == '\t') locate(text, layout);
    }
    refuse_quotes(layout.delimiter);
    layout.fields = split(first_.text, layout.delimiter).size();
    if (header_.number > 0) layout.names = header_names(header_.text, layout.delimiter);
    if (options_.delimiter && layout.fields == 1) layout.delimiter_hint = hint_of_another();
    try {
      layout.columns = columns(layout.delimiter, layout.fields);
    } catch (const UsageError& error) {
      if (layout.delimiter_hint.empty()) throw;
      throw UsageError(error.what(), layout.delimiter_hint);
    }
    check_header(layout, warn);
    return layout;
  }

 private:
  void refuse_nul(std::string_view text) const {
    const std::size_t nul = text.find('\0');
    if (nul == std::string_view::npos) return;
    const auto line =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n'));
    throw FileError(at(file_, line + 1) + ": " + std::string(nul_reason), std::string(nul_hint));
  }

  /// A quote that goes wrong hides how many fields there are, and so which is the column that is asked for.
  void refuse_quotes(char delimiter) const {
    for (const Line* line : {&header_, &first_}) {
      const std::vector<Field> fields = split(line->text, delimiter);
      const bool names = line == &header_;
      const Field::Fault fault = fields.back().fault;
      if (fault == Field::Fault::none || (names && fault != Field::Fault::open_quote)) continue;
      const Complaint complaint = quote_complaint(fields.back());
      throw FileError(at(file_, line->number) + ": " + (names ? "the header: " : "") + "field " +
                          std::to_string(fields.size()) + ": " + complaint.reason,
                      complaint.hint);
    }
  }

  /// Finds the header and the first line of data.
  void locate(std::string_view text, Layout& layout) {
    LineScanner scanner{text.data(), text.data() + text.size()};
    lines_ = 0;
    if (options_.header.value_or(false)) {
      layout.has_header = next_line(scanner, layout.delimiter, header_, layout.data);
      if (!layout.has_header) throw FileError(file_ + ": no header: there is no line of text");
    }
    if (!next_line(scanner, layout.delimiter, first_, layout.data)) throw FileError(file_ + ": no data rows");
    layout.first_line = first_.number;
  }

  bool next_line(LineScanner& scanner, char delimiter, Line& line, const char*& start) {
    for (start = scanner.at; scanner.next(line.text); start = scanner.at) {
      line.number = ++lines_;
      if (holds_data(line.text, delimiter)) return true;
    }
    return false;
  }

  /// Empty, which is all of them, when no columns are asked for.
  std::vector<std::size_t> columns(char delimiter, std::size_t fields) const {
    if (!options_.columns) return {};
    const bool named = header_.number > 0;
    return resolve_columns(*options_.columns, fields,
                           named ? header_names(header_.text, delimiter) : std::vector<std::string>{},
                           at(file_, named ? header_.number : first_.number));
  }

  /// Every field that is asked for is a number, when the first line of data is split so.
  bool reads_as_numbers(char delimiter) const {
    const std::vector<Field> fields = split(first_.text, delimiter);
    std::vector<std::size_t> wanted;
    try {
      wanted = columns(delimiter, fields.size());
    } catch (const UsageError&) {
      return false;
    }
    const auto is_number = [&](const Field& field) {
      return field.fault == Field::Fault::none &&
             (has_number_syntax(field.text) || (options_.missing_nan && (field.text.empty() || field.text == "NA")));
    };
    if (wanted.empty()) return std::all_of(fields.begin(), fields.end(), is_number);
    return std::all_of(wanted.begin(), wanted.end(), [&](std::size_t column) { return is_number(fields[column]); });
  }

  /// The delimiter that splits the first line of data; where several do, the one under which it is numbers.
  char detect() const {
    std::string present;
    for (const char candidate : detected)
      if (split(first_.text, candidate).size() > 1) present += candidate;
    const bool tabbed = present.find('\t') != std::string::npos;
    const bool spaced = split(first_.text, white_space).size() > 1 && (tabbed || !pads(present));
    if (spaced) present += white_space;
    if (present.empty()) return no_delimiter;
    if (present.size() == 1) return present.front();

    if (options_.columns) present = agreeing(present);
    if (present.size() == 1) return present.front();
    std::string fitting;
    for (const char candidate : present)
      if (reads_as_numbers(candidate)) fitting += candidate;
    // Tabs are white space as well: the same fields either way, and then a tab is the stricter reading. Where it
    // leaves empty fields, the file may be either.
    if (tabbed && fitting.find(white_space) != std::string::npos) {
      const std::vector<Field> by_tab = split(first_.text, '\t');
      const bool gaps = std::any_of(by_tab.begin(), by_tab.end(), [](const Field& f) { return f.text.empty(); });
      if (!gaps && fitting.find('\t') != std::string::npos) return '\t';
      if (gaps && fitting.find('\t') == std::string::npos) fitting += '\t';
    }
    if (fitting.size() == 1) return fitting.front();
    // White space beside one separator is padding or text, when neither gives numbers: the fields will say more.
    if (fitting.empty() && present.size() == 2 && spaced && !inner_numbers(present.front())) return present.front();

    const bool decimal_comma = present.find(',') != std::string::npos && fitting.empty();
    unclear(fitting.empty() ? present : fitting, decimal_comma ? "; decimal commas are not read" : "");
  }

  /// Of a line that the delimiter told leaves whole: what splits it into as many fields as the header has, all of them
  /// numbers, or some where nothing else splits it.
  std::string hint_of_another() const {
    const auto is_number = [](const Field& f) { return f.fault == Field::Fault::none && has_number_syntax(f.text); };
    std::string splitting, fitting;
    bool some = false;
    for (const char candidate : std::string(detected) + white_space) {
      const std::vector<Field> fields = split(first_.text, candidate);
      if (fields.size() == 1 || (candidate == white_space && !splitting.empty() && pads(splitting))) continue;
      if (header_.number > 0 && split(header_.text, candidate).size() != fields.size()) continue;
      splitting += candidate;
      some = some || std::any_of(fields.begin(), fields.end(), is_number);
      if (std::all_of(fields.begin(), fields.end(), is_number)) fitting += candidate;
    }
    if (fitting.empty() && some && splitting.size() == 1) fitting = splitting;
    if (fitting.empty()) return {};
    const char delimiter = fitting.front();
    const bool maybe_one_number = delimiter == ',' && header_.number == 0 && is_number_with_commas(first_.text);
    return "--delimiter " + delimiter_word(delimiter) + " splits it" +
           (maybe_one_number ? "; decimal commas and thousands separators are not read" : "");
  }

  /// White space that stands only beside one of these separators, as in "1, 2", is part of it.
  bool pads(const std::string& separators) const {
    const std::vector<Field> fields = split(first_.text, white_space);
    const auto is_separator = [&](char c) { return separators.find(c) != std::string::npos; };
    const auto ends = [&](const Field& f) { return !f.quoted && !f.text.empty() && is_separator(f.text.back()); };
    const auto starts = [&](const Field& f) { return !f.quoted && !f.text.empty() && is_separator(f.text.front()); };
    for (std::size_t k = 1; k < fields.size(); ++k)
      if (!ends(fields[k - 1]) && !starts(fields[k])) return false;
    return true;
  }

  /// A few columns that are numbers under one separator say little of the others: "2024-01-01;10,5" has a number in its
  /// second column by comma as well. The header decides, by its number of fields; without one, nobody does.
  std::string agreeing(const std::string& present) const {
    const bool spaced = present.back() == white_space;
    if (present.size() - spaced < 2) return present;
    std::string left;
    for (const char candidate : present)
      if (header_.number > 0 && split(header_.text, candidate).size() == split(first_.text, candidate).size())
        left += candidate;
    if (header_.number == 0) unclear(present);
    return left.empty() ? present : left;
  }

  [[noreturn]] void unclear(const std::string& candidates, const char* more = "") const {
    std::string names;
    for (const char candidate : candidates) names += (names.empty() ? "" : " or ") + delimiter_name(candidate);
    throw FileError(at(file_, first_.number) + ": the delimiter is not clear (" + names + "): " + quoted(first_.text),
                    std::string("say which with --delimiter") + more);
  }

  /// Splitting by white space alone would leave digits on both sides of the separator, as in "1,5 2,5".
  bool inner_numbers(char separator) const {
    const std::vector<Field> fields = split(first_.text, white_space);
    return std::all_of(fields.begin(), fields.end(), [&](const Field& field) {
      std::string text(field.text);
      std::replace(text.begin(), text.end(), separator, '.');
      return has_number_syntax(text);
    });
  }

  void check_header(const Layout& layout, const Warn& warn) const {
    if (!layout.has_header || !warn) return;
    const std::vector<Field> names = split(header_.text, layout.delimiter);
    if (std::all_of(names.begin(), names.end(), [](const Field& f) { return has_number_syntax(f.text); }))
      warn(at(file_, header_.number) + ": the header that --header yes skips is numbers: " + quoted(header_.text));
  }

  const std::string& file_;
  const ReadOptions& options_;
  Line header_, first_;
  std::size_t lines_ = 0;
};

}  // namespace

Layout find_layout(std::string_view text, const std::string& file, const ReadOptions& options, const Warn& warn) {
  return Finder(file, options).run(without_mark(text, file), warn);
}

}  // namespace rung::io::csv
