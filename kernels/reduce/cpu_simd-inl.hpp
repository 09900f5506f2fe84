// The loops of reductions over a row, in Highway's vectors. Each gives the bits of its plain counterpart: the same
// lanes take the same elements in the same order. Compiled once for each instruction set.
#if defined(RUNG_REDUCE_CPU_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RUNG_REDUCE_CPU_SIMD_INL
#undef RUNG_REDUCE_CPU_SIMD_INL
#else
#define RUNG_REDUCE_CPU_SIMD_INL
#endif

#include "cpu_plain-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace rung::reduce::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What a vector's lane is: bool as a byte, a complex number as two reals.
template <class T>
struct Scalar {
  using type = T;
};
template <>
struct Scalar<Bool> {
  using type = std::uint8_t;
};
template <>
struct Scalar<F16> {
  using type = hwy::float16_t;
};
template <>
struct Scalar<BF16> {
  using type = hwy::bfloat16_t;
};
template <class T>
struct Scalar<Complex<T>> {
  using type = T;
};
template <class T>
using ScalarOf = typename Scalar<T>::type;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128
/// widen() of cpu_lanes.hpp in vectors: where the hardware cannot convert, Highway's PromoteTo takes infinity and NaN
/// for numbers.
template <class D>
HWY_INLINE hn::Vec<D> load_half(D d, const F16* p) {
  const hn::Rebind<std::uint32_t, D> du;
  const auto bits =
      hn::PromoteTo(du, hn::LoadU(hn::Rebind<std::uint16_t, D>(), reinterpret_cast<const std::uint16_t*>(p)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7fffu)));
  const auto scaled = hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f));
  const auto special =
      hn::IfThenElseZero(hn::Ge(scaled, hn::Set(d, 65536.0f)), hn::BitCast(d, hn::Set(du, 0x7f800000u)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  return hn::Or(hn::Or(scaled, special), hn::BitCast(d, sign));
}
#else
template <class D>
HWY_INLINE hn::Vec<D> load_half(D d, const F16* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::float16_t, D>(), reinterpret_cast<const hwy::float16_t*>(p)));
}
#endif

/// A vector of D's lanes from as many elements: converted where D's lanes are wider.
template <class D, class T>
HWY_INLINE hn::Vec<D> load(D d, const T* p) {
  using S = ScalarOf<T>;
  const auto* from = reinterpret_cast<const S*>(p);
  if constexpr (std::is_same_v<T, Bool>)
    return hn::Min(hn::LoadU(d, from), hn::Set(d, 1));
  else if constexpr (std::is_same_v<T, F16>)
    return load_half(d, p);
  else if constexpr (std::is_same_v<S, hn::TFromD<D>>)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<S, D>(), from));
}

/// The sum of n <= chunk integers, modulo 2^64: that modulo the accumulator is the accumulator's own sum.
template <class T>
HWY_NOINLINE std::uint64_t integer_sum(const T* in, std::size_t n) {
  using S = ScalarOf<T>;
  // Lanes of 32 bits hold the sum of a chunk of 16-bit integers; bytes are summed by eights into 64.
  using Lane = std::conditional_t<
      sizeof(T) == 1, std::uint64_t,
      std::conditional_t<std::is_signed_v<S>,
                         hwy::MakeSigned<std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>>,
                         std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>>;
  static_assert(chunk <= std::size_t{1} << 15);
  const hn::ScalableTag<Lane> d;
  const std::size_t lanes = hn::Lanes(d), step = sizeof(T) == 1 ? 8 * lanes : lanes;
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
  const auto add = [&](auto acc, const T* p) HWY_ATTR {
    if constexpr (sizeof(T) == 1) {
      const hn::ScalableTag<std::uint8_t> d8;
      if constexpr (std::is_signed_v<S>)
        return hn::Add(acc, hn::SumsOf8(hn::Xor(hn::BitCast(d8, hn::LoadU(hn::ScalableTag<std::int8_t>(), p)),
                                                hn::Set(d8, 0x80))));
      else
        return hn::Add(acc, hn::SumsOf8(load(d8, p)));
    } else {
      return hn::Add(acc, load(d, p));
    }
  };
  std::size_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step) {
    a0 = add(a0, in + i);
    a1 = add(a1, in + i + step);
    a2 = add(a2, in + i + 2 * step);
    a3 = add(a3, in + i + 3 * step);
  }
  for (; i + step <= n; i += step) a0 = add(a0, in + i);
  alignas(64) Lane sums[hn::MaxLanes(d)];
  hn::Store(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), d, sums);
  std::uint64_t sum = 0;
  for (std::size_t l = 0; l < lanes; ++l) sum += static_cast<std::uint64_t>(sums[l]);
  if constexpr (std::is_same_v<T, std::int8_t>) sum -= 128 * static_cast<std::uint64_t>(i);
  for (; i < n; ++i) sum += static_cast<std::uint64_t>(value_of(in[i]));
  return sum;
}

