// The loops of reductions over columns, in Highway's vectors, and over short rows, which are turned into columns. Each
// gives the bits of its plain counterpart: a column takes its rows one after another. Compiled once for each
// instruction set.
#if defined(RUNG_REDUCE_CPU_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RUNG_REDUCE_CPU_COLUMNS_INL
#undef RUNG_REDUCE_CPU_COLUMNS_INL
#else
#define RUNG_REDUCE_CPU_COLUMNS_INL
#endif

#include "../machine/cpu/turn-inl.hpp"
#include "cpu_simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace rung::reduce::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
/// What is carried down a column: integers in as few bytes as hold the sum of most_rows of them, or as the accumulator
/// has, where it wraps.
template <class L>
struct Carried {
  using type = typename Parts<L>::Lane;
};
template <class T, class V>
requires(is_int<T>) struct Carried<Lane<Op::sum, T, V>> {
  using Wide = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::int64_t>;
  using type = std::conditional_t<sizeof(V) <= sizeof(T), V,
                                  std::conditional_t<std::is_signed_v<T>, Wide, hwy::MakeUnsigned<Wide>>>;
  static_assert(most_rows <= std::size_t{1} << 15);
};

/// Bytes between a row and the one that is asked for with it: a multiple of four rows, and at least `ahead` of
/// elements.
template <class T>
std::size_t rows_ahead(std::size_t stride, std::size_t cols) {
  return (1 + ahead / (4 * cols * sizeof(T))) * 4 * stride * sizeof(T);
}

/// best[c] = column c of a part, for as many columns as fill vectors. Returns their number, or 0 where there is a NaN.
template <class L>
HWY_NOINLINE std::size_t vector_values(const typename L::Input* in, std::size_t rows, std::size_t stride,
                                       std::size_t cols, std::size_t last_cols, typename L::Value* best) {
  using P = Parts<L>;
  using In = typename P::In;
  using C = typename Carried<L>::type;
  constexpr hn::ScalableTag<C> d;
  constexpr std::size_t step = hn::MaxLanes(d), line = std::max<std::size_t>(step, 64 / sizeof(In));
  constexpr bool in_place = std::is_same_v<C, typename P::Lane>;
  alignas(64) C buffer[in_place ? 1 : tile];
  C* acc = in_place ? reinterpret_cast<C*>(best) : buffer;
  const std::size_t whole = cols * P::count / step * step, pitch = stride * P::count;
  const std::size_t distance = rows_ahead<typename L::Input>(stride, cols);
  for (std::size_t c = 0; c < whole; c += step) hn::StoreU(hn::Set(d, static_cast<C>(P::identity())), d, acc + c);
  [[maybe_unused]] auto nan = hn::FirstN(d, 0);
  const auto take = [&](auto value, const In* p) HWY_ATTR {
    const auto v = load(d, p);
    if constexpr (may_be_nan<L>) nan = hn::Or(nan, hn::IsNaN(v));
    return combine<L>(value, v);
  };
  const auto* row = reinterpret_cast<const In*>(in);
  // Four rows a turn: the values are loaded and stored once for four additions.
  for (; rows >= 4; rows -= 4, row += 4 * pitch)
    for (std::size_t c = 0; c < whole; c += step) {
      if (c % line == 0)
        for (std::size_t k = 0; k < 4; ++k) ask_for(row + k * pitch + c, line * sizeof(In), distance);
      auto value = hn::LoadU(d, acc + c);
      for (std::size_t k = 0; k < 4; ++k) value = take(value, row + k * pitch + c);
      hn::StoreU(value, d, acc + c);
    }
  for (; rows > 0; --rows, row += pitch)
    for (std::size_t c = 0; c < whole; c += step) hn::StoreU(take(hn::LoadU(d, acc + c), row + c), d, acc + c);
  for (std::size_t c = 0, last = std::min(whole, last_cols * P::count); c < last; c += step) {
    In rest[step];
    pad<L>(row + c, std::min(last - c, step), rest, step);
    hn::StoreU(take(hn::LoadU(d, acc + c), rest), d, acc + c);
  }
  if constexpr (may_be_nan<L>)
    if (!hn::AllFalse(d, nan)) return 0;
  if constexpr (!in_place)
    for (std::size_t c = 0; c < whole; ++c) best[c] = static_cast<typename L::Value>(acc[c]);
  return whole / P::count;
}

