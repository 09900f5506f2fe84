// The Thrust calls themselves, on either machine. M gives
//   auto policy(const ThrustArguments&)                     where reductions run
//   auto mover_policy(const ThrustArguments&)               where movers run
//   void deliver(const ThrustArguments&, R value)           a result on the host into out
//   T fetch(const T* place)                                 an element behind an iterator of that machine
// Integer sums are unsigned: that they wrap is then no accident.
#pragma once
#include "../kernels/dtype.hpp"
#include "thrust_table.hpp"

#include <thrust/complex.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/reverse.h>
#include <thrust/version.h>
#if THRUST_VERSION >= 300000
#include <cuda/std/functional>
#endif

#include <cstdint>
#include <type_traits>

namespace rung {

// CCCL 3 has Thrust's operations there, and warns of the old names.
#if THRUST_VERSION >= 300000
namespace functional = cuda::std;
#else
namespace functional = thrust;
#endif

template <class T>
struct ThrustType {
  using type = T;
};
template <class T>
struct ThrustType<Complex<T>> {
  using type = thrust::complex<T>;
};
#if defined(__CUDACC__)
template <>
struct ThrustType<F16> {
  using type = __half;
};
template <>
struct ThrustType<BF16> {
  using type = __nv_bfloat16;
};
#endif
template <class T>
using thrust_type = typename ThrustType<T>::type;

/// What sums and products accumulate in (design §4), and their result.
template <class T, Acc acc>
struct ThrustSum {
  static constexpr bool wide = acc == Acc::wide;
  static constexpr auto accumulator() {
    if constexpr (std::is_integral_v<T>)
      return std::conditional_t<wide, std::uint64_t, std::make_unsigned_t<T>>{};
    else if constexpr (std::is_floating_point_v<T>)
      return std::conditional_t<wide, double, T>{};
    else if constexpr (std::is_same_v<T, Complex<float>>)
      return thrust::complex<std::conditional_t<wide, double, float>>{};
    else if constexpr (std::is_same_v<T, Complex<double>>)
      return thrust::complex<double>{};
    else
      return float{};
  }
  using A = decltype(accumulator());
  /// An accumulator of the element's width keeps the element's sign as it widens.
  static auto result(A total) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(
          static_cast<std::conditional_t<wide && std::is_signed_v<T>, std::int64_t, std::conditional_t<wide, A, T>>>(
              total));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(total);
    else if constexpr (std::is_same_v<T, Complex<float>>)
      return thrust::complex<float>(total);
    else
      return total;
  }
};

template <class M, class T, Acc acc, bool product>
void thrust_accumulate(const ThrustArguments& a) {
  using Sum = ThrustSum<T, acc>;
  using A = typename Sum::A;
  const auto* in = static_cast<const thrust_type<T>*>(a.in);
  if constexpr (product)
    M::deliver(a, Sum::result(thrust::reduce(M::policy(a), in, in + a.n, A(1), functional::multiplies<A>())));
  else
    M::deliver(a, Sum::result(thrust::reduce(M::policy(a), in, in + a.n, A(0), functional::plus<A>())));
}

/// The extreme element, or its place.
template <class M, class T, bool max, bool place>
void thrust_extreme(const ThrustArguments& a) {
  const auto* in = static_cast<const thrust_type<T>*>(a.in);
  const auto* found = in;
  if constexpr (max)
    found = thrust::max_element(M::policy(a), in, in + a.n);
  else
    found = thrust::min_element(M::policy(a), in, in + a.n);
  if constexpr (place)
    M::deliver(a, static_cast<std::int64_t>(found - in));
  else
    M::deliver(a, M::fetch(found));
}

#if defined(__CUDACC__)
#define RUNG_THRUST_HD __host__ __device__
#else
#define RUNG_THRUST_HD
#endif

// thrust::minimum and maximum, which CCCL 3 has moved to another place than Debian's Thrust knows.
template <class T>
struct Lesser {
  RUNG_THRUST_HD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct Greater {
  RUNG_THRUST_HD T operator()(T a, T b) const { return a < b ? b : a; }
};

struct RowOfIndex {
  std::size_t length;
  RUNG_THRUST_HD std::size_t operator()(std::size_t index) const { return index / length; }
};

template <class M, class T, class Combine>
void thrust_rows(const ThrustArguments& a) {
  const auto rows = thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), RowOfIndex{a.n});
  thrust::reduce_by_key(M::policy(a), rows, rows + a.rows * a.n, static_cast<const T*>(a.in),
                        thrust::make_discard_iterator(), static_cast<T*>(a.out), functional::equal_to<std::size_t>(),
                        Combine());
}

