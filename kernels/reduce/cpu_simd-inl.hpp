// The loops of reductions over a row, in Highway's vectors; those over columns are in cpu_columns-inl.hpp. Each gives
// the bits of its plain counterpart: the same lanes take the same elements in the same order. Compiled once for each
// instruction set.
#if defined(RUNG_REDUCE_CPU_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RUNG_REDUCE_CPU_SIMD_INL
#undef RUNG_REDUCE_CPU_SIMD_INL
#else
#define RUNG_REDUCE_CPU_SIMD_INL
#endif

#include "cpu_plain-inl.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

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

template <class M>
inline constexpr bool sums_integers = Lanes<M>::step == Op::sum&& is_int<typename M::Input> &&
                                      (std::is_integral_v<typename M::Accumulator> || sizeof(typename M::Input) <= 4);

/// For the others the plain loop is as fast.
template <class M>
inline constexpr bool has_vectors = (sums_integers<M> || Lanes<M>::ordering ||
                                     (Lanes<M>::step == Op::sum && !is_int<typename M::Input>));

#if HWY_TARGET != HWY_SCALAR

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
  if constexpr (std::is_same_v<T, Bool>) {
    const hn::Rebind<S, D> bytes;
    const auto ones = hn::Min(hn::LoadU(bytes, from), hn::Set(bytes, 1));
    if constexpr (sizeof(hn::TFromD<D>) == 1)
      return ones;
    else
      return hn::PromoteTo(d, ones);
  } else if constexpr (std::is_same_v<T, F16>)
    return load_half(d, p);
  else if constexpr (std::is_same_v<S, hn::TFromD<D>>)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<S, D>(), from));
}

/// Bytes between what a row's loops read and what they ask for. Elements that are converted leave the processor with
/// more to wait for a byte, so it looks too few lines ahead by itself; and its prefetchers stop at the end of a page.
constexpr std::size_t ahead = 4096;
HWY_INLINE void ask_for(const void* first, std::size_t bytes, std::size_t distance = ahead) {
  const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(first) + distance;
  for (std::size_t k = 0; k < bytes; k += 64) hwy::Prefetch(reinterpret_cast<const char*>(from + k));
}

/// L::combine. The accumulator of a minimum or maximum stands second: x86 keeps that of two zeros of different sign, as
/// the plain loop does.
template <class L, class V>
HWY_INLINE V combine(V acc, V v) {
  if constexpr (!L::ordering)
    return hn::Add(acc, v);
  else
    return L::greatest ? hn::Max(v, acc) : hn::Min(v, acc);
}

/// What the lanes of vectors are: elements, or the parts of complex ones; their number in an element; and the value of
/// either kind that changes nothing.
template <class L>
struct Parts {
  using In = std::conditional_t<is_complex<typename L::Input>, ScalarOf<typename L::Input>, typename L::Input>;
  using Lane = ScalarOf<typename L::Value>;
  static constexpr std::size_t count = is_complex<typename L::Input> ? 2 : 1;

  static Lane identity() {
    if constexpr (L::ordering)
      return std::bit_cast<Lane>(L::identity());
    else
      return Lane(-0.0f);
  }
  static In padding() {
    if constexpr (L::ordering)
      return order_identity<In, L::greatest>();
    else if constexpr (is_half<In>)
      return In{0x8000};
    else if constexpr (is_int<In>)
      return In{};
    else
      return In(-0.0f);
  }
};

template <class L>
inline constexpr bool may_be_nan = L::ordering&& std::is_floating_point_v<typename Parts<L>::Lane>;

/// The last elements of a row, at most `count`, and after them what changes nothing. Not inline: of so few that it can
/// count them, a compiler copies each by itself.
template <class L>
HWY_NOINLINE void pad(const typename Parts<L>::In* in, std::size_t left, typename Parts<L>::In* out,
                      std::size_t count) {
  std::fill(out + left, out + count, Parts<L>::padding());
  std::memcpy(static_cast<void*>(out), in, left * sizeof(*in));
}

