// A strip of memory reduced by any number of threads with 16-byte loads: the inner loop of `vector` and of the rows
// of `axis`. Any length, any alignment to the element.
#pragma once
#include "../machine/machine.hpp"

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
template <class M>
inline constexpr bool locates = (M::operation == Op::argmin || M::operation == Op::argmax) &&
                                !std::is_same_v<typename M::Input, typename M::Accumulator>;

template <class T>
__device__ __forceinline__ int sum_of_vector(const Vector16& v) {
  int sum = 0;
#pragma unroll
  for (unsigned word : v.words) {
    if constexpr (std::is_same_v<T, Bool>) {
      word = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;  // 1 for each byte that is not 0
      sum = static_cast<int>(add_bytes(word, static_cast<unsigned>(sum)));
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

/// The extreme value of the items, NaN before all: what argmin and argmax look for.
template <bool max, unsigned count, class T>
__device__ __forceinline__ T extreme(const T* items) {
  if constexpr (count == 1) {
    return items[0];
  } else {
    const T a = extreme<max, count / 2>(items), b = extreme<max, count / 2>(items + count / 2);
    return precedes<max>(b, a) ? b : a;
  }
}

/// acc combined with the elements of a vector; `index`: that of the first.
template <class M>
__device__ __forceinline__ typename M::Accumulator fold(typename M::Accumulator acc, const Vector16& v,
                                                        std::size_t index) {
  using T = typename M::Input;
  constexpr unsigned count = per_vector<T>;
  if constexpr (sums_small_integers<M>) {
    return M::combine(acc, static_cast<typename M::Accumulator>(sum_of_vector<T>(v)));
  } else {
    T items[count];
    __builtin_memcpy(static_cast<void*>(items), &v, sizeof(v));
    if constexpr (locates<M>) {
      // The value alone decides for nearly all vectors; where it stands is looked up only when it is to be kept.
      constexpr bool max = M::operation == Op::argmax;
      const T best = extreme<max, count>(items);
      if (precedes<max>(best, acc.value) || index < acc.index) {
        unsigned place = 0;
#pragma unroll
        for (unsigned k = count; k-- > 0;)
          if (!precedes<max>(best, items[k])) place = k;
        acc = M::combine(acc, {best, index + place});
      }
      return acc;
    } else {
      return M::combine(acc, fold_pairs<M, count>(items, index));
    }
  }
}

/// What thread `lane` of `lanes` contributes to the reduction of in[0, n); `first`: the index of in[0]. Threads work in
/// units of `unit` neighbours (a power of two up to 32), whose vectors in flight lie together: with a constant unit
/// their distance is part of the instruction. The elements before the first 16-byte boundary and after the last are
/// shared out one by one.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_strip(const typename M::Input* in, std::size_t n,
                                                                std::size_t first, std::size_t lane, std::size_t lanes,
                                                                unsigned unit) {
  using T = typename M::Input;
  constexpr unsigned count = per_vector<T>;
  const unsigned past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in) % sizeof(Vector16) / sizeof(T));
  const std::size_t to_boundary = (count - past) % count, head = to_boundary < n ? to_boundary : n;
  const std::size_t vectors = (n - head) / count, edges = n - vectors * count;
  const auto edge_index = [&](std::size_t e) { return e < head ? e : e + vectors * count; };

  auto acc = M::identity();
  T edge{};  // asked for first and used last, so that a ragged array costs no extra wait
  if (lane < edges) edge = in[edge_index(lane)];

  const std::size_t within = lane & (unit - 1), own = (lane - within) * vectors_in_flight + within;
  for (std::size_t k = own; k < vectors; k += vectors_in_flight * lanes) {
    const auto* from = reinterpret_cast<const Vector16*>(in + head) + k;
    const std::size_t past_k = vectors - k;
    const unsigned left = past_k < vectors_in_flight * unit ? static_cast<unsigned>(past_k) : vectors_in_flight * unit;
    Vector16 v[vectors_in_flight] = {};
#pragma unroll
    for (unsigned j = 0; j < vectors_in_flight; ++j)
      if (j * unit < left) v[j] = load_streaming(from + j * unit);
#pragma unroll
    for (unsigned j = 0; j < vectors_in_flight; ++j)
      if (j * unit < left) acc = fold<M>(acc, v[j], first + head + (k + j * unit) * count);
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