/// The same with the place of each. Places are counted in lanes as wide as the values: bytes hold those of 256 rows.
template <class L>
HWY_NOINLINE std::size_t vector_places(const typename L::Input* in, std::size_t rows, std::size_t stride,
                                       std::size_t cols, typename L::Value* best, std::uint32_t* at) {
  using C = typename Parts<L>::Lane;
  using U = hwy::MakeUnsigned<C>;
  constexpr hn::ScalableTag<C> d;
  constexpr hn::ScalableTag<U> du;
  constexpr std::size_t step = hn::MaxLanes(d), line = std::max<std::size_t>(step, 64 / sizeof(typename L::Input));
  alignas(64) C values[tile];
  alignas(64) U places[tile];
  const std::size_t whole = cols / step * step;
  const std::size_t distance = rows_ahead<typename L::Input>(stride, cols);
  [[maybe_unused]] auto nan = hn::FirstN(d, 0);
  for (std::size_t first = 0; first < rows; first += 256, in += 256 * stride) {
    const std::size_t count = std::min<std::size_t>(256, rows - first);
    const auto visit = [&](std::size_t r, std::size_t c, auto& value, auto& place) HWY_ATTR {
      const auto v = load(d, in + r * stride + c);
      const auto better = L::greatest ? hn::Gt(v, value) : hn::Lt(v, value);
      value = hn::IfThenElse(better, v, value);
      place = hn::IfThenElse(hn::RebindMask(du, better), hn::Set(du, static_cast<U>(r)), place);
      if constexpr (may_be_nan<L>) nan = hn::Or(nan, hn::IsNaN(v));
    };
    for (std::size_t c = 0; c < whole; c += step) {
      const auto v = load(d, in + c);
      if constexpr (may_be_nan<L>) nan = hn::Or(nan, hn::IsNaN(v));
      hn::Store(v, d, values + c);
      hn::Store(hn::Zero(du), du, places + c);
    }
    std::size_t r = 1;
    const auto turn = [&]<std::size_t height>(std::integral_constant<std::size_t, height>) HWY_ATTR {
      for (std::size_t c = 0; c < whole; c += step) {
        if (c % line == 0)
          for (std::size_t k = 0; k < height; ++k) ask_for(in + (r + k) * stride + c, 64, distance);
        auto value = hn::Load(d, values + c);
        auto place = hn::Load(du, places + c);
        for (std::size_t k = 0; k < height; ++k) visit(r + k, c, value, place);
        hn::Store(value, d, values + c);
        hn::Store(place, du, places + c);
      }
    };
    for (; r + 4 <= count; r += 4) turn(std::integral_constant<std::size_t, 4>());
    for (; r < count; ++r) turn(std::integral_constant<std::size_t, 1>());
    for (std::size_t c = 0; c < whole; ++c) {
      const auto value = std::bit_cast<typename L::Value>(values[c]);
      const bool better = first == 0 || precedes<L::greatest>(value, best[c]);
      best[c] = better ? value : best[c];
      at[c] = better ? static_cast<std::uint32_t>(first + places[c]) : at[c];
    }
  }
  if constexpr (may_be_nan<L>)
    if (!hn::AllFalse(d, nan)) return 0;
  return whole;
}

/// The vectors' way. What fills no vector, and what has a NaN, goes the plain way.
template <class M>
struct Vectors {
  using L = LaneOf<M>;
  using T = typename M::Input;
  static typename L::Value reduce(const T* in, std::size_t n) { return vector_row<M>(in, n); }
  static std::size_t find(const T* in, std::size_t n, T wanted) { return HWY_NAMESPACE::find<L>(in, n, wanted); }
  static void values(const T* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t last_cols,
                     typename L::Value* best) {
    const std::size_t done = vector_values<L>(in, rows, stride, cols, last_cols, best);
    if (done < cols)
      column_values<L>(in + done, rows, stride, cols - done, last_cols - std::min(last_cols, done), best + done);
  }
  static void places(const T* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t last_cols,
                     typename L::Value* best, std::uint32_t* at) {
    const std::size_t done = vector_places<L>(in, rows, stride, cols, best, at);
    if (done < cols) column_places<L>(in + done, rows, stride, cols - done, 0, best + done, at + done);
    const T* last = in + rows * stride;
    for (std::size_t c = 0; c < last_cols; ++c)
      if (precedes<L::greatest>(L::load(last[c]), best[c]))
        best[c] = L::load(last[c]), at[c] = static_cast<std::uint32_t>(rows);
  }
};

/// Rows that are turned at a time.
constexpr std::size_t turned = 64;
/// The longest row that is turned. A longer one is dealt out to lanes, whose order of additions is not a column's, and
/// nor is the zero that it keeps of those of both signs; extreme integers, and places, are the same in any order.
template <class M>
constexpr std::size_t turned_length = LaneOf<M>::ordering && (Lanes<M>::locating || is_int<typename M::Input>)
                                          ? LaneOf<M>::count
                                          : sequential;

/// rows(), of which those up to turned_length are turned.
template <class M>
void turned_rows(const void* in, std::size_t count, std::size_t n, void* out) {
  using T = typename M::Input;
  using Word = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  if constexpr (!is_complex<T>) {
    constexpr std::size_t piece = 16 / sizeof(T);
    alignas(64) T columns[std::max(piece, turned_length<M>) * turned];
    alignas(64) T block[piece * turned];
    auto* to = static_cast<typename M::Result*>(out);
    for (; n <= turned_length<M> && count >= turned; count -= turned, to += turned) {
      const auto* from = static_cast<const T*>(in);
      if (n < piece) {
        std::memcpy(block, from, turned * n * sizeof(T));
        from = block;
      }
      for (std::size_t r = 0; r < turned; r += piece) {
        ask_for(static_cast<const T*>(in) + r * n, piece * n * sizeof(T));
        for (std::size_t c = 0; c < n; c += piece) {
          // The last piece of a row ends with it, and repeats some of the one before.
          const std::size_t start = n < piece ? 0 : std::min(c, n - piece);
          rung::cpu::HWY_NAMESPACE::turn_16_bytes<turned>(reinterpret_cast<const Word*>(from + r * n + start),
                                                          static_cast<std::ptrdiff_t>(n),
                                                          reinterpret_cast<Word*>(columns + start * turned + r));
        }
      }
      const Columns<M, Vectors<M>, turned> values(columns, n, turned, turned, 0);
      for (std::size_t c = 0; c < turned; ++c) to[c] = M::finish(Lanes<M>::leave(values.best[c], values.row_of(c)), n);
      in = static_cast<const T*>(in) + turned * n;
    }
    out = to;
  }
  rows<M, Vectors<M>>(in, count, n, out);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace rung::reduce::cpu
HWY_AFTER_NAMESPACE();

#endif
