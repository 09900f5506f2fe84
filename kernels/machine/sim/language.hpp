// CUDA's kernel language as functions of the simulator: what a kernel file sees when g++ compiles it.
// Names, types and meanings are CUDA's (Programming Guide, "C++ Language Extensions"); what CUDA lacks is absent
// here too, so that a kernel that compiles here compiles with nvcc. Functions that a warp or block runs together
// take the place of the call as a hidden argument: it names the collective in findings.
#pragma once
#include "../../kernel.hpp"
#include "../qualifiers.hpp"
#include "machine.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

// All that a kernel calls is inlined into it, but for what calls itself: g++ makes no hook for the struct that a call
// stores as its result or loads as its argument, and memory so written would be taken for uninitialised.
#define __global__ __attribute__((flatten))
#define __device__
#define __host__
#define __constant__ static const
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __shared__ static thread_local  // a block runs on one thread of the host

#define threadIdx (::rung::sim::thread_idx())
#define blockIdx (::rung::sim::block_idx())
#define blockDim (::rung::sim::block_dim())
#define gridDim (::rung::sim::grid_dim())
inline constexpr int warpSize = 32;

#define RUNG_SIM inline __attribute__((always_inline))
#define RUNG_SIM_AT const void* at = __builtin_source_location()

RUNG_SIM void __syncthreads(RUNG_SIM_AT) { rung::sim::barrier(at); }
RUNG_SIM int __syncthreads_count(int p, RUNG_SIM_AT) { return rung::sim::barrier_count(p != 0, at); }
RUNG_SIM int __syncthreads_and(int p, RUNG_SIM_AT) { return rung::sim::barrier_count(p == 0, at) == 0; }
RUNG_SIM int __syncthreads_or(int p, RUNG_SIM_AT) { return rung::sim::barrier_count(p != 0, at) != 0; }
RUNG_SIM void __syncwarp(unsigned mask = ~0u, RUNG_SIM_AT) { rung::sim::warp_barrier(mask, at); }
RUNG_SIM void __threadfence_block() { rung::sim::fence(false); }
RUNG_SIM void __threadfence() { rung::sim::fence(true); }
RUNG_SIM void __threadfence_system() { rung::sim::fence(true); }

namespace rung::sim {

/// The types that CUDA shuffles; smaller integers are promoted, as its overloads do.
template <class T>
concept Shuffled = std::same_as<T, int> || std::same_as<T, unsigned> || std::same_as<T, long> ||
    std::same_as<T, unsigned long> || std::same_as<T, long long> || std::same_as<T, unsigned long long> ||
    std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Promoted = std::integral<T> && sizeof(T) < sizeof(int);

template <class T>
RUNG_SIM std::uint64_t to_bits(T v) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(std::uint64_t, v);
  else
    return __builtin_bit_cast(std::uint32_t, v);
}
template <class T>
RUNG_SIM T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(T, bits);
  else
    return __builtin_bit_cast(T, static_cast<std::uint32_t>(bits));
}
template <class T>
RUNG_SIM auto shuffled(Shuffle mode, unsigned mask, T v, unsigned operand, int width, const void* at) {
  static_assert(Shuffled<T> || Promoted<T>, "CUDA has no shuffle of this type");
  using Value = decltype(+v);
  return from_bits<Value>(shuffle(mode, mask, to_bits<Value>(v), operand, width, at));
}

}  // namespace rung::sim

template <class T>
RUNG_SIM auto __shfl_sync(unsigned mask, T v, int lane, int width = 32, RUNG_SIM_AT) {
  return rung::sim::shuffled(rung::sim::Shuffle::index, mask, v, static_cast<unsigned>(lane), width, at);
}
template <class T>
RUNG_SIM auto __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, RUNG_SIM_AT) {
  return rung::sim::shuffled(rung::sim::Shuffle::up, mask, v, delta, width, at);
}
template <class T>
RUNG_SIM auto __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, RUNG_SIM_AT) {
  return rung::sim::shuffled(rung::sim::Shuffle::down, mask, v, delta, width, at);
}
template <class T>
RUNG_SIM auto __shfl_xor_sync(unsigned mask, T v, int lane_mask, int width = 32, RUNG_SIM_AT) {
  return rung::sim::shuffled(rung::sim::Shuffle::exclusive_or, mask, v, static_cast<unsigned>(lane_mask), width, at);
}
RUNG_SIM unsigned __ballot_sync(unsigned mask, int p, RUNG_SIM_AT) { return rung::sim::ballot(mask, p != 0, at); }
RUNG_SIM int __any_sync(unsigned mask, int p, RUNG_SIM_AT) { return rung::sim::ballot(mask, p != 0, at) != 0; }
RUNG_SIM int __all_sync(unsigned mask, int p, RUNG_SIM_AT) { return rung::sim::ballot(mask, p == 0, at) == 0; }
/// The lanes that have not exited. Hardware gives those that happen to be converged here, which no code may rely on.
RUNG_SIM unsigned __activemask() { return rung::sim::alive_lanes(); }