/// The sum of n <= chunk integers, modulo 2^64: that modulo the accumulator is the accumulator's own sum.
template <class T>
HWY_NOINLINE std::uint64_t integer_sum(const T* in, std::size_t n) {
  using S = ScalarOf<T>;
  // Lanes of 32 bits hold the sum of a chunk of 16-bit integers; bytes are summed by eights into 64.
  using Wide = std::conditional_t<
      sizeof(T) == 1, std::uint64_t,
      std::conditional_t<std::is_signed_v<S>,
                         hwy::MakeSigned<std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>>,
                         std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>>;
  static_assert(chunk <= std::size_t{1} << 15);
  constexpr hn::ScalableTag<Wide> d;
  constexpr std::size_t step = sizeof(T) == 1 ? 8 * hn::MaxLanes(d) : hn::MaxLanes(d);
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
    ask_for(in + i, 4 * step * sizeof(T));
    a0 = add(a0, in + i);
    a1 = add(a1, in + i + step);
    a2 = add(a2, in + i + 2 * step);
    a3 = add(a3, in + i + 3 * step);
  }
  for (; i + step <= n; i += step) a0 = add(a0, in + i);
  if (i < n) {
    T rest[step];
    pad<Lane<Op::sum, T, T>>(in + i, n - i, rest, step);
    a1 = add(a1, rest);
    i += step;
  }
  const auto all = hn::Add(hn::Add(a0, a1), hn::Add(a2, a3));
  auto sum = static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(d, all)));
  if constexpr (std::is_same_v<T, std::int8_t>) sum -= 128 * static_cast<std::uint64_t>(i);
  return sum;
}

/// Halves onto halves, down to one value.
template <class L, class D>
HWY_INLINE typename L::Value fold_vector(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) == Parts<L>::count) {
    alignas(16) hn::TFromD<D> parts[Parts<L>::count];
    hn::Store(v, d, parts);
    if constexpr (Parts<L>::count == 2)
      return {parts[0], parts[1]};
    else
      return std::bit_cast<typename L::Value>(parts[0]);
  } else {
    const hn::Half<D> half;
    return fold_vector<L>(half, combine<L>(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

/// One turn of a row's lanes.
template <class L, class D, class Mask, std::size_t vectors>
HWY_INLINE void take_turn(D d, const typename Parts<L>::In* in, hn::Vec<D> (&acc)[vectors],
                          [[maybe_unused]] Mask& nan) {
  for (std::size_t k = 0; k < vectors; ++k) {
    const auto v = load(d, in + k * hn::MaxLanes(d));
    acc[k] = combine<L>(acc[k], v);
    if constexpr (may_be_nan<L>) nan = hn::Or(nan, hn::IsNaN(v));
  }
}

/// Sums and means of floats, greatest and least. A comparison with NaN drops the NaN, so it is looked for beside; a row
/// that has one is read again by the plain loop, which knows which NaN to keep.
template <class L>
HWY_NOINLINE typename L::Value lanes_row(const typename L::Input* row, std::size_t n) {
  using P = Parts<L>;
  using In = typename P::In;
  constexpr hn::ScalableTag<typename P::Lane> d;
  constexpr std::size_t turn = P::count * L::count, vectors = turn / hn::MaxLanes(d);
  hn::Vec<decltype(d)> acc[vectors], lanes[vectors];
  for (auto& vector : acc) vector = hn::Set(d, P::identity());
  auto nan = hn::FirstN(d, 0);
  const auto* in = reinterpret_cast<const In*>(row);
  std::size_t left = n * P::count;
  for (; left >= turn; left -= turn, in += turn) {
    ask_for(in, turn * sizeof(In));
    take_turn<L>(d, in, acc, nan);
  }
  if (left > 0) {
    In rest[turn];
    pad<L>(in, left, rest, turn);
    take_turn<L>(d, rest, acc, nan);
  }
  if constexpr (may_be_nan<L>)
    if (!hn::AllFalse(d, nan)) return plain_row<L>(row, n);
  // Another array: this one is walked in steps that keep it out of registers.
  for (std::size_t k = 0; k < vectors; ++k) lanes[k] = acc[k];
  for (std::size_t half = vectors / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) lanes[k] = combine<L>(lanes[k], lanes[k + half]);
  return fold_vector<L>(d, lanes[0]);
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
typename LaneOf<M>::Value vector_row(const typename M::Input* in, std::size_t n) {
  if (n <= sequential) return sequential_row<LaneOf<M>>(in, n);
  // A mean of integers adds the whole numbers of a chunk exactly: less than 2^53, so no f64 is rounded.
  if constexpr (sums_integers<M> && M::operation == Op::mean)
    return static_cast<double>(static_cast<std::int64_t>(integer_sum(in, n)));
  else if constexpr (sums_integers<M>)
    return static_cast<typename M::Accumulator>(integer_sum(in, n));
  else
    return lanes_row<LaneOf<M>>(in, n);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rung::reduce::cpu
HWY_AFTER_NAMESPACE();

#endif
