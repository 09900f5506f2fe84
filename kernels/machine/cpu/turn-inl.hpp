// A small matrix turned in registers: what a transpose is made of, and a reduction of short rows. Compiled once for
// each instruction set (Highway's per-target include, hence the guard that toggles).
#if defined(RUNG_MACHINE_CPU_TURN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RUNG_MACHINE_CPU_TURN_INL
#undef RUNG_MACHINE_CPU_TURN_INL
#else
#define RUNG_MACHINE_CPU_TURN_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace rung::cpu {
namespace HWY_NAMESPACE {

/// Turns 16 bytes of as many rows as elements are in them. Every pass interleaves row k with row k + n/2, as a perfect
/// shuffle does; log2(n) passes turn the square.
template <std::size_t to_pitch, class T>
HWY_INLINE void turn_16_bytes(const T* from, std::ptrdiff_t from_pitch, T* to) {
  constexpr std::size_t n = 16 / sizeof(T);
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) to[c * to_pitch + r] = from[static_cast<std::ptrdiff_t>(r) * from_pitch + c];
#else
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr hn::FixedTag<T, n> d;
  hn::Vec<decltype(d)> v[n], w[n];
  for (std::size_t k = 0; k < n; ++k) v[k] = hn::LoadU(d, from + static_cast<std::ptrdiff_t>(k) * from_pitch);
  for (std::size_t pass = n; pass > 1; pass /= 2) {
    for (std::size_t k = 0; k < n / 2; ++k) {
      w[2 * k] = hn::InterleaveLower(d, v[k], v[k + n / 2]);
      w[2 * k + 1] = hn::InterleaveUpper(d, v[k], v[k + n / 2]);
    }
    for (std::size_t k = 0; k < n; ++k) v[k] = w[k];
  }
  for (std::size_t k = 0; k < n; ++k) hn::Store(v[k], d, to + k * to_pitch);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace rung::cpu
HWY_AFTER_NAMESPACE();

#endif
