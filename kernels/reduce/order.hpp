// What min, max, argmin and argmax do faster than by comparing pairs: packed instructions inside a vector, and keys,
// unsigned integers in the order of the values, that a warp reduces in one instruction.
#pragma once
#include "../machine/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class M>
inline constexpr bool finds_value = M::operation == Op::min || M::operation == Op::max;
template <class M>
inline constexpr bool finds_place = M::operation == Op::argmin || M::operation == Op::argmax;
/// Whether elements are values whose place is looked for; partial results carry theirs.
template <class M>
inline constexpr bool locates = finds_place<M> && !std::is_same_v<typename M::Input, typename M::Accumulator>;
template <class M>
inline constexpr bool finds_largest = M::operation == Op::max || M::operation == Op::argmax;

/// The extreme value of `count` items, NaN before all, as a tree.
template <bool max, unsigned count, class T>
__device__ __forceinline__ T extreme_of(const T* items) {
  if constexpr (count == 1)
    return items[0];
  else
    return extreme<max>(extreme_of<max, count / 2>(items), extreme_of<max, count / 2>(items + count / 2));
}

/// Of the four words of a vector of 2-byte elements. Both halves of the result hold it.
template <bool max, class T>
__device__ __forceinline__ unsigned extreme_of_halves(unsigned a, unsigned b, unsigned c, unsigned d) {
  const unsigned pair = extreme_pairs<max, T>(extreme_pairs<max, T>(a, b), extreme_pairs<max, T>(c, d));
  return extreme_pairs<max, T>(pair, __funnelshift_r(pair, pair, 16));
}

/// The extreme value of the elements of a vector.
template <bool max, class T>
__device__ __forceinline__ T extreme_of_vector(const Vector16& v) {
  const auto& w = v.words;
  if constexpr (std::is_same_v<T, Bool>) {
    if (max) return Bool{static_cast<std::uint8_t>((w[0] | w[1] | w[2] | w[3]) != 0)};
    return Bool{static_cast<std::uint8_t>((true_bytes(w[0]) & true_bytes(w[1]) & true_bytes(w[2]) & true_bytes(w[3])) ==
                                          0x01010101u)};
  } else if constexpr (sizeof(T) == 1) {
    // A byte decides in the upper half of a 16-bit number, whatever stands below it: odd bytes where they are, even
    // ones moved up.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
    const unsigned odd = extreme_of_halves<max, Wide>(w[0], w[1], w[2], w[3]);
    const unsigned even = extreme_of_halves<max, Wide>(w[0] << 8, w[1] << 8, w[2] << 8, w[3] << 8);
    return static_cast<T>(extreme_pairs<max, Wide>(odd, even) >> 24);
  } else if constexpr (sizeof(T) == 2) {
    const unsigned pair = extreme_of_halves<max, T>(w[0], w[1], w[2], w[3]);
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &pair, sizeof(value));
    return value;
  } else {
    T items[sizeof(Vector16) / sizeof(T)];
    __builtin_memcpy(static_cast<void*>(items), &v, sizeof(v));
    return extreme_of<max, sizeof(Vector16) / sizeof(T)>(items);
  }
}

// ---- keys ----

template <class T>
using Key = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

/// For floating-point bits the order of magnitudes is that of unsigned integers; negative ones are turned round.
/// NaN is the first of all in the order of max, or of min. Zeros of both signs are one key where `zeros_tie`: the first
/// place of an extreme value may be that of either.
template <bool max, bool zeros_tie, class T>
__device__ __forceinline__ Key<T> key_of(T v) {
  if constexpr (std::is_same_v<T, Bool>) {
    return value_of(v);
  } else {
    constexpr Key<T> sign = Key<T>{1} << (8 * sizeof(T) - 1), ones = sign | (sign - 1);
    Key<T> bits = 0;
    __builtin_memcpy(&bits, &v, sizeof(v));
    if constexpr (is_float<T>) {
      if (is_nan(v)) return max ? ones : 0;
      if (zeros_tie && bits == sign) bits = 0;
      return bits & sign ? ~bits & ones : bits | sign;
    } else {
      return std::is_signed_v<T> ? bits ^ sign : bits;
    }
  }
}

template <class T>
__device__ __forceinline__ T value_of_key(Key<T> key) {
  if constexpr (std::is_same_v<T, Bool>) {
    return Bool{static_cast<std::uint8_t>(key)};
  } else {
    constexpr Key<T> sign = Key<T>{1} << (8 * sizeof(T) - 1), ones = sign | (sign - 1);
    Key<T> bits = key;
    if constexpr (is_float<T>)
      bits = key & sign ? key ^ sign : ~key & ones;
    else if constexpr (std::is_signed_v<T>)
      bits = key ^ sign;
    T v;
    __builtin_memcpy(static_cast<void*>(&v), &bits, sizeof(v));
    return v;
  }
}

template <bool max>
__device__ __forceinline__ unsigned warp_extreme(unsigned key) {
  return max ? warp_max(key) : warp_min(key);
}
template <bool max>
__device__ __forceinline__ unsigned long long warp_extreme(unsigned long long key) {
  const auto high = static_cast<unsigned>(key >> 32), low = static_cast<unsigned>(key);
  const unsigned first_high = warp_extreme<max>(high);
  const unsigned first_low = warp_extreme<max>(high == first_high ? low : max ? 0u : ~0u);
  return static_cast<unsigned long long>(first_high) << 32 | first_low;
}

/// reduce_warp of all 32 lanes; each of them gets the total.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_warp_in_order(const typename M::Accumulator& value) {
  constexpr bool max = finds_largest<M>;
  if constexpr (finds_value<M>) {
    return value_of_key<typename M::Accumulator>(warp_extreme<max>(key_of<max, false>(value)));
  } else {
    using T = decltype(value.value);
    const Key<T> key = key_of<max, true>(value.value), first = warp_extreme<max>(key);
    const unsigned long long place = key == first ? value.index : ~0ull;
    return {value_of_key<T>(first), static_cast<std::size_t>(warp_extreme<false>(place))};
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
