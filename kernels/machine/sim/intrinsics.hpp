// CUDA's integer and conversion intrinsics, and the project's named instructions, on the simulator.
#pragma once
#include "../halves.hpp"
#include "../qualifiers.hpp"
#include "language.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

RUNG_SIM int __popc(unsigned v) { return __builtin_popcount(v); }
RUNG_SIM int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
RUNG_SIM int __ffs(int v) { return __builtin_ffs(v); }
RUNG_SIM int __ffsll(long long v) { return __builtin_ffsll(v); }
RUNG_SIM int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
RUNG_SIM int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
RUNG_SIM unsigned __brev(unsigned v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(v);
}
RUNG_SIM unsigned long long __brevll(unsigned long long v) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(v))) << 32 |
         __brev(static_cast<unsigned>(v >> 32));
}
RUNG_SIM unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} * b) >> 32); }
RUNG_SIM unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>((Wide{a} * b) >> 64);
}
/// Bytes of the eight of (high:low) picked by the nibbles of the selector; bit 3 of a nibble spreads the sign.
RUNG_SIM unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned pick = selector >> (4 * k) & 15u, byte = static_cast<unsigned>(bytes >> (8 * (pick & 7u))) & 255u;
    result |= (pick & 8u ? (byte & 128u ? 255u : 0u) : byte) << (8 * k);
  }
  return result;
}
RUNG_SIM unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << (shift & 31u)) >> 32);
}
RUNG_SIM unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31u));
}

RUNG_SIM int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
RUNG_SIM unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
RUNG_SIM float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
RUNG_SIM float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
RUNG_SIM long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
RUNG_SIM double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }

// Loads and stores with a cache hint: plain ones here.
template <class T>
RUNG_SIM T __ldg(const T* p) {
  static_assert(std::is_arithmetic_v<T>, "CUDA's cache hints take built-in types");
  return *p;
}
template <class T>
RUNG_SIM T __ldcs(const T* p) {
  return __ldg(p);
}
template <class T>
RUNG_SIM T __ldcg(const T* p) {
  return __ldg(p);
}
template <class T>
RUNG_SIM void __stcs(T* p, std::type_identity_t<T> v) {
  static_assert(std::is_arithmetic_v<T>, "CUDA's cache hints take built-in types");
  *p = v;
}
template <class T>
RUNG_SIM void __stcg(T* p, std::type_identity_t<T> v) {
  __stcs(p, v);
}

/// Time to a spinning thread: a turn for the others of its block.
RUNG_SIM void __nanosleep(unsigned) { rung::sim::pause(); }

namespace rung {
inline namespace RUNG_ABI {

/// 16 bytes that travel as one access.
struct alignas(16) Vector16 {
  unsigned words[4];
};

/// Load of data that is read once: does not displace what the caches hold.
RUNG_SIM Vector16 load_streaming(const Vector16* p, RUNG_SIM_AT) {
  Vector16 v;
  sim::load16(&v, p, at);
  return v;
}

/// Store of data that is not read again soon.
RUNG_SIM void store_streaming(Vector16* p, const Vector16& v, RUNG_SIM_AT) { sim::store16(p, &v, at); }

/// acc plus the four bytes of a word.
RUNG_SIM unsigned add_bytes(unsigned word, unsigned acc) {
  return acc + (word & 255u) + (word >> 8 & 255u) + (word >> 16 & 255u) + (word >> 24);
}
/// acc plus byte k of a word.
RUNG_SIM unsigned add_byte(unsigned word, unsigned k, unsigned acc) { return acc + (word >> (8 * k) & 255u); }
RUNG_SIM int add_signed_bytes(unsigned word, int acc) {
  for (unsigned k = 0; k < 4; ++k) acc += static_cast<std::int8_t>(word >> (8 * k));
  return acc;
}

/// The value that max (or min) keeps; NaN before all numbers.
template <bool max, class T>
RUNG_SIM T extreme(T a, T b) {
  return first_of<max>(a, b);
}
/// The same for each of the two T of a word: 16-bit integers, F16, BF16.
template <bool max, class T>
RUNG_SIM unsigned extreme_pairs(unsigned a, unsigned b) {
  return first_of_halves<max, T>(a, b);
}

/// The extreme, or the sum, of the words of the 32 lanes of a warp, to each lane. All must call it.
RUNG_SIM unsigned warp_max(unsigned word, RUNG_SIM_AT) { return __reduce_max_sync(0xffffffffu, word, at); }
RUNG_SIM unsigned warp_min(unsigned word, RUNG_SIM_AT) { return __reduce_min_sync(0xffffffffu, word, at); }
RUNG_SIM unsigned warp_sum(unsigned word, RUNG_SIM_AT) { return __reduce_add_sync(0xffffffffu, word, at); }

// Kernels run one behind the other here; a thread that touches global memory before it has waited is a fault.
RUNG_SIM void allow_next_kernel() {}
RUNG_SIM void wait_for_previous_kernel() { sim::wait_for_previous_kernel(); }
RUNG_SIM void prefetch(const void*) {}
template <class... Parameter, class... Argument>
void launch_overlapping(void (*kernel)(Parameter...), const LaunchShape& shape, Stream, Argument... arguments) {
  run_grid(kernel, {shape.grid, shape.block, shape.shared, true}, arguments...);
}

/// Load of a line that a neighbouring thread wants too.
RUNG_SIM Vector16 load_cached(const Vector16* p, RUNG_SIM_AT) { return load_streaming(p, at); }

/// Load of a line whose neighbours other blocks want soon.
template <unsigned around = 256>
RUNG_SIM Vector16 load_wide(const Vector16* p, RUNG_SIM_AT) {
  return load_streaming(p, at);
}

/// Store that may wait in L2 for what completes its line.
RUNG_SIM void store_cached(Vector16* p, const Vector16& v, RUNG_SIM_AT) { sim::store16(p, &v, at); }

/// Copies 16 bytes of global memory into shared memory. They arrive when the thread waits, and not before: a wait that
/// is missing, or too late, leaves reads of uninitialised bytes.
RUNG_SIM void copy_async(Vector16* to, const Vector16* from, RUNG_SIM_AT) { sim::copy16_async(to, from, at); }
RUNG_SIM void wait_for_copies() { sim::wait_for_copies(); }

}  // namespace RUNG_ABI
}  // namespace rung