/// Where the element of the transposed array, batch × cols × rows, comes from.
struct TransposedIndex {
  std::size_t rows, cols;
  RUNG_THRUST_HD std::size_t operator()(std::size_t i) const {
    const std::size_t matrix = i / (rows * cols), within = i % (rows * cols);
    return matrix * rows * cols + within % rows * cols + within / rows;
  }
};

template <class M, class Word>
void thrust_transpose(const ThrustArguments& a) {
  const auto from =
      thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), TransposedIndex{a.rows, a.n});
  const auto* in = static_cast<const Word*>(a.in);
  thrust::gather(M::mover_policy(a), from, from + a.batch * a.rows * a.n, in, static_cast<Word*>(a.out));
}

template <class M, class Word>
void thrust_reverse(const ThrustArguments& a) {
  const auto* in = static_cast<const Word*>(a.in);
  thrust::reverse_copy(M::mover_policy(a), in, in + a.n, static_cast<Word*>(a.out));
}

struct alignas(16) ThrustWord16 {
  std::uint64_t low, high;
};

template <class M>
void add_thrust_movers(ThrustTable& table) {
  table.reverses = {&thrust_reverse<M, std::uint8_t>, &thrust_reverse<M, std::uint16_t>,
                    &thrust_reverse<M, std::uint32_t>, &thrust_reverse<M, std::uint64_t>,
                    &thrust_reverse<M, ThrustWord16>};
  table.transposes = {&thrust_transpose<M, std::uint8_t>, &thrust_transpose<M, std::uint16_t>,
                      &thrust_transpose<M, std::uint32_t>, &thrust_transpose<M, std::uint64_t>,
                      &thrust_transpose<M, ThrustWord16>};
}

/// thrust::reduce of sums (or products), in one or both accumulators.
template <class M, bool product, class T>
void add_thrust_sum(ThrustTable& table) {
  constexpr Op op = product ? Op::prod : Op::sum;
  table.at(ThrustTable::whole, op, dtype_of<T>, Acc::wide) = &thrust_accumulate<M, T, Acc::wide, product>;
  if constexpr (std::is_same_v<typename ThrustSum<T, Acc::wide>::A, typename ThrustSum<T, Acc::same>::A>)
    table.at(ThrustTable::whole, op, dtype_of<T>, Acc::same) = &thrust_accumulate<M, T, Acc::wide, product>;
  else
    table.at(ThrustTable::whole, op, dtype_of<T>, Acc::same) = &thrust_accumulate<M, T, Acc::same, product>;
}

template <class M, class T>
void add_thrust_extremes(ThrustTable& table) {
  for (const Acc acc : {Acc::wide, Acc::same}) {
    table.at(ThrustTable::whole, Op::min, dtype_of<T>, acc) = &thrust_extreme<M, T, false, false>;
    table.at(ThrustTable::whole, Op::max, dtype_of<T>, acc) = &thrust_extreme<M, T, true, false>;
    table.at(ThrustTable::whole, Op::argmin, dtype_of<T>, acc) = &thrust_extreme<M, T, false, true>;
    table.at(ThrustTable::whole, Op::argmax, dtype_of<T>, acc) = &thrust_extreme<M, T, true, true>;
  }
}

/// Rows whose sum has the element's type. Others are left out: reduce_by_key of either back-end carries partial sums
/// from one stretch to the next in the type of the elements, whatever the results and the operation are.
template <class M, class T>
void add_thrust_rows(ThrustTable& table) {
  for (const Acc acc : {Acc::wide, Acc::same}) {
    if (sizeof(T) == 8 || (std::is_floating_point_v<T> && acc == Acc::same))
      table.at(ThrustTable::rows, Op::sum, dtype_of<T>, acc) = &thrust_rows<M, T, functional::plus<T>>;
    table.at(ThrustTable::rows, Op::min, dtype_of<T>, acc) = &thrust_rows<M, T, Lesser<T>>;
    table.at(ThrustTable::rows, Op::max, dtype_of<T>, acc) = &thrust_rows<M, T, Greater<T>>;
  }
}

}  // namespace rung
