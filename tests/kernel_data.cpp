// Input data of the kernel tests.
#include "kernel_matrix.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace rung::test {
namespace {

using Random = std::mt19937_64;

template <class T>
T from_double(double v) {
  if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<std::uint8_t>(v != 0)};
  } else if constexpr (std::is_same_v<T, F16>) {
    return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(v))};
  } else if constexpr (std::is_same_v<T, BF16>) {
    return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16)};
  } else {
    return static_cast<T>(v);
  }
}

/// The largest value from which sums of some thousands in the wide accumulator stay finite.
template <class T>
double large() {
  if constexpr (std::is_same_v<T, double>) return 0x1p1000;
  if constexpr (std::is_same_v<T, float>) return 0x1p110;
  if constexpr (std::is_same_v<T, BF16>) return 0x1p110;
  return 65504;  // the largest f16
}

template <class T>
T random_float(Op op, Random& random) {
  std::uniform_real_distribution<double> mantissa(0.5, 1);
  std::uniform_int_distribution<int> exponent(-6, 6), sign(0, 1);
  const double magnitude = op == Op::prod ? mantissa(random) + 0.25 : std::ldexp(mantissa(random), exponent(random));
  return from_double<T>(sign(random) ? magnitude : -magnitude);
}

template <class T>
T random_integer(Op op, Random& random) {
  const std::uint64_t bits = random();
  if constexpr (std::is_same_v<T, Bool>) {
    // A product of bools is 1 only where no 0 is.
    return {static_cast<std::uint8_t>(op == Op::prod || (bits & 1))};
  } else {
    // Odd factors: a wrapped product of even ones is soon 0, whatever the kernel does.
    return static_cast<T>(op == Op::prod ? bits | 1 : bits);
  }
}

template <class T>
T integer_at(Data data, std::size_t i, std::size_t n, Op op, Random& random) {
  using Value = std::conditional_t<std::is_same_v<T, Bool>, std::uint8_t, T>;
  constexpr bool boolean = std::is_same_v<T, Bool>;
  constexpr Value highest = boolean ? Value{1} : std::numeric_limits<Value>::max();
  constexpr Value lowest = boolean ? Value{0} : std::numeric_limits<Value>::lowest();
  const auto make = [](auto v) {
    if constexpr (boolean)
      return T{static_cast<std::uint8_t>(v != 0)};
    else
      return static_cast<T>(v);
  };
  switch (data) {
    case Data::indices:
      return make(static_cast<Value>(op == Op::prod ? 2 * i + 1 : i));
    case Data::alternating:
      return make(i % 2 ? lowest : highest);
    case Data::equal:
      return make(Value{3});
    case Data::ends:
      return make(i == 0 ? highest : i + 1 == n ? lowest : Value{1});
    default:
      return random_integer<T>(op, random);
  }
}

template <class T>
T float_at(Data data, std::size_t i, std::size_t n, std::size_t special, Op op, Random& random) {
  using Limits = std::numeric_limits<double>;
  const double small = op == Op::prod ? 1 : 2048;
  switch (data) {
    case Data::indices:
      return from_double<T>(op == Op::prod ? 1 + static_cast<double>(i % 3) / 64
                                           : std::fmod(static_cast<double>(i), small));
    case Data::alternating:
      return from_double<T>(op == Op::prod ? (i % 2 ? -2 : 0.5) : (i % 2 ? -large<T>() : large<T>()));
    case Data::equal:
      return from_double<T>(op == Op::prod ? 1 : 3);
    case Data::ends:
      return from_double<T>(i == 0 ? 4 : i + 1 == n ? -4 : 1);
    case Data::nan:
      if (i == special) return from_double<T>(Limits::quiet_NaN());
      break;
    case Data::plus_inf:
      if (i == special) return from_double<T>(Limits::infinity());
      break;
    case Data::minus_inf:
      if (i == special) return from_double<T>(-Limits::infinity());
      break;
    case Data::both_inf:
      if (i == special) return from_double<T>(Limits::infinity());
      if (i == n - 1 - special) return from_double<T>(-Limits::infinity());
      break;
    case Data::minus_zero:
      return from_double<T>(-0.0);
    case Data::denormal: {
      const double least = std::is_same_v<T, double>  ? 0x1p-1074
                           : std::is_same_v<T, float> ? 0x1p-149
                           : std::is_same_v<T, BF16>  ? 0x1p-133
                                                      : 0x1p-24;
      return from_double<T>(static_cast<double>(1 + i % 5) * least * (i % 7 == 3 ? -1 : 1));
    }
    default:
      break;
  }
  return random_float<T>(op, random);
}

}  // namespace

std::string_view name_of(Data data) {
  constexpr std::array<std::string_view, 11> names{"indices",  "random",     "alternating", "equal",
                                                   "ends",     "nan",        "plus_inf",    "minus_inf",
                                                   "both_inf", "minus_zero", "denormal"};
  return names[static_cast<std::size_t>(data)];
}

std::vector<Data> data_for(DType dtype) {
  std::vector<Data> kinds{Data::indices, Data::random, Data::alternating, Data::equal, Data::ends};
  if (!is_integer(dtype))
    kinds.insert(kinds.end(),
                 {Data::nan, Data::plus_inf, Data::minus_inf, Data::both_inf, Data::minus_zero, Data::denormal});
  return kinds;
}

std::vector<std::byte> make_data(DType dtype, Data data, std::size_t n, Op op, unsigned seed) {
  std::vector<std::byte> bytes(n * size_of(dtype));
  Random random(seed + n * 31);
  // NaN and infinity move through first, last and inner places as sizes and seeds change.
  const std::size_t special = n == 0 ? 0 : std::array<std::size_t, 4>{0, n - 1, n / 2, random() % n}[(seed + n) % 4];
  visit_dtype(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < n; ++i) {
      T value{};
      if constexpr (is_complex<T>) {
        using Part = decltype(T{}.re);
        value.re = float_at<Part>(data, i, n, special, op, random);
        value.im = op == Op::prod ? Part(0.25) * value.re : float_at<Part>(data, i, n, special, op, random);
      } else if constexpr (is_float<T>) {
        value = float_at<T>(data, i, n, special, op, random);
      } else {
        value = integer_at<T>(data, i, n, op, random);
      }
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

std::vector<std::byte> noise(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> out(bytes);
  Random random(seed);
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(out.data() + i, &word, std::min<std::size_t>(8, bytes - i));
  }
  return out;
}

}  // namespace rung::test
