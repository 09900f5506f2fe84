// Work on the parts of a word that the intrinsics of each machine fall back to where there is no instruction for it.
#pragma once
#include "../monoid.hpp"
#include "qualifiers.hpp"

namespace rung {
inline namespace RUNG_ABI {

/// 1 for each byte of a word that is not 0.
RUNG_HD unsigned true_bytes(unsigned word) { return (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u; }

/// The one that max (or min) keeps; NaN before all numbers.
template <bool max, class T>
RUNG_HD T first_of(T a, T b) {
  return precedes<max>(b, a) ? b : a;
}

/// first_of for each of the two T of a word.
template <bool max, class T>
RUNG_HD unsigned first_of_halves(unsigned a, unsigned b) {
  static_assert(2 * sizeof(T) == sizeof(unsigned));
  T x[2], y[2];
  __builtin_memcpy(static_cast<void*>(x), &a, sizeof(a));
  __builtin_memcpy(static_cast<void*>(y), &b, sizeof(b));
  x[0] = first_of<max>(x[0], y[0]);
  x[1] = first_of<max>(x[1], y[1]);
  __builtin_memcpy(&a, static_cast<const void*>(x), sizeof(a));
  return a;
}

}  // namespace RUNG_ABI
}  // namespace rung
