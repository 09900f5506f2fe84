// Rows brought into shared memory as they lie in global memory, in whole aligned lines, and gathered from there into
// lines of the output: what the rungs that take any alignment share.
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

/// The line in[first, first + per_line), zeros for what lies outside of in[0, n); in + first is aligned to 16 bytes.
template <class T>
__device__ inline Vector16 bounded_line(const T* in, std::size_t n, std::ptrdiff_t first) {
  const auto end = static_cast<std::ptrdiff_t>(n);
  if (first >= 0 && first + static_cast<std::ptrdiff_t>(per_line<T>) <= end)
    return load_cached(reinterpret_cast<const Vector16*>(in + first));
  Vector16 v{};
#pragma unroll
  for (unsigned k = 0; k < per_line<T>; ++k)
    if (first + k >= 0 && first + k < end) place(v, k, in[first + k]);
  return v;
}

/// `count` lines to shared memory by the whole block, eight loads of a thread under way together: line j, from
/// in[from(j)], to at(j). whole: all of them lie inside the array.
template <class T, class From, class At>
__device__ inline void stage(const T* in, std::size_t n, unsigned count, bool whole, From&& from, At&& at) {
  constexpr unsigned batch = 8;
  for (unsigned j = threadIdx.x; j < count; j += blockDim.x * batch) {
    Vector16 v[batch];
#pragma unroll
    for (unsigned b = 0; b < batch; ++b) {
      const unsigned i = j + b * blockDim.x;
      if (i >= count) continue;
      const std::ptrdiff_t first = from(i);
      v[b] = whole ? load_cached(reinterpret_cast<const Vector16*>(in + first)) : bounded_line(in, n, first);
    }
#pragma unroll
    for (unsigned b = 0; b < batch; ++b)
      if (j + b * blockDim.x < count) *at(j + b * blockDim.x) = v[b];
  }
}

/// The same by asynchronous copies: no registers, all of them under way together.
template <class T, class From, class At>
__device__ inline void stage_async(const T* in, std::size_t n, unsigned count, bool whole, From&& from, At&& at) {
  for (unsigned j = threadIdx.x; j < count; j += blockDim.x) {
    const std::ptrdiff_t first = from(j);
    if (whole)
      copy_async(at(j), reinterpret_cast<const Vector16*>(in + first));
    else
      *at(j) = bounded_line(in, n, first);
  }
  wait_for_copies();
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