template <class T>
RUNG_SIM unsigned __match_any_sync(unsigned mask, T v, RUNG_SIM_AT) {
  static_assert(rung::sim::Shuffled<T>, "CUDA has no match of this type");
  return rung::sim::match_any(mask, rung::sim::to_bits(v), at);
}
RUNG_SIM unsigned __reduce_add_sync(unsigned mask, unsigned v, RUNG_SIM_AT) {
  return static_cast<unsigned>(rung::sim::warp_reduce(rung::sim::Reduce::add, mask, v, at));
}
RUNG_SIM int __reduce_add_sync(unsigned mask, int v, RUNG_SIM_AT) {
  return static_cast<int>(rung::sim::warp_reduce(rung::sim::Reduce::add, mask, v, at));
}
RUNG_SIM unsigned __reduce_min_sync(unsigned mask, unsigned v, RUNG_SIM_AT) {
  return static_cast<unsigned>(rung::sim::warp_reduce(rung::sim::Reduce::min, mask, v, at));
}
RUNG_SIM int __reduce_min_sync(unsigned mask, int v, RUNG_SIM_AT) {
  return static_cast<int>(rung::sim::warp_reduce(rung::sim::Reduce::min, mask, v, at));
}
RUNG_SIM unsigned __reduce_max_sync(unsigned mask, unsigned v, RUNG_SIM_AT) {
  return static_cast<unsigned>(rung::sim::warp_reduce(rung::sim::Reduce::max, mask, v, at));
}
RUNG_SIM int __reduce_max_sync(unsigned mask, int v, RUNG_SIM_AT) {
  return static_cast<int>(rung::sim::warp_reduce(rung::sim::Reduce::max, mask, v, at));
}
RUNG_SIM unsigned __reduce_and_sync(unsigned mask, unsigned v, RUNG_SIM_AT) {
  return static_cast<unsigned>(rung::sim::warp_reduce(rung::sim::Reduce::bit_and, mask, v, at));
}
RUNG_SIM unsigned __reduce_or_sync(unsigned mask, unsigned v, RUNG_SIM_AT) {
  return static_cast<unsigned>(rung::sim::warp_reduce(rung::sim::Reduce::bit_or, mask, v, at));
}
RUNG_SIM unsigned __reduce_xor_sync(unsigned mask, unsigned v, RUNG_SIM_AT) {
  return static_cast<unsigned>(rung::sim::warp_reduce(rung::sim::Reduce::bit_xor, mask, v, at));
}

#include "atomics.hpp"

namespace rung {
inline namespace RUNG_ABI {

/// Threads that a multiprocessor holds: what launch bounds may ask for.
inline constexpr unsigned multiprocessor_threads = 2048;

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared = 0;  ///< bytes of dynamic shared memory
};

/// Dynamic shared memory of the block. Its bytes are undefined at the start of each block, as on a GPU.
template <class T>
RUNG_SIM T* shared_array() {
  static_assert(alignof(T) <= 16);
  return static_cast<T*>(sim::dynamic_shared());
}

template <class... Parameter, class... Argument>
void run_grid(void (*kernel)(Parameter...), const sim::Grid& grid, Argument... arguments) {
  // Inlined into the caller, a kernel would read threadIdx once for all threads: it must stay behind the pointer.
  asm volatile("" : "+r"(kernel));
  auto call = [ kernel, ... values = static_cast<Parameter>(arguments) ]() __attribute__((no_sanitize_thread)) {
    kernel(values...);
  };
  auto enter = [](const void* p) __attribute__((no_sanitize_thread)) { (*static_cast<const decltype(call)*>(p))(); };
  sim::run(grid, enter, &call);
}

/// Runs the whole grid before it returns. Throws DeviceError for a shape that CUDA refuses; faults of the kernel
/// come out of Device::synchronize().
template <class... Parameter, class... Argument>
void launch(void (*kernel)(Parameter...), const LaunchShape& shape, Stream, Argument... arguments) {
  run_grid(kernel, {shape.grid, shape.block, shape.shared}, arguments...);
}

}  // namespace RUNG_ABI
}  // namespace rung
