#include "common.hpp"
#include "number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace rung::io {
namespace {

char* copy(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

/// std::to_chars alone writes 100000 as 1e+05: everyday magnitudes are written out. `whole` is where integers stop
/// being exact. Above, std::to_chars writes out what is shorter so, if need be with digits that the value does not
/// have: those are left to the exponent.
template <class Float>
char* write_float(char* out, Float value, Float whole) {
  if (std::isnan(value)) return copy(out, "nan");
  const Float magnitude = std::fabs(value);
  if (magnitude == 0 || (magnitude >= Float{1e-4f} && magnitude < whole))
    return std::to_chars(out, out + number_width, value, std::chars_format::fixed).ptr;
  char* const end = std::to_chars(out, out + number_width, value).ptr;
  if (magnitude < whole || std::isinf(value) || std::find(out, end, 'e') != end) return end;
  char text[number_width];
  const char* const last = std::to_chars(text, text + number_width, value, std::chars_format::scientific).ptr;
  const auto digits = [](const char* from, const char* to) {
    return std::count_if(from, to, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (digits(out, end) <= digits(text, std::find(text, text + (last - text), 'e'))) return end;
  return copy(out, {text, last});
}

/// No to_chars for 16 bits: the fewest digits of the exact value that read back to the same bits. Five are always
/// enough (1 + ceil(p·log10 2) for p = 11 bits). At a power of two the values above lie further apart than those
/// below, so that the middle of what reads back lies above: the decimal nearest to it may read back where the one
/// nearest to the value does not.
template <class T>
char* write_short_float(char* out, T value) {
  const double exact = to_float(value);
  T next = value;
  ++next.bits;
  const double middle = exact + (to_float(next) - exact) / 8;
  for (int digits = 1; std::isfinite(exact) && exact != 0 && digits <= 5; ++digits) {
    for (const double near : {exact, middle}) {
      const auto format = std::chars_format::scientific;
      const char* const end = std::to_chars(out, out + number_width, near, format, digits - 1).ptr;
      T back{};
      if (!parse_number(out, end, back) || back.bits != value.bits) continue;
      double decimal = 0;
      std::from_chars(out, end, decimal);
      return write_float(out, decimal, 0x1p24);
    }
  }
  return write_float(out, exact, 0x1p24);
}

}  // namespace

template <class T>
char* write_number(char* out, T value) {
  if constexpr (std::is_same_v<T, Bool>) {
    return copy(out, value.byte ? "1" : "0");
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_chars(out, out + number_width, value).ptr;
  } else if constexpr (std::is_same_v<T, float>) {
    return write_float(out, value, 0x1p24f);
  } else if constexpr (std::is_same_v<T, double>) {
    return write_float(out, value, 0x1p53);
  } else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    return write_short_float(out, value);
  } else {
    out = write_number(out, value.re);
    if (!std::signbit(value.im) || std::isnan(value.im)) *out++ = '+';
    out = write_number(out, value.im);
    *out++ = 'j';
    return out;
  }
}

template char* write_number(char*, Bool);
template char* write_number(char*, std::int8_t);
template char* write_number(char*, std::int16_t);
template char* write_number(char*, std::int32_t);
template char* write_number(char*, std::int64_t);
template char* write_number(char*, std::uint8_t);
template char* write_number(char*, std::uint16_t);
template char* write_number(char*, std::uint32_t);
template char* write_number(char*, std::uint64_t);
template char* write_number(char*, F16);
template char* write_number(char*, BF16);
template char* write_number(char*, float);
template char* write_number(char*, double);
template char* write_number(char*, Complex<float>);
template char* write_number(char*, Complex<double>);

std::string to_text(DType dtype, const void* element) {
  return visit_dtype(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, element, sizeof value);
    char text[2 * number_width];
    return std::string(text, write_number(text, value));
  });
}

}  // namespace rung::io
