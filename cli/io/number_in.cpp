#include "common.hpp"
#include "number.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace rung::io {
namespace {

/// 0.DIGITS × 10^exponent, digits without zeros at either end; no digits: zero. The sign is left out.
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
};

Decimal normalise(std::string_view text) {
  Decimal decimal;
  bool after_point = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') after_point = true;
    if (text[i] < '0' || text[i] > '9') continue;
    if (text[i] != '0' || !decimal.digits.empty()) {
      decimal.digits += text[i];
      decimal.exponent += !after_point;
    } else {
      decimal.exponent -= after_point;
    }
  }
  while (!decimal.digits.empty() && decimal.digits.back() == '0') decimal.digits.pop_back();
  if (i + 1 < text.size()) {
    constexpr std::int64_t huge = 1'000'000'000'000;
    const bool negative = text[i + 1] == '-';
    const std::string_view digits = text.substr(i + 1 + (negative || text[i + 1] == '+'));
    std::int64_t exponent = 0;
    for (const char c : digits) exponent = std::min(huge, exponent * 10 + (c - '0'));
    decimal.exponent += negative ? -exponent : exponent;
  }
  return decimal;
}

/// Sign of |text| − |value|, exactly.
int compare_magnitude(std::string_view text, double value) {
  char exact[800];  // a double has at most 767 significant digits
  const auto end = std::to_chars(exact, exact + sizeof exact, std::fabs(value), std::chars_format::scientific, 770).ptr;
  const Decimal a = normalise(text);
  const Decimal b = normalise({exact, static_cast<std::size_t>(end - exact)});
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.digits.compare(b.digits);
}

const char* skip_plus(const char* first, const char* last) {
  if (first == last || *first != '+') return first;
  ++first;
  return first != last && (*first == '+' || *first == '-') ? nullptr : first;
}

/// from_chars, with a leading '+', without "nan(...)", and with underflow told apart from overflow: both are
/// result_out_of_range there.
template <class Float>
const char* parse_float(const char* first, const char* last, Float& value, bool& overflow) {
  overflow = false;
  first = skip_plus(first, last);
  if (!first) return nullptr;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::invalid_argument) return nullptr;
  if (error == std::errc::result_out_of_range) {
    overflow = normalise({first, static_cast<std::size_t>(end - first)}).exponent > 0;
    const Float nearest = overflow ? std::numeric_limits<Float>::infinity() : Float{0};
    value = *first == '-' ? -nearest : nearest;
  }
  return end[-1] == ')' ? nullptr : end;
}

template <class T>
inline constexpr int mantissa_bits = 0;
template <>
inline constexpr int mantissa_bits<F16> = 10;
template <>
inline constexpr int mantissa_bits<BF16> = 7;
template <class T>
inline constexpr int least_exponent = 0;
template <>
inline constexpr int least_exponent<F16> = -14;
template <>
inline constexpr int least_exponent<BF16> = -126;
template <class T>
inline constexpr std::uint32_t infinity_bits = (15 - mantissa_bits<T> == 5 ? 0x1fu : 0xffu) << mantissa_bits<T>;

/// Rounds to nearest even, once: where the double lies exactly half way, the text itself says on which side the
/// number is. False when it is too large.
template <class T>
bool narrow(double value, std::string_view text, T& result) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0;
  const double magnitude = std::fabs(value);
  std::uint32_t bits = 0;
  if (std::isnan(value)) {
    bits = infinity_bits<T> | 1u << (mantissa_bits<T> - 1);
  } else if (std::isinf(value)) {
    bits = infinity_bits<T>;
  } else if (magnitude > 0) {
    const int exponent = std::max(std::ilogb(magnitude), least_exponent<T>);
    const double scaled = std::ldexp(magnitude, mantissa_bits<T> - exponent);
    const auto below = static_cast<std::uint32_t>(scaled);
    const double rest = scaled - below;
    const int side = rest != 0.5 ? (rest > 0.5 ? 1 : -1) : compare_magnitude(text, value);
    bits = (static_cast<std::uint32_t>(exponent - least_exponent<T>) << mantissa_bits<T>)+below;
    bits += side > 0 || (side == 0 && (below & 1));
    if (bits >= infinity_bits<T>) return false;
  }
  result.bits = static_cast<std::uint16_t>(sign | bits);
  return true;
}

template <class Integer>
const char* parse_integer(const char* first, const char* last, Integer& value) {
  first = skip_plus(first, last);
  if (!first) return nullptr;
  if constexpr (std::is_unsigned_v<Integer>) {
    if (first != last && *first == '-') {  // -0 is in the range of an unsigned type
      const char* const digits = first + 1;
      if (digits == last || *digits < '0' || *digits > '9') return nullptr;
      const char* const end = parse_integer(digits, last, value);
      return value == 0 ? end : nullptr;
    }
  }
  const auto [end, error] = std::from_chars(first, last, value);
  return error == std::errc{} ? end : nullptr;
}

