// Elements in 16-byte lines: what the vector movers do in registers, and loads of 16 bytes at any address.
#pragma once
#include "../machine/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rung {
inline namespace RUNG_ABI {

/// Calls visit.operator()<T>() with the element type of movers that has `size` bytes.
template <class Visit>
decltype(auto) visit_size(std::size_t size, Visit&& visit) {
  switch (size) {
    case 1:
      return visit.template operator()<std::uint8_t>();
    case 2:
      return visit.template operator()<std::uint16_t>();
    case 4:
      return visit.template operator()<std::uint32_t>();
    case 8:
      return visit.template operator()<std::uint64_t>();
    default:
      return visit.template operator()<Word16>();
  }
}

/// Elements in a line of 16 bytes.
template <class T>
inline constexpr unsigned per_line = 16 / sizeof(T);

/// Bytes from the `alignment` below to p; alignment is a power of two.
template <unsigned alignment>
__host__ __device__ inline unsigned misalignment(const void* p) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % alignment);
}

/// Element k of a line; k is a constant where it matters, after unrolling.
template <class T>
__device__ inline T element(const Vector16& v, unsigned k) {
  if constexpr (sizeof(T) < 4)
    return static_cast<T>(v.words[k * sizeof(T) / 4] >> (k * sizeof(T) % 4 * 8));
  else if constexpr (sizeof(T) == 4)
    return v.words[k];
  else if constexpr (sizeof(T) == 8)
    return v.words[2 * k] | static_cast<std::uint64_t>(v.words[2 * k + 1]) << 32;
  else
    return {v.words[0] | static_cast<std::uint64_t>(v.words[1]) << 32,
            v.words[2] | static_cast<std::uint64_t>(v.words[3]) << 32};
}

/// Places `value` at element k of a line whose element k is 0.
template <class T>
__device__ inline void place(Vector16& v, unsigned k, T value) {
  if constexpr (sizeof(T) <= 4) {
    v.words[k * sizeof(T) / 4] |= static_cast<unsigned>(value) << (k * sizeof(T) % 4 * 8);
  } else if constexpr (sizeof(T) == 8) {
    v.words[2 * k] = static_cast<unsigned>(value);
    v.words[2 * k + 1] = static_cast<unsigned>(value >> 32);
  } else {
    v = {{static_cast<unsigned>(value.low), static_cast<unsigned>(value.low >> 32), static_cast<unsigned>(value.high),
          static_cast<unsigned>(value.high >> 32)}};
  }
}

/// The 16 bytes from byte `shift` < 16 of two lines side by side; shift is a multiple of the element size.
/// Selects by the bits of the shift: a run-time index would send the words to local memory.
template <class T>
__device__ inline Vector16 straddle(const Vector16& low, const Vector16& high, unsigned shift) {
  unsigned w[8];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    w[k] = low.words[k];
    w[k + 4] = high.words[k];
  }
  if constexpr (sizeof(T) < 16) {
#pragma unroll
    for (unsigned k = 0; k < 6; ++k) w[k] = shift & 8 ? w[k + 2] : w[k];
  }
  if constexpr (sizeof(T) < 8) {
#pragma unroll
    for (unsigned k = 0; k < 5; ++k) w[k] = shift & 4 ? w[k + 1] : w[k];
  }
  if constexpr (sizeof(T) < 4) {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) w[k] = __funnelshift_r(w[k], w[k + 1], shift % 4 * 8);
  }
  return {{w[0], w[1], w[2], w[3]}};
}

/// Whether load_line(in, first) stays inside in[0, n): the lines that it reads are whole.
template <class T>
__device__ inline bool has_line(const T* in, std::size_t n, std::ptrdiff_t first) {
  const auto before = static_cast<std::ptrdiff_t>(misalignment<16>(in + first) / sizeof(T));
  const std::ptrdiff_t low = first - before;
  return low >= 0 &&
         low + static_cast<std::ptrdiff_t>((before ? 2 : 1) * per_line<T>) <= static_cast<std::ptrdiff_t>(n);
}

