// Reductions by exchange between the lanes of a warp, for accumulators of any size.
#pragma once
#include "../machine/machine.hpp"

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

/// The first lane of each `width` lanes gets their total.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_warp(typename M::Accumulator value, unsigned width = 32) {
#pragma unroll
  for (unsigned delta = 16; delta > 0; delta /= 2)
    if (delta < width) value = M::combine(value, shuffle_down(value, delta, width));
  return value;
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