/// Sums and means of floats; those of complex numbers are twice as many real lanes.
template <class L>
HWY_NOINLINE typename L::Value float_sum(const typename L::Input* in, std::size_t n) {
  using Real = ScalarOf<typename L::Value>;
  constexpr hn::ScalableTag<Real> d;
  constexpr std::size_t step = hn::MaxLanes(d), vectors = lane_bytes / sizeof(Real) / step;
  constexpr std::size_t parts = is_complex<typename L::Value> ? 2 : 1;
  hn::Vec<decltype(d)> acc[vectors];
  for (std::size_t k = 0; k < vectors; ++k) acc[k] = hn::Set(d, Real(-0.0f));
  std::size_t i = 0;
  for (; i + L::count <= n; i += L::count) {
    if constexpr (parts == 2) {
      using From = ScalarOf<typename L::Input>;
      const auto* p = reinterpret_cast<const From*>(in + i);
      for (std::size_t k = 0; k < vectors; ++k) acc[k] = hn::Add(acc[k], load(d, p + k * step));
    } else {
      for (std::size_t k = 0; k < vectors; ++k) acc[k] = hn::Add(acc[k], load(d, in + i + k * step));
    }
  }
  alignas(64) typename L::Value lanes[L::count];
  for (std::size_t k = 0; k < vectors; ++k) hn::Store(acc[k], d, reinterpret_cast<Real*>(lanes) + k * step);
  return fold_lanes<L>(lanes, in, i, n);
}

/// Greatest or least. A comparison with NaN drops the NaN, so it is looked for beside; a row that has one is read
/// again by the plain loop, which knows which NaN to keep.
template <class L>
HWY_NOINLINE typename L::Value extreme(const typename L::Input* in, std::size_t n) {
  using S = ScalarOf<typename L::Value>;
  constexpr hn::ScalableTag<S> d;
  constexpr std::size_t step = hn::MaxLanes(d), vectors = L::count / step;
  alignas(64) typename L::Value lanes[L::count];
  for (std::size_t l = 0; l < L::count; ++l) lanes[l] = L::identity();
  hn::Vec<decltype(d)> acc[vectors];
  for (std::size_t k = 0; k < vectors; ++k) acc[k] = hn::Load(d, reinterpret_cast<const S*>(lanes));
  [[maybe_unused]] auto nan = hn::FirstN(d, 0);
  std::size_t i = 0;
  for (; i + L::count <= n; i += L::count)
    for (std::size_t k = 0; k < vectors; ++k) {
      const auto v = load(d, in + i + k * step);
      // The accumulator stands second: x86 keeps that of two zeros of different sign, as the plain loop does.
      acc[k] = L::greatest ? hn::Max(v, acc[k]) : hn::Min(v, acc[k]);
      if constexpr (std::is_floating_point_v<S>) nan = hn::Or(nan, hn::IsNaN(v));
    }
  if constexpr (std::is_floating_point_v<S>)
    if (!hn::AllFalse(d, nan)) return plain_row<L>(in, n);
  for (std::size_t k = 0; k < vectors; ++k) hn::Store(acc[k], d, reinterpret_cast<S*>(lanes) + k * step);
  return fold_lanes<L>(lanes, in, i, n);
}

/// The first place of a value that is there, or of the first NaN.
template <class L>
HWY_NOINLINE std::size_t find(const typename L::Input* in, std::size_t n, typename L::Input wanted) {
  using S = ScalarOf<typename L::Value>;
  const auto wanted_value = L::load(wanted);
  const hn::ScalableTag<S> d;
  const auto value = hn::Set(d, std::bit_cast<S>(wanted_value));
  const std::size_t step = hn::Lanes(d);
  const bool nan = value_of(wanted_value) != value_of(wanted_value);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const auto v = load(d, in + i);
    auto hit = hn::Eq(v, value);
    if constexpr (std::is_floating_point_v<S>)
      if (nan) hit = hn::IsNaN(v);
    const auto first = hn::FindFirstTrue(d, hit);
    if (first >= 0) return i + static_cast<std::size_t>(first);
  }
  return i + plain_find<L>(in + i, n - i, wanted);
}

template <class M>
inline constexpr bool sums_integers = Lanes<M>::step == Op::sum&& is_int<typename M::Input> &&
                                      (std::is_integral_v<typename M::Accumulator> || sizeof(typename M::Input) <= 4);

/// The scalar target has no vectors: the plain loop is the faster one there.
template <class M>
inline constexpr bool has_vectors = HWY_TARGET != HWY_SCALAR &&
                                    (sums_integers<M> || Lanes<M>::ordering ||
                                     (Lanes<M>::step == Op::sum && !is_int<typename M::Input>));

template <class M>
struct VectorRow {
  using L = LaneOf<M>;
  static typename L::Value reduce(const typename L::Input* in, std::size_t n) {
    if (n <= sequential) return sequential_row<L>(in, n);
    // A mean of integers adds the whole numbers of a chunk exactly: less than 2^53, so no f64 is rounded.
    if constexpr (sums_integers<M> && M::operation == Op::mean)
      return static_cast<double>(static_cast<std::int64_t>(integer_sum(in, n)));
    else if constexpr (sums_integers<M>)
      return static_cast<typename M::Accumulator>(integer_sum(in, n));
    else if constexpr (L::ordering)
      return extreme<L>(in, n);
    else
      return float_sum<L>(in, n);
  }
  static std::size_t find(const typename L::Input* in, std::size_t n, typename L::Input wanted) {
    return HWY_NAMESPACE::find<L>(in, n, wanted);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace rung::reduce::cpu
HWY_AFTER_NAMESPACE();

#endif
