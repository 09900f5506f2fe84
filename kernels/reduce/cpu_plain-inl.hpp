// The loops of reductions, plain: written so that the compiler vectorises them. Compiled once for each instruction
// set (Highway's per-target include, hence the guard that toggles).
#if defined(RUNG_REDUCE_CPU_PLAIN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RUNG_REDUCE_CPU_PLAIN_INL
#undef RUNG_REDUCE_CPU_PLAIN_INL
#else
#define RUNG_REDUCE_CPU_PLAIN_INL
#endif

#include "cpu_lanes.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rung::reduce::cpu {
namespace HWY_NAMESPACE {

/// What is left of a row after the lanes took turns up to element i, then the lanes themselves, halves onto halves.
template <class L>
typename L::Value fold_lanes(typename L::Value* lanes, const typename L::Input* in, std::size_t i, std::size_t n) {
  for (std::size_t l = 0; i + l < n; ++l) lanes[l] = L::combine(lanes[l], L::load(in[i + l]));
  for (std::size_t half = L::count / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] = L::combine(lanes[l], lanes[l + half]);
  return lanes[0];
}

template <class L>
typename L::Value sequential_row(const typename L::Input* in, std::size_t n) {
  auto value = L::identity();
  for (std::size_t i = 0; i < n; ++i) value = L::combine(value, L::load(in[i]));
  return value;
}

template <class L>
HWY_NOINLINE typename L::Value plain_row(const typename L::Input* in, std::size_t n) {
  if (n <= sequential) return sequential_row<L>(in, n);
  alignas(64) typename L::Value lanes[L::count];
  for (std::size_t l = 0; l < L::count; ++l) lanes[l] = L::identity();
  std::size_t i = 0;
  for (; i + L::count <= n; i += L::count)
    for (std::size_t l = 0; l < L::count; ++l) lanes[l] = L::combine(lanes[l], L::load(in[i + l]));
  return fold_lanes<L>(lanes, in, i, n);
}

/// The first place in in[0, n) of a value that is there; of the first NaN when it is NaN.
template <class L>
HWY_NOINLINE std::size_t plain_find(const typename L::Input* in, std::size_t n, typename L::Input wanted) {
  const auto value = value_of(L::load(wanted));
  const bool nan = value != value;
  constexpr std::size_t block = 256;
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    unsigned char hit = 0;
    for (std::size_t l = 0; l < block; ++l) {
      const auto v = value_of(L::load(in[i + l]));
      hit |= static_cast<unsigned char>((v == value) | (nan & (v != v)));
    }
    if (hit) break;
  }
  for (; i < n; ++i) {
    const auto v = value_of(L::load(in[i]));
    if (v == value || (nan && v != v)) return i;
  }
  return 0;
}

/// best[c] = column c; the first `last_cols` of them have one row more.
template <class L>
HWY_NOINLINE void column_values(const typename L::Input* in, std::size_t rows, std::size_t stride, std::size_t cols,
                                std::size_t last_cols, typename L::Value* best) {
  for (std::size_t c = 0; c < cols; ++c) best[c] = L::identity();
  const auto* row = in;
  // Four rows a turn: the values are loaded and stored once for four additions.
  for (; rows >= 4; rows -= 4, row += 4 * stride)
    for (std::size_t c = 0; c < cols; ++c) {
      auto v = L::combine(best[c], L::load(row[c]));
      v = L::combine(v, L::load(row[stride + c]));
      v = L::combine(v, L::load(row[2 * stride + c]));
      best[c] = L::combine(v, L::load(row[3 * stride + c]));
    }
  for (; rows > 0; --rows, row += stride)
    for (std::size_t c = 0; c < cols; ++c) best[c] = L::combine(best[c], L::load(row[c]));
  for (std::size_t c = 0; c < last_cols; ++c) best[c] = L::combine(best[c], L::load(row[c]));
}

/// The same with the row of each column's argument.
template <class L>
HWY_NOINLINE void column_places(const typename L::Input* in, std::size_t rows, std::size_t stride, std::size_t cols,
                                std::size_t last_cols, typename L::Value* best, std::uint32_t* at) {
  for (std::size_t c = 0; c < cols; ++c) best[c] = L::load(in[c]), at[c] = 0;
  const auto* row = in + stride;
  std::uint32_t r = 1;
  for (; r < rows; ++r, row += stride)
    for (std::size_t c = 0; c < cols; ++c) {
      const auto v = L::load(row[c]);
      const bool better = precedes<L::greatest>(v, best[c]);
      best[c] = better ? v : best[c];
      at[c] = better ? r : at[c];
    }
  for (std::size_t c = 0; c < last_cols; ++c)
    if (precedes<L::greatest>(L::load(row[c]), best[c])) best[c] = L::load(row[c]), at[c] = r;
}

/// How rows and columns are read: the plain way, or that of cpu_simd-inl.hpp and cpu_columns-inl.hpp.
template <class M>
struct Plain {
  using L = LaneOf<M>;
  using T = typename M::Input;
  static typename L::Value reduce(const T* in, std::size_t n) { return plain_row<L>(in, n); }
  static std::size_t find(const T* in, std::size_t n, T wanted) { return plain_find<L>(in, n, wanted); }
  static void values(const T* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t last_cols,
                     typename L::Value* best) {
    column_values<L>(in, rows, stride, cols, last_cols, best);
  }
  static void places(const T* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t last_cols,
                     typename L::Value* best, std::uint32_t* at) {
    column_places<L>(in, rows, stride, cols, last_cols, best, at);
  }
};

