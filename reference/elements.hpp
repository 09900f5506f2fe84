// How the oracle and the comparator read elements on the host: written apart from what the kernels use.
#pragma once
#include "../kernels/dtype.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace rung {

/// The value of every 16-bit pattern of a format with `exponent_bits` and `fraction_bits` (IEEE 754-2019, 3.4).
inline std::vector<float> decode_table(int exponent_bits, int fraction_bits) {
  std::vector<float> table(std::size_t{1} << 16);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    const int fraction = static_cast<int>(bits & ((std::size_t{1} << fraction_bits) - 1));
    const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    double value = 0;
    if (exponent == (1 << exponent_bits) - 1)
      value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
      value = std::ldexp(fraction, 1 - bias - fraction_bits);
    else
      value = std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
    table[bits] = static_cast<float>(bits >> 15 ? -value : value);
  }
  return table;
}

/// An element as a number that C++ can compare: bool as 0 or 1, 16-bit floats as f32, others as they are.
template <class T>
auto number(T v) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<std::uint8_t>(v.byte ? 1 : 0);
  } else if constexpr (std::is_same_v<T, F16>) {
    static const std::vector<float> table = decode_table(5, 10);
    return table[v.bits];
  } else if constexpr (std::is_same_v<T, BF16>) {
    static const std::vector<float> table = decode_table(8, 7);
    return table[v.bits];
  } else {
    return v;
  }
}

/// The parts of an element, exactly: every element type fits a long double's 64 bits. `im` is 0 but for complex.
struct Parts {
  long double re = 0, im = 0;
};
Parts parts_of(DType dtype, const void* array, std::size_t index);

/// Shortest digits that read back to the same value; complex as "re+imj"; nan, inf, -inf; bool as 0 or 1.
std::string element_text(DType dtype, const void* array, std::size_t index);

/// How many steps from one value to the next lie between two elements; 1 a step for integers, the larger part for
/// complex. Zeros of either sign are one value, as are all NaN; NaN against a number has no distance.
std::optional<std::uint64_t> ulp_distance(DType dtype, const void* a, const void* b, std::size_t index);

}  // namespace rung
