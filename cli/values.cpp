#include "values.hpp"

#include "../kernels/error.hpp"
#include "names.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace rung::cli {
namespace {

UsageError bad_value(const std::string& option, std::string_view text, const std::string& wanted) {
  return UsageError(option + " " + quoted(text) + ": not " + wanted);
}

/// Decimal digits and nothing else; the bool says whether the value fits.
std::optional<std::pair<std::uint64_t, bool>> digits(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return std::pair(value, result.ec == std::errc{});
}

/// 1e6 is how calculators write it, and a float.
void refuse_exponent(const std::string& option, std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos || !digits(text.substr(0, e)) || !digits(text.substr(e + 1))) return;
  const std::string factor(text.substr(0, e)), power = "10^" + std::string(text.substr(e + 1));
  throw UsageError(option + " " + quoted(text) + ": not a whole number (65536, 2^16)",
                   factor == "1" ? "write " + power : "write all digits; of powers there are 10^6 and the like");
}

/// What users of NumPy and C call our types.
std::string other_spelling(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 22> table{
      {{"float16", "f16"},     {"half", "f16"},    {"bfloat16", "bf16"}, {"float32", "f32"}, {"float", "f32"},
       {"single", "f32"},      {"float64", "f64"}, {"double", "f64"},    {"int8", "i8"},     {"int16", "i16"},
       {"int32", "i32"},       {"int", "i32"},     {"int64", "i64"},     {"long", "i64"},    {"uint8", "u8"},
       {"byte", "u8"},         {"uint16", "u16"},  {"uint32", "u32"},    {"uint64", "u64"},  {"complex64", "c64"},
       {"complex128", "c128"}, {"boolean", "bool"}}};
  for (const auto& [theirs, ours] : table)
    if (text == theirs) return std::string(ours);
  return {};
}

}  // namespace

std::uint64_t parse_count(const std::string& option, std::string_view text) {
  refuse_exponent(option, text);
  const UsageError too_large(option + " " + quoted(text) + ": larger than 64 bits hold");
  const std::size_t caret = text.find('^');
  const auto base = digits(text.substr(0, caret));
  if (!base) throw bad_value(option, text, "a whole number (65536, 2^16)");
  if (!base->second) throw too_large;
  if (caret == std::string_view::npos) return base->first;
  const auto power = digits(text.substr(caret + 1));
  if (!power) throw bad_value(option, text, "a whole number (65536, 2^16)");
  std::uint64_t value = 1;
  if (base->first < 2) return power->first == 0 ? 1 : base->first;
  if (!power->second || power->first > 64) throw too_large;
  for (std::uint64_t i = 0; i < power->first; ++i)
    if (__builtin_mul_overflow(value, base->first, &value)) throw too_large;
  return value;
}

unsigned parse_launch(const std::string& option, std::string_view text) {
  const std::uint64_t value = parse_count(option, text);
  if (value == 0 || value > std::numeric_limits<std::int32_t>::max())
    throw bad_value(option, text, "between 1 and 2147483647");
  return static_cast<unsigned>(value);
}

Decimal parse_decimal(const std::string& option, std::string_view text) {
  const UsageError bad = bad_value(option, text, "a number of 0 or more (0.01, 1e-5)");
  if (text.empty() || !(digits(text.substr(0, 1)) || text[0] == '.')) throw bad;  // a sign, inf, nan
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::invalid_argument || result.ptr != text.data() + text.size()) throw bad;
  if (result.ec == std::errc::result_out_of_range)
    throw UsageError(option + " " + quoted(text) + ": beyond what f64 holds");
  if (value == 0) return {};
  const std::size_t e = std::min(text.find_first_of("eE"), text.size()), point = std::min(text.find('.'), e);
  Decimal decimal{std::string(text.substr(0, point)), 0};
  if (e < text.size()) {
    const std::size_t sign = text[e + 1] == '+' ? 1 : 0;
    std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), decimal.exponent);
  }
  if (point < e) {
    decimal.digits += text.substr(point + 1, e - point - 1);
    decimal.exponent -= static_cast<int>(e - point - 1);
  }
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

Shape parse_shape(const std::string& option, std::string_view text) {
  if (text == "scalar") return {};
  Shape shape;
  for (const auto& part : split(text, 'x')) {
    refuse_exponent(option, part);
    if (part.empty() || !digits(std::string_view(part).substr(0, part.find('^'))))
      throw UsageError(option + " " + quoted(text) + ": not a shape", "write extents with x between: 4096x300, 2^20");
    shape.push_back(parse_count(option, part));
  }
  try {
    byte_count(shape, DType::c128);
  } catch (const Error& e) {
    throw UsageError(option + " " + quoted(text) + ": " + e.what());
  }
  return shape;
}

std::vector<std::ptrdiff_t> parse_axes(const std::string& option, std::string_view text) {
  std::vector<std::ptrdiff_t> axes;
  for (const auto& part : split(text, ',')) {
    std::ptrdiff_t axis = 0;
    const char* end = part.data() + part.size();
    const auto result = std::from_chars(part.data(), end, axis);
    if (part.empty() || result.ec != std::errc{} || result.ptr != end)
      throw bad_value(option, text, "axis numbers (0, -1, 2,0,1)");
    axes.push_back(axis);
  }
  return axes;
}

std::vector<std::string> parse_list(const std::string& option, std::string_view text) {
  auto names = split(text, ',');
  for (const auto& name : names)
    if (name.empty()) throw UsageError(option + " " + quoted(text) + ": an empty value in the list");
  return names;
}

DType parse_dtype_name(std::string_view text) {
  if (const auto dtype = parse_dtype(text)) return *dtype;
  std::vector<std::string> valid;
  for (const auto& row : dtype_table) valid.emplace_back(row.name);
  const std::string ours = other_spelling(text);
  if (!ours.empty())
    throw UsageError("unknown dtype " + quoted(text), "here it is " + ours + "; valid: " + join(valid, ", "));
  throw unknown_name("dtype", text, valid);
}

io::Format parse_format_name(std::string_view text) {
  if (const auto format = io::parse_format(text)) return *format;
  throw unknown_name("format", text, {"npy", "raw", "csv"});
}

DeviceWish parse_device(std::string_view text) {
  if (text == "auto") return {};
  for (std::size_t i = 0; i < machine_names.size(); ++i)
    if (text == machine_names[i]) return {static_cast<Machine>(i), 0};
  if (text.starts_with("gpu:")) {
    const auto ordinal = digits(text.substr(4));
    if (!ordinal) throw bad_value("--device", text, "gpu:N, with N counted from 0");
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    return {Machine::gpu, static_cast<int>(ordinal->second ? std::min(ordinal->first, most) : most)};
  }
  throw unknown_name("device", text, {"auto", "gpu", "gpu:N", "cpu", "sim"});
}

}  // namespace rung::cli
