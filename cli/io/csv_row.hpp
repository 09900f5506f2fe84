// One line of a CSV file to one row of numbers, or to what is wrong with it.
#pragma once
#include "csv.hpp"

#include <limits>
#include <optional>

namespace rung::io::csv {

struct Fault {
  std::size_t line = 0;   ///< from 1
  std::size_t field = 0;  ///< from 1; 0: the line as a whole
  Complaint complaint;
};

/// Which integer types could hold every number so far.
struct IntegerFit {
  bool any = true, without_sign = true;

  void add(std::string_view text) {
    if (!any) return;
    const char first = text.front();
    without_sign = without_sign && first != '-';
    // Every number of a file of integers passes here: the loop has no branch to miss.
    unsigned others = first != '+' && first != '-' && static_cast<unsigned char>(first - '0') > 9;
    for (std::size_t k = 1; k < text.size(); ++k) others |= static_cast<unsigned char>(text[k] - '0') > 9;
    any = others == 0;
  }
  void add(const IntegerFit& other) {
    any = any && other.any;
    without_sign = without_sign && other.without_sign;
  }
};

/// "; --dtype i64 keeps it"; empty where no type keeps that and what came before.
inline std::string integer_advice(std::string_view text, const IntegerFit& fit) {
  const char* const end = text.data() + text.size();
  std::int64_t narrow = 0;
  std::uint64_t wide = 0;
  if (!fit.any) return "";
  if (parse_number(text.data(), end, narrow)) return "; --dtype i64 keeps it";
  return fit.without_sign && parse_number(text.data(), end, wide) ? "; --dtype u64 keeps it" : "";
}

/// An integer that f64 does not hold.
struct Rounded {
  std::size_t line = 0, field = 0;  ///< from 1
  std::string text;
};

template <class T>
T not_a_number() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_same_v<T, F16>) return {0x7e00};
  if constexpr (std::is_same_v<T, BF16>) return {0x7fc0};
  return {};
}

template <class T>
class RowParser {
 public:
  explicit RowParser(const Layout& layout) : layout_(layout), row_(layout.columns.empty() ? 0 : layout.fields) {
    wanted_.assign(layout.fields, layout.columns.empty());
    for (const std::size_t column : layout.columns) wanted_[column] = true;
  }

  std::optional<Fault> parse(std::string_view line, T* out) {
    if (layout_.columns.empty()) {
      if (parse_plain(line, out)) return std::nullopt;
      return parse_any(line, out);
    }
    std::optional<Fault> fault = parse_any(line, row_.data());
    for (const std::size_t column : layout_.columns) *out++ = row_[column];
    return fault;
  }

  /// The first integer that lost digits; its line is the caller's to fill in.
  const std::optional<Rounded>& rounded() const { return rounded_; }
  /// Without lines, which are the caller's to fill in. Counted where the layout lets values be missing.
  const Header::Missing& missing() const { return missing_; }
  /// Of the numbers up to that one, else of all.
  const IntegerFit& fit() const { return fit_; }

 private:
  /// Bare numbers between delimiters, the usual case, in one pass. False: look again, with care.
  bool parse_plain(std::string_view line, T* out) {
    const char delimiter = layout_.delimiter;
    const char* at = line.data();
    const char* const last = at + line.size();
    const auto skip_blanks = [&] {
      while (at != last && is_blank(*at, delimiter)) ++at;
    };
    for (std::size_t field = 0; field < layout_.fields; ++field) {
      if (field > 0) {
        if (at == last || (delimiter == white_space ? !is_blank(*at, delimiter) : *at != delimiter)) return false;
        ++at;
      }
      skip_blanks();
      const char* const first = at;
      at = parse_number(first, last, out[field]);
      if (!at) return false;
      watch({first, static_cast<std::size_t>(at - first)}, field, out[field]);
      if (delimiter != white_space) skip_blanks();
    }
    skip_blanks();
    return at == last;
  }

  /// Quotes, missing values, columns that are skipped, and the exact fault.
  std::optional<Fault> parse_any(std::string_view line, T* out) {
    FieldScanner scanner(line, layout_.delimiter);
    std::optional<Fault> fault;
    std::size_t count = 0;
    for (Field field; scanner.next(field); ++count) {
      if (field.fault != Field::Fault::none) return Fault{0, count + 1, quote_complaint(field)};
      if (count >= layout_.fields || !wanted_[count] || fault) continue;
      if (is_missing(field.text)) {
        out[count] = not_a_number<T>();
        note_missing(count);
      } else if (parse_field(field.text, out[count]))
        watch(field.text, count, out[count]);
      else
        fault = Fault{0, count + 1, explain_number(dtype_of<T>, field.text)};
    }
    if (count == layout_.fields) return fault;
    return Fault{0,
                 0,
                 {std::to_string(count) + (count == 1 ? " field, line " : " fields, line ") +
                      std::to_string(layout_.first_line) + " has " + std::to_string(layout_.fields),
                  ""}};
  }

  void watch(std::string_view text, std::size_t field, T value) {
    if constexpr (std::is_same_v<T, double>) {
      if (!layout_.watch_integers || rounded_) return;
      fit_.add(text);
      if (text.size() > exact_digits && loses_integer(text, value)) rounded_ = Rounded{0, field + 1, std::string(text)};
    }
  }

  bool is_missing(std::string_view text) const {
    return (layout_.missing_nan || layout_.count_missing) && (text.empty() || text == "NA");
  }

  void note_missing(std::size_t field) {
    if (missing_.count++ == 0) missing_.field = field + 1;
    missing_.columns.resize(layout_.fields);
    missing_.columns[field] = true;
  }

  static bool parse_field(std::string_view text, T& value) {
    const char* const end = text.data() + text.size();
    return !text.empty() && parse_number(text.data(), end, value) == end;
  }

  const Layout& layout_;
  std::vector<char> wanted_;
  std::vector<T> row_;
  std::optional<Rounded> rounded_;
  IntegerFit fit_;
  Header::Missing missing_;
};

}  // namespace rung::io::csv
