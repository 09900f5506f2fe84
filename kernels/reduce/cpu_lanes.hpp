// What a lane of the native loops holds and does. A row is dealt out to a fixed number of lanes, 256 bytes of them
// on every machine, so that wider vectors change the speed and not the bits.
#pragma once
#include "cpu_loops.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rung::reduce::cpu {

inline constexpr std::size_t lane_bytes = 256;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

/// to_float without branches, so that loops over it vectorise: the exponent is moved by a multiplication, which
/// also scales denormals; what lands at 2^16 or above was infinity or NaN.
inline float widen(F16 v) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(v.bits & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = scaled >= 65536.0f ? 0x7f800000u : 0u;
  const std::uint32_t sign = static_cast<std::uint32_t>(v.bits & 0x8000u) << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}
inline float widen(BF16 v) { return to_float(v); }

/// Back to the type whose value `v` is: nothing is rounded.
template <class T>
T narrow(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  if constexpr (std::is_same_v<T, BF16>) {
    return BF16{static_cast<std::uint16_t>(bits >> 16)};
  } else {
    const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p-112f) >> 13;
    const std::uint32_t special = 0x7c00u | ((magnitude >> 13) & 0x3ffu);
    return F16{static_cast<std::uint16_t>(sign | (magnitude >= 0x7f800000u ? special : finite))};
  }
}

/// One lane's work: values of type V made of elements of type T, combined by sum, prod, min or max.
template <Op op, class T, class V>
struct Lane : Combine<op, V, V> {
  using Input = T;
  using Value = V;
  static constexpr bool ordering = op == Op::min || op == Op::max;
  static constexpr bool greatest = op == Op::max;
  static constexpr std::size_t count = lane_bytes / sizeof(V);

  static V load(T v) {
    if constexpr (is_half<T>)
      return widen(v);
    else if constexpr (ordering && std::is_same_v<T, Bool>)
      return Bool{static_cast<std::uint8_t>(v.byte != 0)};
    else if constexpr (ordering)
      return v;
    else
      return convert<V>(value_of(v));
  }
};

/// The lanes of a monoid. Several share theirs: mean those of sum, argmin and argmax those of min and max. Where
/// the argument stands is looked up at the end, in the one chunk that won: that costs less than to carry an index
/// with every element.
template <class M>
struct Lanes {
  using T = typename M::Input;
  using A = typename M::Accumulator;
  static constexpr Op op = M::operation;
  static constexpr bool locating = op == Op::argmin || op == Op::argmax;
  static constexpr Op step = op == Op::mean ? Op::sum : op == Op::argmin ? Op::min : op == Op::argmax ? Op::max : op;
  static constexpr bool ordering = step == Op::min || step == Op::max;
  using Value = std::conditional_t<ordering, std::conditional_t<is_half<T>, float, T>, A>;
  using type = Lane<step, T, Value>;

  /// The accumulator of a lane's value; index is that of the argument.
  static A leave(Value v, [[maybe_unused]] std::size_t index) {
    if constexpr (ordering) {
      T value;
      if constexpr (is_half<T>)
        value = narrow<T>(v);
      else
        value = v;
      if constexpr (locating)
        return {value, index};
      else
        return value;
    } else {
      return v;
    }
  }
};
template <class M>
using LaneOf = typename Lanes<M>::type;

}  // namespace rung::reduce::cpu
