// Element types as CUB and Thrust know them, and the accumulators of design §4 in those types.
#pragma once
#include "../kernels/dtype.hpp"
#include "../kernels/problem.hpp"

#include <cuda/std/complex>

#include <cstdint>
#include <type_traits>

namespace rung {

/// The library's type of the same bits; of the others, themselves.
template <class T>
struct LibraryType {
  using type = T;
};
template <>
struct LibraryType<F16> {
  using type = __half;
};
template <>
struct LibraryType<BF16> {
  using type = __nv_bfloat16;
};
template <class T>
struct LibraryType<Complex<T>> {
  using type = cuda::std::complex<T>;
};
template <class T>
using library_type = typename LibraryType<T>::type;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

/// What sums and products of T accumulate in: the result and, of a 16-bit float, f32.
template <class T, Acc acc>
struct LibraryAccumulator {
  using integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using wide = std::conditional_t<std::is_integral_v<T>, integer, double>;
  using type = std::conditional_t<is_half<T>, float, std::conditional_t<acc == Acc::wide, wide, T>>;
};
template <class T, Acc acc>
struct LibraryAccumulator<Complex<T>, acc> {
  using type = cuda::std::complex<std::conditional_t<acc == Acc::wide, double, T>>;
};
template <class T, Acc acc>
using library_accumulator = typename LibraryAccumulator<T, acc>::type;

/// What sums and products of T result in.
template <class T>
using library_result = std::conditional_t<std::is_integral_v<T>, library_accumulator<T, Acc::wide>,
                                          std::conditional_t<is_half<T>, float, library_type<T>>>;

/// visit.operator()<T>() for each type.
template <class... T, class Visit>
void each_type(TypeList<T...>, Visit&& visit) {
  (visit.template operator()<T>(), ...);
}

using OrderedTypes = TypeList<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                              std::uint32_t, std::uint64_t, F16, BF16, float, double>;

}  // namespace rung
