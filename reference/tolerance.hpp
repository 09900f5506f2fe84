// How far apart `rung diff` lets elements be.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace rung {

/// A number of 0 or more as it was written, digits · 10^exponent: 0.3 is no binary fraction.
struct Decimal {
  std::string digits = "0";  ///< with no 0 before others
  int exponent = 0;
};

/// The nearest f64.
double rounded(const Decimal& decimal);

/// An element agrees that is within either: so many units in the last place, or, where one of the two is there,
/// |a − b| <= atol + rtol·|b|.
struct Tolerance {
  std::uint64_t max_ulp = 0;  ///< of floats and complex numbers; 0: bit for bit, NaN equal to NaN
  std::optional<Decimal> rtol = std::nullopt, atol = std::nullopt;
};

}  // namespace rung
