// A strip of memory reduced by any number of threads with 16-byte loads: the inner loop of the rows of
// `axis`, and what it shares with `vector`. Any length, any alignment to the element.
#pragma once
#include "../machine/machine.hpp"
#include "order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rung::reduce {
inline namespace RUNG_ABI {

template <class T>
inline constexpr unsigned per_vector = sizeof(Vector16) / sizeof(T);

/// Vectors that a thread asks for before it uses the first. Four by 1024 threads are 64 KiB in flight a
/// multiprocessor: on an H200 what HBM delivers in 1.8 microseconds, longer than it takes to answer.
inline constexpr unsigned vectors_in_flight = 4;

/// How the elements of one vector are reduced. Sums of small integers fit an `int` (16 · 255, 8 · 65535), so that
/// one conversion and one wide addition serve a whole vector.
template <class M>
inline constexpr bool sums_small_integers = is_int<typename M::Input> && sizeof(typename M::Input) <= 2 &&
                                            (M::operation == Op::sum || M::operation == Op::mean);

template <class T>
__device__ __forceinline__ int sum_of_vector(const Vector16& v) {
  int sum = 0;
#pragma unroll
  for (unsigned word : v.words) {
    if constexpr (std::is_same_v<T, Bool>) {
      sum = static_cast<int>(add_bytes(true_bytes(word), static_cast<unsigned>(sum)));
    } else if constexpr (sizeof(T) == 1 && std::is_signed_v<T>) {
      sum = add_signed_bytes(word, sum);
    } else if constexpr (sizeof(T) == 1) {
      sum = static_cast<int>(add_bytes(word, static_cast<unsigned>(sum)));
    } else {
      sum += static_cast<T>(word & 0xffffu) + static_cast<T>(word >> 16);
    }
  }
  return sum;
}

/// Pairs, pairs of pairs …: a short chain of dependent operations, and of roundings.
template <class M, unsigned count>
__device__ __forceinline__ typename M::Accumulator fold_pairs(const typename M::Input* items, std::size_t index) {
  if constexpr (count == 1)
    return M::load(items[0], index);
  else
    return M::combine(fold_pairs<M, count / 2>(items, index),
                      fold_pairs<M, count / 2>(items + count / 2, index + count / 2));
}

/// acc combined with the elements of a vector; `index`: that of the first.
template <class M>
__device__ __forceinline__ typename M::Accumulator fold(typename M::Accumulator acc, const Vector16& v,
                                                        std::size_t index) {
  using T = typename M::Input;
  constexpr unsigned count = per_vector<T>;
  if constexpr (sums_small_integers<M>) {
    return M::combine(acc, static_cast<typename M::Accumulator>(sum_of_vector<T>(v)));
  } else if constexpr (finds_value<M>) {
    return extreme<finds_largest<M>>(acc, extreme_of_vector<finds_largest<M>, T>(v));
  } else {
    T items[count];
    __builtin_memcpy(static_cast<void*>(items), &v, sizeof(v));
    return M::combine(acc, fold_pairs<M, count>(items, index));
  }
}

/// What a thread keeps while it goes through its vectors, vectors_in_flight at a time. Of a batch the first `present`
/// are taken; each has a turn, counted from `turn` on, and an index, `step` elements apart from `index` on.
template <class M>
struct Running {
  using Batch = Vector16[vectors_in_flight];
  typename M::Accumulator total = M::identity();

  __device__ __forceinline__ void take(const Batch& v, unsigned present, unsigned, std::size_t index,
                                       std::size_t step) {
#pragma unroll
    for (unsigned j = 0; j < vectors_in_flight; ++j)
      if (j < present) total = fold<M>(total, v[j], index + j * step);
  }
  __device__ __forceinline__ typename M::Accumulator result(std::size_t, std::size_t, std::size_t) const {
    return total;
  }
};

/// The value alone decides for nearly all batches. The vector that holds the best is kept, with its turn; which of its
/// elements it was is looked up once, at the end.
template <class M>
requires locates<M>
struct Running<M> {
  static constexpr bool max = finds_largest<M>;
  using T = typename M::Input;
  using Batch = Vector16[vectors_in_flight];
  T best = M::identity().value;
  Vector16 kept = {};
  unsigned kept_turn = 0;

  __device__ __forceinline__ void take(const Batch& v, unsigned present, unsigned turn, std::size_t, std::size_t) {
    T values[vectors_in_flight];
#pragma unroll
    for (unsigned j = 0; j < vectors_in_flight; ++j)
      values[j] = j < present ? extreme_of_vector<max, T>(v[j]) : M::identity().value;
    const T first = extreme_of<max, vectors_in_flight>(values);
    if (!precedes<max>(first, best)) return;
    best = first;
#pragma unroll
    for (unsigned j = vectors_in_flight; j-- > 0;)
      if (!precedes<max>(first, values[j])) kept = v[j], kept_turn = turn + j;
  }
  /// `first`: the index of the thread's first element; `round`, `step`: elements from one batch of vectors to the next,
  /// and between those of a batch. A thread that kept nothing has seen nothing but the identity, from its first
  /// element on.
  __device__ __forceinline__ typename M::Accumulator result(std::size_t first, std::size_t round,
                                                            std::size_t step) const {
    constexpr unsigned count = per_vector<T>;
    T items[count];
    __builtin_memcpy(static_cast<void*>(items), &kept, sizeof(kept));
    unsigned place = 0;
#pragma unroll
    for (unsigned k = count; k-- > 0;)
      if (!precedes<max>(best, items[k])) place = k;
    return {best, first + kept_turn / vectors_in_flight * round + kept_turn % vectors_in_flight * step + place};
  }
};

/// Vectors of a batch that are there: `left` from the first on, one every `step`. At least one is.
__device__ __forceinline__ unsigned present_of(unsigned left, unsigned step) {
  static_assert(vectors_in_flight == 4);
  return 1u + (left > step) + (left > 2 * step) + (left > 3 * step);
}

/// What thread `lane` of `lanes`, whole warps, contributes to the reduction of in[0, n); `first`: the index of in[0].
/// The vectors that a warp has in flight lie together: their distance is part of the instruction. The elements before
/// the first 16-byte boundary and after the last are shared out one by one.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_strip(const typename M::Input* in, std::size_t n,
                                                                std::size_t first, std::size_t lane,
                                                                std::size_t lanes) {
  constexpr unsigned unit = 32;
  using T = typename M::Input;
  constexpr unsigned count = per_vector<T>;
  const unsigned past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in) % sizeof(Vector16) / sizeof(T));
  const std::size_t to_boundary = (count - past) % count, head = to_boundary < n ? to_boundary : n;
  const std::size_t vectors = (n - head) / count, edges = n - vectors * count;
  const auto edge_index = [&](std::size_t e) { return e < head ? e : e + vectors * count; };

  T edge{};  // asked for first and used last, so that a ragged array costs no extra wait
  if (lane < edges) edge = in[edge_index(lane)];

  auto acc = M::identity();
  const std::size_t within = lane & (unit - 1), own = (lane - within) * vectors_in_flight + within;
  if (own < vectors) {
    Running<M> running;
    unsigned turn = 0;
    for (std::size_t k = own; k < vectors; k += vectors_in_flight * lanes) {
      const auto* from = reinterpret_cast<const Vector16*>(in + head) + k;
      const std::size_t past_k = vectors - k;
      const unsigned full = vectors_in_flight * unit, left = past_k < full ? static_cast<unsigned>(past_k) : full;
      const std::size_t index = first + head + k * count;
      Vector16 v[vectors_in_flight];
      if (left == full) {
#pragma unroll
        for (unsigned j = 0; j < vectors_in_flight; ++j) v[j] = load_streaming(from + j * unit);
        running.take(v, vectors_in_flight, turn, index, std::size_t{unit} * count);
      } else {
        // What is not there is the first vector again, unused: a branch around a load is joined with that around its
        // use, and each load then waited for in turn.
#pragma unroll
        for (unsigned j = 0; j < vectors_in_flight; ++j) v[j] = load_streaming(from + (j * unit < left ? j * unit : 0));
        running.take(v, present_of(left, unit), turn, index, std::size_t{unit} * count);
      }
      turn += vectors_in_flight;
    }
    acc = running.result(first + head + own * count, vectors_in_flight * lanes * count, unit * count);
  }

  for (std::size_t e = lane; e < edges; e += lanes) {
    const std::size_t i = edge_index(e);
    acc = M::combine(acc, M::load(e == lane ? edge : in[i], first + i));
  }
  return acc;
}

/// The longest chain of additions inside reduce_strip.
inline double strip_chain(std::size_t n, std::size_t element_size, std::size_t lanes) {
  const std::size_t count = sizeof(Vector16) / element_size;
  const std::size_t rounds = ceil_div(n / count, vectors_in_flight * lanes);
  return std::log2(count) + static_cast<double>(rounds * vectors_in_flight + ceil_div(2 * count, lanes));
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
