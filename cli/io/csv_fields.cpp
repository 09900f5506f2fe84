#include "csv.hpp"

namespace rung::io::csv {

/// A field that starts with a quote, up to its delimiter; "" inside stands for one quote.
bool FieldScanner::take_quoted(Field& field) {
  std::size_t close = 1;
  while ((close = rest_.find('"', close)) != std::string_view::npos && rest_.substr(close + 1).starts_with('"'))
    close += 2;
  if (close == std::string_view::npos) {
    field = {rest_, Field::Fault::open_quote};
    more_ = false;
    return true;
  }
  field = {trim(rest_.substr(1, close - 1), delimiter_), Field::Fault::none, true};
  const std::string_view whole = rest_;
  rest_.remove_prefix(close + 1);
  const bool spaced = !rest_.empty() && is_blank(rest_.front(), delimiter_);
  while (!rest_.empty() && is_blank(rest_.front(), delimiter_)) rest_.remove_prefix(1);
  if (rest_.empty()) {
    more_ = false;
  } else if (delimiter_ == white_space && spaced) {
    // The blanks were the delimiter.
  } else if (delimiter_ != white_space && rest_.front() == delimiter_ && delimiter_ != no_delimiter) {
    rest_.remove_prefix(1);
  } else {
    field = {whole, Field::Fault::text_after_quote};
    more_ = false;
  }
  return true;
}

bool FieldScanner::next(Field& field) {
  if (!more_) return false;
  while (!rest_.empty() && is_blank(rest_.front(), delimiter_)) rest_.remove_prefix(1);
  if (!rest_.empty() && rest_.front() == '"') return take_quoted(field);

  std::size_t stop = std::string_view::npos;
  if (delimiter_ == white_space)
    stop = rest_.find_first_of(" \t");
  else if (delimiter_ != no_delimiter)
    stop = rest_.find(delimiter_);
  field = {trim(rest_.substr(0, stop), delimiter_), Field::Fault::none};
  more_ = stop != std::string_view::npos;
  if (!more_) return true;
  rest_.remove_prefix(stop + 1);
  if (delimiter_ == white_space)
    while (!rest_.empty() && is_blank(rest_.front(), delimiter_)) rest_.remove_prefix(1);
  return true;
}

namespace {

constexpr std::pair<std::string_view, char> delimiter_words[] = {{"tab", '\t'},  {"whitespace", white_space},
                                                                 {"comma", ','}, {"space", white_space},
                                                                 {"pipe", '|'},  {"semicolon", ';'}};

}  // namespace

char parse_delimiter(const std::string& text) {
  for (const auto& [word, value] : delimiter_words)
    if (text == word) return value;
  const std::string hint = "a character, or tab, space, whitespace, comma, semicolon, pipe";
  if (text.size() != 1) throw UsageError("--delimiter " + quoted(text) + " is not one character", hint);
  const char c = text.front();
  const bool part_of_a_number =
      (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
  if (part_of_a_number || c == '"' || c == '#' || (c < ' ' && c != '\t') || c == '\x7f')
    throw UsageError("--delimiter " + quoted(text) + " cannot separate numbers", hint);
  return c;
}

std::string delimiter_name(char delimiter) {
  if (delimiter == no_delimiter) return "none";
  if (delimiter == white_space) return "white space";
  if (delimiter == '\t') return "tab";
  return quoted({&delimiter, 1});
}

std::string delimiter_word(char delimiter) {
  for (const auto& [word, value] : delimiter_words)
    if (value == delimiter) return std::string(word);
  return {delimiter};
}

std::string unescaped(const Field& field) {
  std::string text(field.text);
  for (std::size_t at = 0; field.quoted && (at = text.find("\"\"", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

std::vector<std::string> header_names(std::string_view line, char delimiter) {
  std::vector<std::string> names;
  FieldScanner scanner(line, delimiter);
  for (Field field; scanner.next(field);) names.push_back(unescaped(field));
  return names;
}

}  // namespace rung::io::csv
