#include "generate.hpp"

#include "../../kernels/error.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace rung::cli {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Bits of the significand, the hidden one counted.
constexpr int precision(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 11;
    case DType::bf16:
      return 8;
    case DType::f32:
    case DType::c64:
      return 24;
    default:
      return 53;
  }
}

/// The nearest element; f32 in between serves bf16, whose values here are exact or draws that any rounding suits.
template <class T>
T from_double(double v) {
  if constexpr (std::is_same_v<T, F16>) {
    return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(v))};
  } else if constexpr (std::is_same_v<T, BF16>) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
  } else {
    return static_cast<T>(v);
  }
}

/// Draws real numbers of one type.
template <class T>
class Draw {
  static constexpr DType dtype = dtype_of<T>;
  static constexpr bool boolean = std::is_same_v<T, Bool>;
  static constexpr bool integer = std::is_integral_v<T>;

 public:
  Draw(Distribution distribution, std::uint64_t seed, std::size_t n)
      : distribution_(distribution), seed_(seed), rule_(exact_rule(dtype, n)) {}

  /// draw counts values: of complex numbers there are two an element.
  T operator()(std::uint64_t element, std::uint64_t draw) const {
    switch (distribution_) {
      case Distribution::uniform:
        return uniform(random_word(seed_, draw));
      case Distribution::normal:
        return normal(draw);
      case Distribution::arange:
        return index(element);
      case Distribution::exact:
        break;
    }
    return exact(element, draw);
  }

 private:
  static T uniform(std::uint64_t word) {
    if constexpr (boolean)
      return {static_cast<std::uint8_t>(word >> 63)};
    else if constexpr (integer)
      return static_cast<T>(word >> (64 - 8 * sizeof(T)));
    else
      return from_double<T>(static_cast<double>(word >> (64 - precision(dtype))) /
                            static_cast<double>(std::uint64_t{1} << precision(dtype)));
  }

  T normal(std::uint64_t draw) const {
    if constexpr (boolean || integer) {
      return {};
    } else {
      constexpr int words = 6;
      std::int64_t sum = -(std::int64_t{6} << 32);
      for (int k = 0; k < words; ++k) {
        const std::uint64_t word = random_word(seed_, draw * words + static_cast<unsigned>(k));
        sum += static_cast<std::int64_t>(word >> 32) + static_cast<std::int64_t>(word & 0xffffffffu);
      }
      return from_double<T>(static_cast<double>(sum) * 0x1p-32);
    }
  }

  static T index(std::uint64_t i) {
    if constexpr (boolean)
      return {static_cast<std::uint8_t>(i & 1u)};
    else if constexpr (integer)
      return static_cast<T>(i);
    else
      return from_double<T>(static_cast<double>(i % (std::uint64_t{1} << precision(dtype))));
  }

  T exact(std::uint64_t element, std::uint64_t draw) const {
    if (element % rule_.stride != 0) return T{};
    const std::uint64_t word = random_word(seed_, draw);
    if constexpr (boolean) {
      return {static_cast<std::uint8_t>(word >> 63)};
    } else {
      const auto span = static_cast<std::uint64_t>(std::is_unsigned_v<T> ? rule_.magnitude : 2 * rule_.magnitude) + 1;
      const auto value =
          static_cast<std::int64_t>((word >> 32) * span >> 32) - (std::is_unsigned_v<T> ? 0 : rule_.magnitude);
      if constexpr (integer)
        return static_cast<T>(value);
      else
        return from_double<T>(static_cast<double>(value));
    }
  }

  Distribution distribution_;
  std::uint64_t seed_;
  ExactRule rule_;
};

template <class Fill>
void each(std::size_t n, Fill&& fill) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 4096), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) fill(i);
  });
}

template <class T>
void fill(T* out, std::size_t n, Distribution distribution, std::uint64_t seed) {
  const Draw<T> draw(distribution, seed, n);
  each(n, [&](std::size_t i) { out[i] = draw(i, i); });
}

template <class T>
void fill(Complex<T>* out, std::size_t n, Distribution distribution, std::uint64_t seed) {
  const Draw<T> draw(distribution, seed, n);
  const bool real = distribution == Distribution::arange;
  each(n, [&](std::size_t i) { out[i] = {draw(i, 2 * i), real ? T{} : draw(i, 2 * i + 1)}; });
}

}  // namespace

std::uint64_t random_word(std::uint64_t seed, std::uint64_t counter) {
  return mix(mix(seed + golden) + (counter + 1) * golden);
}

ExactRule exact_rule(DType dtype, std::size_t n) {
  // 100 fits every type and its sum of n fits the accumulators of design §4: f32 for 16-bit floats.
  constexpr std::int64_t most = 100;
  if (is_integer(dtype)) return {most, 1};
  const int bits = dtype == DType::f64 || dtype == DType::c128 ? 53 : 24;
  const std::uint64_t limit = std::uint64_t{1} << bits;
  const std::uint64_t count = std::max<std::uint64_t>(n, 1);
  if (count <= limit) return {std::min<std::int64_t>(most, static_cast<std::int64_t>(limit / count)), 1};
  return {1, static_cast<std::size_t>((count + limit - 1) / limit)};
}

HostArray generate(const Shape& shape, DType dtype, Distribution distribution, std::uint64_t seed) {
  if (distribution == Distribution::normal && is_integer(dtype))
    throw UsageError("--dist normal is for floats and complex numbers, not " + std::string(name_of(dtype)),
                     "uniform, arange and exact serve integers");
  HostArray array{dtype, shape, allocate_bytes(byte_count(shape, dtype))};
  visit_dtype(dtype,
              [&]<class T>() { fill(reinterpret_cast<T*>(array.data.get()), array.size(), distribution, seed); });
  return array;
}

}  // namespace rung::cli