/// in[first, first + per_line) at any alignment, by aligned accesses alone. The second line is the first again where
/// there is no need of it: no branch, so that several calls have their loads under way together.
template <class T>
__device__ inline Vector16 load_line(const T* in, std::ptrdiff_t first) {
  const unsigned shift = misalignment<16>(in + first);
  const auto* line = reinterpret_cast<const Vector16*>(reinterpret_cast<const char*>(in + first) - shift);
  return straddle<T>(load_cached(line), load_cached(line + (shift != 0)), shift);
}

/// The same by elements, for the ends of the array; what lies outside of in[0, n) is unspecified. n is not 0.
template <class T>
__device__ inline Vector16 gather_line(const T* in, std::size_t n, std::ptrdiff_t first) {
  Vector16 v{};
#pragma unroll
  for (unsigned k = 0; k < per_line<T>; ++k) {
    const std::ptrdiff_t i = first + k;
    place(v, k, in[i < 0 ? 0 : i < static_cast<std::ptrdiff_t>(n) ? i : static_cast<std::ptrdiff_t>(n) - 1]);
  }
  return v;
}

/// One line of in[0, n) for kernels that move one a thread. n is not 0.
template <class T>
__device__ inline Vector16 read_line(const T* in, std::size_t n, std::ptrdiff_t first) {
  if (!has_line(in, n, first)) return gather_line(in, n, first);
  return load_line(in, first);
}

/// Bytes [from, until) of a line, in as few stores as their alignment allows.
template <class T>
__device__ inline void store_part(T* line, unsigned from, unsigned until, const Vector16& v) {
  unsigned left = (1u << until) - (1u << from);  // a bit for each byte
  const auto piece = [&]<class Piece>(unsigned k, Piece value) {
    const unsigned bytes = ((1u << sizeof(Piece)) - 1) << k * sizeof(Piece);
    if ((left & bytes) != bytes) return;
    reinterpret_cast<Piece*>(line)[k] = value;
    left -= bytes;
  };
#pragma unroll
  for (unsigned k = 0; k < 2; ++k) piece(k, element<std::uint64_t>(v, k));
  if constexpr (sizeof(T) <= 4) {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) piece(k, v.words[k]);
  }
  if constexpr (sizeof(T) <= 2) {
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) piece(k, element<std::uint16_t>(v, k));
  }
  if constexpr (sizeof(T) == 1) {
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) piece(k, element<std::uint8_t>(v, k));
  }
}

/// out[first, first + per_line) = v where that is inside out[0, n), as one store where all of it is.
/// out + first is aligned to 16 bytes. Not a streaming store: what L2 is to evict first it writes back before another
/// block has completed its line, the more so after a kernel that left L2 full of ordinary lines.
/// parts: lines at the ends leave in few stores, not element by element. Where many lines are such it is worth its
/// registers: window 0.75 for 0.67 of a copy's speed (bytes, 600 rows of odd columns), but 0.86 for 0.93 in the kernel
/// for few rows of bytes, which has none to spare.
template <bool parts = false, class T>
__device__ inline void store_line(T* out, std::size_t n, std::ptrdiff_t first, const Vector16& v) {
  const auto end = static_cast<std::ptrdiff_t>(n);
  if (first >= 0 && first + static_cast<std::ptrdiff_t>(per_line<T>) <= end) {
    store_cached(reinterpret_cast<Vector16*>(out + first), v);
    return;
  }
  if constexpr (parts && sizeof(T) < 16) {
    if (first >= end || first + static_cast<std::ptrdiff_t>(per_line<T>) <= 0) return;
    const auto from = static_cast<unsigned>(first < 0 ? -first : 0);
    const auto until = static_cast<unsigned>(std::min<std::ptrdiff_t>(per_line<T>, end - first));
    store_part(out + first, from * sizeof(T), until * sizeof(T), v);
  } else {
#pragma unroll
    for (unsigned k = 0; k < per_line<T>; ++k)
      if (first + k >= 0 && first + k < end) out[first + k] = element<T>(v, k);
  }
}

/// How many lines of memory out[0, n) touches.
template <class T>
std::size_t lines_of(const T* out, std::size_t n) {
  return ceil_div(reinterpret_cast<std::uintptr_t>(out) % 16 / sizeof(T) + n, per_line<T>);
}

}  // namespace RUNG_ABI
}  // namespace rung
