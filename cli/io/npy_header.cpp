#include "npy_header.hpp"

#include "common.hpp"

#include <charconv>

namespace rung::io {
namespace {

constexpr std::array<std::string_view, dtype_count> descr_table{"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4",
                                                                "<u8", "<f2", "",    "<f4", "<f8", "<c8", "<c16"};

/// What NumPy calls the types that are refused, by the letter of the type string.
std::string_view refused_kind(std::string_view type) {
  if (type.empty()) return "";
  switch (type.front()) {
    case 'O':
      return "Python objects (pickle)";
    case 'S':
    case 'a':
    case 'U':
      return "strings";
    case 'M':
      return "times (datetime64)";
    case 'm':
      return "time differences (timedelta64)";
    case 'V':
      return "void or structured";
    case 'f':
      return type == "f16" || type == "f12" ? "extended precision floats" : "";
    case 'c':
      return type == "c32" || type == "c24" ? "extended precision complex" : "";
  }
  return "";
}

/// What NumPy makes of such an array, so that it is one of numbers.
std::string refused_hint(std::string_view type) {
  switch (type.front()) {
    case 'M':
    case 'm':
      return "in NumPy, a.view('i8') are the counts of its unit";
    case 'V':
      return "in NumPy, a['NAME'] is one field, and a.view('u1') the bytes";
    case 'c':
      return "in NumPy, a.astype('c16') rounds to c128";
    case 'f':
      return "in NumPy, a.astype('f8') rounds to f64";
  }
  return "in NumPy, a.astype('f8') makes f64 of what are numbers";
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file, std::uint64_t data_offset)
      : text_(text), file_(file), data_offset_(data_offset) {}

  NpyDictionary run() {
    expect('{', "the header is not a dictionary");
    bool has_descr = false, has_order = false, has_shape = false;
    while (!take('}')) {
      const std::string_view key = string();
      expect(':', "a ':' is missing after a key");
      if (key == "descr") {
        once(has_descr, key);
        descr();
      } else if (key == "fortran_order") {
        once(has_order, key);
        result_.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        shape();
      } else {
        fail("unknown key " + quoted(key));
      }
      if (!take(',')) {
        expect('}', "a ',' or '}' is missing");
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text after the dictionary: " + quoted(text_.substr(at_)));
    if (!has_descr) fail("key 'descr' is missing");
    if (!has_order) fail("key 'fortran_order' is missing");
    if (!has_shape) fail("key 'shape' is missing");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason, const std::string& hint = {}) const {
    throw FileError(file_ + ": npy header: " + reason, hint);
  }

  void once(bool& seen, std::string_view key) const {
    if (seen) fail("key " + quoted(key) + " stands twice");
    seen = true;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char c, const std::string& reason) {
    if (!take(c)) fail(reason + (at_ < text_.size() ? ": " + quoted(text_.substr(at_)) : ": it ends too early"));
  }

  std::string_view string() {
    skip_space();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a string is missing: " + quoted(text_.substr(at_)));
    const std::size_t start = ++at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\' || text_[at_] == '\n') fail("escape sequences in strings are not read");
    if (at_ == text_.size()) fail("a string does not end");
    return text_.substr(start, at_++ - start);
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("'fortran_order' is neither True nor False");
  }

  std::size_t extent() {
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    std::size_t value = 0;
    if (peek() == '-') fail("a negative extent in 'shape'");
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::result_out_of_range) fail("an extent in 'shape' is too large");
    if (error != std::errc{}) fail("'shape' is not a tuple of integers: " + quoted(text_.substr(at_)));
    if (*first == '0' && end - first > 1) fail("an extent in 'shape' has a leading zero");
    at_ += static_cast<std::size_t>(end - first);
    if (peek() == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }

  void shape() {
    expect('(', "'shape' is not a tuple");
    bool comma = true;
    while (!take(')')) {
      if (!comma) fail("a ',' or ')' is missing in 'shape': " + quoted(text_.substr(at_)));
      skip_space();
      result_.shape.push_back(extent());
      comma = take(',');
    }
    if (result_.shape.size() == 1 && !comma) fail("'shape' is not a tuple: a one-tuple is written (n,)");
  }

  void descr() {
    skip_space();
    if (peek() == '[' || peek() == '(' || peek() == '{')
      fail("structured types are not supported", "in NumPy, a['NAME'] is one field");
    const std::string_view whole = string();
    std::string_view type = whole;
    char order = '=';
    if (!type.empty() && std::string_view("<>=|").find(type.front()) != std::string_view::npos) {
      order = type.front();
      type.remove_prefix(1);
    }
    for (std::size_t i = 0; i < descr_table.size(); ++i) {
      if (descr_table[i].empty() || descr_table[i].substr(1) != type) continue;
      result_.dtype = static_cast<DType>(i);
      result_.endian = order == '>' ? Endian::big : Endian::little;
      return;
    }
    const std::string_view kind = refused_kind(type);
    if (kind.empty()) fail("unknown type " + quoted(whole));
    std::string hint = refused_hint(type);
    if (type == "V2")
      hint = "if these are bf16: --from raw --dtype bf16 --offset " + std::to_string(data_offset_) + " --shape ...";
    fail("type " + quoted(whole) + ", " + std::string(kind) + ", is not supported", hint);
  }

  std::string_view text_;
  const std::string& file_;
  std::uint64_t data_offset_;
  std::size_t at_ = 0;
  NpyDictionary result_;
};

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text, const std::string& file, std::uint64_t data_offset) {
  return Parser(text, file, data_offset).run();
}

std::string_view npy_descr(DType dtype) { return descr_table[static_cast<std::size_t>(dtype)]; }

}  // namespace rung::io
