// A reduction is a monoid: identity, load, combine, finish. Each operation is one small struct that
// every rung uses, on every machine. The oracle (reference/oracle.cpp) is written separately.
#pragma once
#include "dtype.hpp"
#include "problem.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rung {
inline namespace RUNG_ABI {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Complex<T>> = true;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T>
inline constexpr bool is_int = std::is_integral_v<T> || std::is_same_v<T, Bool>;

/// The value of an element as arithmetic sees it: bool as 0 or 1, 16-bit floats as f32.
template <class T>
RUNG_HD T value_of(T v) {
  return v;
}
RUNG_HD std::uint8_t value_of(Bool v) { return v.byte != 0; }
RUNG_HD float value_of(F16 v) { return to_float(v); }
RUNG_HD float value_of(BF16 v) { return to_float(v); }

/// Conversion between element, accumulator and result types.
template <class To, class From>
RUNG_HD To convert(From v) {
  if constexpr (is_complex<To>) {
    using Part = decltype(To{}.re);
    return {static_cast<Part>(v.re), static_cast<Part>(v.im)};
  } else {
    return static_cast<To>(v);
  }
}

// ---- accumulator and result types (design: wide and same) ----

template <class T>
struct WideAccumulator {
  using type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <>
struct WideAccumulator<Bool> {
  using type = std::int64_t;
};
template <>
struct WideAccumulator<F16> {
  using type = float;
};
template <>
struct WideAccumulator<BF16> {
  using type = float;
};
template <>
struct WideAccumulator<float> {
  using type = double;
};
template <>
struct WideAccumulator<double> {
  using type = double;
};
template <>
struct WideAccumulator<Complex<float>> {
  using type = Complex<double>;
};
template <>
struct WideAccumulator<Complex<double>> {
  using type = Complex<double>;
};

template <class T>
struct SameAccumulator {
  using type = T;
};
template <>
struct SameAccumulator<Bool> {
  using type = std::uint8_t;
};
template <>
struct SameAccumulator<F16> {
  using type = float;
};
template <>
struct SameAccumulator<BF16> {
  using type = float;
};

template <class T>
struct SumResult {
  using type = std::conditional_t<std::is_integral_v<T>, typename WideAccumulator<T>::type, T>;
};
template <>
struct SumResult<Bool> {
  using type = std::int64_t;
};
template <>
struct SumResult<F16> {
  using type = float;
};
template <>
struct SumResult<BF16> {
  using type = float;
};

/// A value and what fills it up to 8 bytes: set, because accumulators are copied whole, and padding would be reads of
/// memory that was never written.
template <class T, std::size_t = sizeof(T)>
struct Slot {
  T value;
};
template <class T>
struct Slot<T, 4> {
  T value;
  std::uint32_t gap4 = 0;
};
template <class T>
struct Slot<T, 2> {
  T value;
  std::uint16_t gap2 = 0;
  std::uint32_t gap4 = 0;
};
template <class T>
struct Slot<T, 1> {
  T value;
  std::uint8_t gap1 = 0;
  std::uint16_t gap2 = 0;
  std::uint32_t gap4 = 0;
};

/// A value and where it stands: the accumulator of argmin and argmax.
template <class T>
struct Indexed : Slot<T> {
  std::size_t index;
  Indexed() = default;
  RUNG_HD Indexed(T v, std::size_t i) : Slot<T>{v}, index(i) {}
};

// ---- combine: the operation on accumulators ----

template <class T>
RUNG_HD bool is_nan(T v) {
  if constexpr (is_float<T>)
    return value_of(v) != value_of(v);
  else
    return false;
}

/// Sums and products of integers wrap; signed overflow is avoided by the unsigned type.
template <Op op, class A>
RUNG_HD A accumulate(A a, A b) {
  if constexpr (is_complex<A>) {
    if constexpr (op == Op::prod)
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    else
      return {a.re + b.re, a.im + b.im};
  } else if constexpr (std::is_integral_v<A>) {
    using U = std::conditional_t<(sizeof(A) < 4), unsigned, std::make_unsigned_t<A>>;
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    return static_cast<A>(op == Op::prod ? x * y : x + y);
  } else {
    return op == Op::prod ? a * b : a + b;
  }
}

/// Whether x goes before y in the order that min or max looks for; NaN goes before everything.
template <bool max, class T>
RUNG_HD bool precedes(T x, T y) {
  const auto a = value_of(x), b = value_of(y);
  if constexpr (is_float<T>)
    return !(max ? a <= b : a >= b) && b == b;  // two comparisons: where either is NaN, the first is false
  else
    return max ? a > b : a < b;
}

template <class T, bool max>
RUNG_HD T order_identity() {
  if constexpr (std::is_same_v<T, Bool>)
    return Bool{static_cast<std::uint8_t>(max ? 0 : 1)};
  else if constexpr (std::is_same_v<T, F16>)
    return F16{static_cast<std::uint16_t>(max ? 0xfc00 : 0x7c00)};
  else if constexpr (std::is_same_v<T, BF16>)
    return BF16{static_cast<std::uint16_t>(max ? 0xff80 : 0x7f80)};
  else if constexpr (std::is_floating_point_v<T>)
    return max ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  else
    return max ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
}

/// Everything of a reduction but the element type it reads: what passes after the first need.
/// A: accumulator, R: result.
template <Op op, class A, class R>
struct Combine {
  using Accumulator = A;
  using Result = R;
  static constexpr Op operation = op;

  /// Neutral under combine. Sums start at -0.0, so that the sum of -0.0 values is -0.0.
  static RUNG_HD A identity() {
    if constexpr (op == Op::sum || op == Op::mean) {
      if constexpr (is_complex<A>)
        return {-0.0f, -0.0f};
      else if constexpr (std::is_floating_point_v<A>)
        return A(-0.0f);
      else
        return A{};
    } else if constexpr (op == Op::prod) {
      if constexpr (is_complex<A>)
        return {1, 0};
      else
        return A(1);
    } else if constexpr (op == Op::min || op == Op::max) {
      return order_identity<A, op == Op::max>();
    } else {
      return {order_identity<decltype(A{}.value), op == Op::argmax>(), static_cast<std::size_t>(-1)};
    }
  }

  static RUNG_HD A combine(A a, A b) {
    if constexpr (op == Op::min || op == Op::max) {
      return precedes<op == Op::max>(b, a) ? b : a;
    } else if constexpr (op == Op::argmin || op == Op::argmax) {
      constexpr bool max = op == Op::argmax;
      const bool b_first = precedes<max>(b.value, a.value) || (!precedes<max>(a.value, b.value) && b.index < a.index);
      return b_first ? b : a;
    } else {
      return accumulate<op>(a, b);
    }
  }

  /// The result of a reduction over n elements. Sums of no values are +0.
  static RUNG_HD R finish(A acc, std::size_t n) {
    if constexpr (op == Op::argmin || op == Op::argmax) {
      return static_cast<R>(acc.index);
    } else if constexpr (op == Op::mean) {
      if constexpr (is_complex<A>) {
        using Part = decltype(A{}.re);
        return convert<R>(A{acc.re / static_cast<Part>(n), acc.im / static_cast<Part>(n)});
      } else {
        return convert<R>(acc / static_cast<A>(n));
      }
    } else if constexpr (op == Op::sum) {
      return n == 0 ? R{} : convert<R>(acc);
    } else if constexpr (op == Op::prod) {
      return convert<R>(acc);
    } else {
      return acc;
    }
  }
};

/// The reduction of elements of type T: reads T, accumulates in A, results in R.
template <Op op, class T, class A, class R>
struct Monoid : Combine<op, A, R> {
  using Input = T;
  static RUNG_HD A load(T v, [[maybe_unused]] std::size_t index) {
    if constexpr (op == Op::argmin || op == Op::argmax)
      return {v, index};
    else if constexpr (std::is_same_v<A, Bool>)
      return Bool{value_of(v)};
    else if constexpr (op == Op::min || op == Op::max)
      return v;
    else
      return convert<A>(value_of(v));
  }
};

/// The reduction of partial results: what the passes after the first run. Shared by every T of the same A and R.
template <Op op, class A, class R>
struct Partials : Combine<op, A, R> {
  using Input = A;
  static RUNG_HD A load(A v, std::size_t) { return v; }
};
template <class M>
using PartialsOf = Partials<M::operation, typename M::Accumulator, typename M::Result>;

// ---- which monoid an (operation, element type, accumulator choice) is ----

template <Op op, class T, Acc acc>
struct MonoidFor {
  static constexpr bool ordering = op == Op::min || op == Op::max;
  static constexpr bool locating = op == Op::argmin || op == Op::argmax;
  using Narrow = typename SameAccumulator<T>::type;
  using Wide = typename WideAccumulator<T>::type;
  // A mean of integers accumulates in f64 either way: one that wraps serves no comparison (docs/decisions.md).
  using MeanAccumulator = std::conditional_t<is_int<T>, double, std::conditional_t<acc == Acc::wide, Wide, Narrow>>;
  using A =
      std::conditional_t<locating, Indexed<T>,
                         std::conditional_t<ordering, T,
                                            std::conditional_t<op == Op::mean, MeanAccumulator,
                                                               std::conditional_t<acc == Acc::wide, Wide, Narrow>>>>;
  using R = std::conditional_t<
      locating, std::int64_t,
      std::conditional_t<ordering, T,
                         std::conditional_t<op == Op::mean && is_int<T>, double, typename SumResult<T>::type>>>;
  using type = Monoid<op, T, A, R>;
};

/// Complex numbers have no order.
template <Op op, class T>
inline constexpr bool op_supports = !is_complex<T> || op == Op::sum || op == Op::prod || op == Op::mean;

/// Calls visit.operator()<M>(op, dtype, acc) for every reduction there is. Where wide and same mean the same
/// types, M is the same type twice, so nothing is compiled twice.
template <class Visit>
void for_each_monoid(Visit&& visit) {
  auto each_type = [&]<Op op, class... T>(TypeList<T...>) {
    auto one = [&]<class U>() {
      if constexpr (op_supports<op, U>) {
        visit.template operator()<typename MonoidFor<op, U, Acc::wide>::type>(op, dtype_of<U>, Acc::wide);
        visit.template operator()<typename MonoidFor<op, U, Acc::same>::type>(op, dtype_of<U>, Acc::same);
      }
    };
    (one.template operator()<T>(), ...);
  };
  each_type.template operator()<Op::sum>(AllTypes{});
  each_type.template operator()<Op::prod>(AllTypes{});
  each_type.template operator()<Op::min>(AllTypes{});
  each_type.template operator()<Op::max>(AllTypes{});
  each_type.template operator()<Op::mean>(AllTypes{});
  each_type.template operator()<Op::argmin>(AllTypes{});
  each_type.template operator()<Op::argmax>(AllTypes{});
}

}  // namespace RUNG_ABI
}  // namespace rung