bool is_whole_number(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string range_of(DType dtype) {
  return visit_dtype(dtype, []<class T>() -> std::string {
    if constexpr (std::is_integral_v<T>)
      return " (" + std::to_string(std::numeric_limits<T>::min()) + " to " +
             std::to_string(std::numeric_limits<T>::max()) + ")";
    else
      return "";
  });
}

}  // namespace

template <class T>
const char* parse_number(const char* first, const char* last, T& value) {
  if constexpr (std::is_same_v<T, Bool>) {
    const char* const end = parse_integer(first, last, value.byte);
    return end && value.byte <= 1 ? end : nullptr;
  } else if constexpr (std::is_integral_v<T>) {
    return parse_integer(first, last, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    bool overflow = false;
    const char* const end = parse_float(first, last, value, overflow);
    return overflow ? nullptr : end;
  } else {
    double wide = 0;
    bool overflow = false;
    const char* const end = parse_float(first, last, wide, overflow);
    if (!end || overflow) return nullptr;
    return narrow(wide, {first, static_cast<std::size_t>(end - first)}, value) ? end : nullptr;
  }
}

template const char* parse_number(const char*, const char*, Bool&);
template const char* parse_number(const char*, const char*, std::int8_t&);
template const char* parse_number(const char*, const char*, std::int16_t&);
template const char* parse_number(const char*, const char*, std::int32_t&);
template const char* parse_number(const char*, const char*, std::int64_t&);
template const char* parse_number(const char*, const char*, std::uint8_t&);
template const char* parse_number(const char*, const char*, std::uint16_t&);
template const char* parse_number(const char*, const char*, std::uint32_t&);
template const char* parse_number(const char*, const char*, std::uint64_t&);
template const char* parse_number(const char*, const char*, F16&);
template const char* parse_number(const char*, const char*, BF16&);
template const char* parse_number(const char*, const char*, float&);
template const char* parse_number(const char*, const char*, double&);

bool has_number_syntax(std::string_view text) {
  double value = 0;
  bool overflow = false;
  return parse_float(text.data(), text.data() + text.size(), value, overflow) == text.data() + text.size();
}

bool loses_integer(std::string_view text, double value) {
  if (text.size() <= exact_digits) return false;
  const std::string_view digits = text.substr(text.front() == '+' || text.front() == '-');
  const char* const last = digits.data() + digits.size();
  std::uint64_t whole = 0;
  const auto [end, error] = std::from_chars(digits.data(), last, whole);
  if (end != last || error == std::errc::invalid_argument) return false;  // a fraction, an exponent, inf, nan
  if (error == std::errc::result_out_of_range) return compare_magnitude(digits, value) != 0;
  const double magnitude = std::fabs(value);
  return magnitude >= 0x1p64 || static_cast<std::uint64_t>(magnitude) != whole;
}

Complaint explain_number(DType dtype, std::string_view text) {
  const std::string name(name_of(dtype)), shown = quoted(text);
  const auto contains = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  // Integers and bools have nothing to stand for a missing value.
  const std::string way = is_integer(dtype) ? "--dtype f64 --missing nan" : "--missing nan";
  const std::string reads =
      way + " reads empty fields and NA as NaN" + (is_integer(dtype) ? ", of which " + name + " has none" : "");
  if (text.empty()) return {"empty", reads};
  if (text == "NA") return {"'NA' is not a number", reads};
  for (const std::string_view missing : {"N/A", "n/a", "na", "NULL", "null", "None", "-", "?"})
    if (text == missing) return {shown + " is not a number", "write NA for a missing value and use " + way};
  if (has_number_syntax(text)) {
    if (dtype == DType::boolean) return {shown + " is not a bool: they are written 0 and 1", ""};
    if (is_integer(dtype) && !is_whole_number(text))
      return {shown + " is not an integer", "--dtype f64 reads numbers with a fraction or an exponent"};
    return {shown + " is out of range for " + name + range_of(dtype), ""};
  }
  if (dtype == DType::boolean) return {shown + " is not a bool: they are written 0 and 1", ""};
  const std::string_view unsigned_text = text.substr(text.front() == '+' || text.front() == '-');
  if (unsigned_text.starts_with("0x") || unsigned_text.starts_with("0X"))
    return {shown + " is hexadecimal, not a decimal number", ""};
  if (contains("\xe2\x88\x92")) return {shown + " has U+2212 for a minus sign, not '-'", ""};
  if (contains("\r")) return {shown + " has a carriage return inside the line", "lines end in LF or CRLF"};
  const bool digits_first = unsigned_text.find_first_of("0123456789") == 0;
  if (digits_first && contains(","))
    return {shown + " is not a number", "write 1234.5: decimal commas and thousands separators are not read"};
  if (digits_first && (contains("_") || contains("'")))
    return {shown + " is not a number", "write 1234.5: thousands separators are not read"};
  return {shown + " is not a number", ""};
}

}  // namespace rung::io
