// Rows brought into shared memory as they lie in global memory, in whole aligned lines past the registers, and
// gathered from there into lines of the output: what the rungs that take any alignment share.
#pragma once
#include "lines.hpp"

#include <cstddef>
#include <cstdint>

namespace rung::transpose {
inline namespace RUNG_ABI {

/// Elements in 32 bytes, the sector: the least that memory writes without having to read it first.
template <class T>
inline constexpr unsigned per_sector = 32 / sizeof(T);

/// Elements from the last line boundary to in[first], also where that lies before the array.
template <class T>
__device__ inline unsigned past_line(const T* in, std::ptrdiff_t first) {
  return misalignment<16>(in + first) / static_cast<unsigned>(sizeof(T));
}

/// The line in[first, first + per_line) to shared memory; in + first is aligned to 16 bytes. Zeros for what lies
/// outside of in[0, n).
template <class T>
__device__ inline void stage(Vector16* to, const T* in, std::size_t n, std::ptrdiff_t first) {
  const auto end = static_cast<std::ptrdiff_t>(n);
  if (first >= 0 && first + static_cast<std::ptrdiff_t>(per_line<T>) <= end) {
    copy_async(to, reinterpret_cast<const Vector16*>(in + first));
    return;
  }
  for (unsigned k = 0; k < per_line<T>; ++k)
    reinterpret_cast<T*>(to)[k] = first + k >= 0 && first + k < end ? in[first + k] : T{};
}

/// A line out of the elements at bytes at[k] + shift of shared memory.
template <class T>
__device__ inline Vector16 assemble(const Vector16* smem, const unsigned (&at)[per_line<T>], unsigned shift) {
  Vector16 v{};
#pragma unroll
  for (unsigned k = 0; k < per_line<T>; ++k)
    place(v, k, *reinterpret_cast<const T*>(reinterpret_cast<const char*>(smem) + at[k] + shift));
  return v;
}

/// The words of v moved up by `turn` < 4, those at the end to the front.
__device__ inline Vector16 turned(const Vector16& v, unsigned turn) {
  Vector16 half, whole;
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) half.words[w] = turn & 2 ? v.words[(w + 2) % 4] : v.words[w];
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) whole.words[w] = turn & 1 ? half.words[(w + 3) % 4] : half.words[w];
  return whole;
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
