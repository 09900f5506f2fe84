#include "elements.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace rung {
namespace {

template <class T>
inline constexpr bool complex_type = std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;
template <class T>
inline constexpr bool half_type = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

template <class... Format>
std::string digits(Format... arguments) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, arguments...);
  return {text, end.ptr};
}

/// Fewest digits that lie nearer to this 16-bit float than to either neighbour.
template <class T>
std::string half_text(T v) {
  const double value = number(v);
  if (!std::isfinite(value) || value == 0) return digits(value);
  const auto neighbour = [&](int step) {
    return static_cast<double>(number(T{static_cast<std::uint16_t>(v.bits + step)}));
  };
  const double above = neighbour(1), below = neighbour(-1);
  // Beyond the largest finite value the step is the one below it.
  const double step = std::min(std::isfinite(above) ? std::fabs(above - value) : HUGE_VAL, std::fabs(value - below));
  for (int precision = 1; precision < 9; ++precision) {
    const std::string text = digits(value, std::chars_format::general, precision);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (std::fabs(back - value) < step / 2) return text;
  }
  return digits(value);
}

template <class T>
std::string real_text(T v) {
  if constexpr (half_type<T>)
    return half_text(v);
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(v) ? "nan" : digits(v);
  else
    return digits(number(v));
}

/// Steps from zero to a float's magnitude, among all floats of its type; and whether it is negative.
template <class T>
std::pair<std::uint64_t, bool> place(T v) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  const Bits bits = std::bit_cast<Bits>(v), sign = Bits(Bits{1} << (8 * sizeof(T) - 1));
  return {static_cast<Bits>(bits & static_cast<Bits>(~sign)), (bits & sign) != 0};
}

template <class T>
std::optional<std::uint64_t> real_distance(T a, T b) {
  const auto x = number(a), y = number(b);
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, Bool>) {
    // As unsigned numbers, where the difference of any two fits.
    const auto p = static_cast<std::uint64_t>(x), q = static_cast<std::uint64_t>(y);
    return x > y ? p - q : q - p;
  } else {
    if (std::isnan(x) && std::isnan(y)) return 0;
    if (std::isnan(x) || std::isnan(y)) return std::nullopt;
    const auto [p, p_negative] = place(a);
    const auto [q, q_negative] = place(b);
    if (p_negative != q_negative) return p + q;
    return p > q ? p - q : q - p;
  }
}

}  // namespace

Parts parts_of(DType dtype, const void* array, std::size_t index) {
  return visit_dtype(dtype, [&]<class T>() -> Parts {
    const T v = static_cast<const T*>(array)[index];
    if constexpr (complex_type<T>)
      return {v.re, v.im};
    else
      return {static_cast<long double>(number(v)), 0};
  });
}

std::string element_text(DType dtype, const void* array, std::size_t index) {
  return visit_dtype(dtype, [&]<class T>() {
    const T v = static_cast<const T*>(array)[index];
    if constexpr (complex_type<T>) {
      const std::string im = real_text(v.im);
      return real_text(v.re) + (im[0] == '-' ? "" : "+") + im + "j";
    } else {
      return real_text(v);
    }
  });
}

std::optional<std::uint64_t> ulp_distance(DType dtype, const void* a, const void* b, std::size_t index) {
  return visit_dtype(dtype, [&]<class T>() -> std::optional<std::uint64_t> {
    const T x = static_cast<const T*>(a)[index], y = static_cast<const T*>(b)[index];
    if constexpr (complex_type<T>) {
      const auto re = real_distance(x.re, y.re), im = real_distance(x.im, y.im);
      return re && im ? std::max(re, im) : std::nullopt;
    } else {
      return real_distance(x, y);
    }
  });
}

}  // namespace rung