/// Values of columns on their way to accumulators.
template <class M, class Way, std::size_t capacity>
struct Columns {
  using L = Lanes<M>;
  Columns(const void* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t last_cols) {
    const auto* from = static_cast<const typename M::Input*>(in);
    if constexpr (L::locating)
      Way::places(from, rows, stride, cols, last_cols, best, at);
    else
      Way::values(from, rows, stride, cols, last_cols, best);
  }
  std::size_t row_of(std::size_t c) const { return L::locating ? at[c] : 0; }

  typename L::Value best[capacity];
  std::uint32_t at[L::locating ? capacity : 1];
};

template <class M, class Way>
void columns(const void* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t first, void* acc) {
  const Columns<M, Way, tile> values(in, rows, stride, cols, 0);
  for (std::size_t c = 0; c < cols; ++c)
    static_cast<typename M::Accumulator*>(acc)[c] = Lanes<M>::leave(values.best[c], first + values.row_of(c));
}

/// k rows side by side are one row of k · cols columns; at the end the k sets are folded, halves onto halves.
template <class M, class Way>
void narrow_columns(const void* in, std::size_t rows, std::size_t cols, std::size_t first, void* acc) {
  using L = LaneOf<M>;
  std::size_t k = std::min(narrow_width / cols, rows);
  const std::size_t width = k * cols;
  Columns<M, Way, narrow_width> values(in, rows / k, width, width, rows % k * cols);
  auto* best = values.best;
  [[maybe_unused]] auto* at = values.at;
  if constexpr (Lanes<M>::locating)
    for (std::size_t set = 0, l = 0; set < k; ++set)
      for (std::size_t c = 0; c < cols; ++c, ++l) at[l] = static_cast<std::uint32_t>(at[l] * k + set);
  while (k > 1) {
    const std::size_t half = (k + 1) / 2, other = half * cols;
    for (std::size_t l = 0; l < (k - half) * cols; ++l) {
      if constexpr (Lanes<M>::locating) {
        // M::combine without its branches, which random data make expensive.
        const bool later = precedes<L::greatest>(best[l], best[other + l]);
        const bool better = precedes<L::greatest>(best[other + l], best[l]) | (!later & (at[other + l] < at[l]));
        best[l] = better ? best[other + l] : best[l];
        at[l] = better ? at[other + l] : at[l];
      } else {
        best[l] = L::combine(best[l], best[other + l]);
      }
    }
    k = half;
  }
  for (std::size_t c = 0; c < cols; ++c)
    static_cast<typename M::Accumulator*>(acc)[c] = Lanes<M>::leave(best[c], first + values.row_of(c));
}

template <class M>
void fold(void* acc, std::size_t count, std::size_t stride, std::size_t width) {
  auto* a = static_cast<typename M::Accumulator*>(acc);
  for (std::size_t step = 1; step < count; step *= 2)
    for (std::size_t i = 0; i + step < count; i += 2 * step)
      for (std::size_t c = 0; c < width; ++c)
        a[i * stride + c] = M::combine(a[i * stride + c], a[(i + step) * stride + c]);
}

template <class M>
void finish(const void* acc, std::size_t count, std::size_t n, void* out) {
  for (std::size_t c = 0; c < count; ++c)
    static_cast<typename M::Result*>(out)[c] = M::finish(static_cast<const typename M::Accumulator*>(acc)[c], n);
}

template <class M, class Way>
void row(const void* in, std::size_t n, std::size_t first, void* acc) {
  *static_cast<typename M::Accumulator*>(acc) =
      Lanes<M>::leave(Way::reduce(static_cast<const typename M::Input*>(in), n), first);
}

template <class M, class Way>
void finish_row(const void* in, const void* acc, std::size_t n, void* out) {
  auto a = *static_cast<const typename M::Accumulator*>(acc);
  if constexpr (Lanes<M>::locating)
    a.index += Way::find(static_cast<const typename M::Input*>(in) + a.index, std::min(chunk, n - a.index), a.value);
  *static_cast<typename M::Result*>(out) = M::finish(a, n);
}

template <class M, class Way>
void rows(const void* in, std::size_t count, std::size_t n, void* out) {
  const auto* from = static_cast<const typename M::Input*>(in);
  auto* to = static_cast<typename M::Result*>(out);
  for (std::size_t r = 0; r < count; ++r) {
    typename M::Accumulator acc;
    row<M, Way>(from + r * n, n, 0, &acc);
    finish_row<M, Way>(from + r * n, &acc, n, to + r);
  }
}

/// A table with the plain loops of some operations.
template <Op... wanted>
LoopTable tabulate_plain() {
  LoopTable table{};
  for_each_monoid([&]<class M>(Op op, DType dtype, Acc acc) {
    if constexpr (((M::operation == wanted) || ...))
      at(table, op, dtype, acc) = {
          &row<M, Plain<M>>, &rows<M, Plain<M>>, &columns<M, Plain<M>>,   &narrow_columns<M, Plain<M>>,
          &fold<M>,          &finish<M>,         &finish_row<M, Plain<M>>};
  });
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace rung::reduce::cpu
HWY_AFTER_NAMESPACE();

#endif
