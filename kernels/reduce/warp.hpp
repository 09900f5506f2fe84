// Reductions by exchange between the lanes of a warp, for accumulators of any size.
#pragma once
#include "../machine/machine.hpp"
#include "order.hpp"

#include <type_traits>

namespace rung::reduce {
inline namespace RUNG_ABI {

/// __shfl_down_sync for any type: word by word, small types inside one word. `width`: a power of two up to 32,
/// lanes that exchange among themselves. All 32 lanes of the warp must call it.
template <class A>
__device__ __forceinline__ A shuffle_down(A value, unsigned delta, unsigned width = 32) {
  static_assert(std::is_trivially_copyable_v<A>);
  using Word = std::conditional_t<sizeof(A) % 8 == 0, unsigned long long, unsigned>;
  constexpr unsigned count = (sizeof(A) + sizeof(Word) - 1) / sizeof(Word);
  Word words[count] = {};
  __builtin_memcpy(words, &value, sizeof(A));
#pragma unroll
  for (unsigned k = 0; k < count; ++k)
    words[k] = __shfl_down_sync(0xffffffffu, words[k], delta, static_cast<int>(width));
  __builtin_memcpy(&value, words, sizeof(A));
  return value;
}

/// The sum of the 32 lanes of a warp, to each. A 64-bit sum is three of 32 bits, whose carries stay inside them: the
/// parts of 27, 27 and 10 bits are added at the same time, where shuffles take five steps one after the other.
__device__ __forceinline__ unsigned long long warp_sum_of(unsigned long long v) {
  constexpr unsigned bits = 27, mask = (1u << bits) - 1;
  const unsigned low = warp_sum(static_cast<unsigned>(v) & mask);
  const unsigned middle = warp_sum(static_cast<unsigned>(v >> bits) & mask);
  const unsigned high = warp_sum(static_cast<unsigned>(v >> 2 * bits));
  return low + (static_cast<unsigned long long>(middle) << bits) + (static_cast<unsigned long long>(high) << 2 * bits);
}
__device__ __forceinline__ unsigned warp_sum_of(unsigned v) { return warp_sum(v); }

template <class M>
inline constexpr bool sums_words =
    (M::operation == Op::sum || M::operation == Op::mean) && is_int<typename M::Accumulator> &&
    sizeof(typename M::Accumulator) >= 4;

/// The first lane of each `width` lanes gets their total. Whole warps of ordered values and of integer sums are
/// reduced by the instructions for it.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_warp(typename M::Accumulator value, unsigned width = 32) {
  using A = typename M::Accumulator;
  if constexpr (finds_value<M> || finds_place<M>) {
    if (width == 32) return reduce_warp_in_order<M>(value);
  } else if constexpr (sums_words<M>) {
    using Word = std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned>;
    if (width == 32) return static_cast<A>(warp_sum_of(static_cast<Word>(value)));
  }
#pragma unroll
  for (unsigned delta = 16; delta > 0; delta /= 2)
    if (delta < width) value = M::combine(value, shuffle_down(value, delta, width));
  return value;
}

/// reduce_warp where places are below 2^32 - 1: value and place travel as one number, and the larger one wins.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_team(typename M::Accumulator value, unsigned width) {
  if constexpr (locates<M> && sizeof(typename M::Input) <= 4) {
    if (width == 32) return reduce_warp<M>(value);
    constexpr bool max = finds_largest<M>;
    const unsigned key = key_of<max, true>(value.value);
    auto rank = static_cast<unsigned long long>(max ? key : ~key) << 32 | ~static_cast<unsigned>(value.index);
#pragma unroll
    for (unsigned delta = 16; delta > 0; delta /= 2) {
      if (delta < width) {
        const unsigned long long other = shuffle_down(rank, delta, width);
        rank = other > rank ? other : rank;
      }
    }
    const auto first = static_cast<unsigned>(rank >> 32);
    return {value_of_key<typename M::Input>(max ? first : ~first), ~static_cast<unsigned>(rank)};
  } else {
    return reduce_warp<M>(value, width);
  }
}

/// Thread 0 gets the total of the block: whole warps, 1024 threads at most. Uses one slot of dynamic shared memory
/// a warp, and one barrier.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_block(typename M::Accumulator value) {
  auto* slots = shared_array<typename M::Accumulator>();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = reduce_warp<M>(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  if (warp == 0) value = reduce_warp<M>(lane < blockDim.x / 32 ? slots[lane] : M::identity());
  return value;
}

/// Additions that reduce_block chains.
inline constexpr double block_chain = 10;

}  // namespace RUNG_ABI
}  // namespace rung::reduce
