// The kernel of `axis` for columns.
#pragma once
#include "axis.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// What a thread keeps of its columns. `turn`: how many elements of each it took before.
template <class M, unsigned columns>
struct RunningColumns {
  typename M::Accumulator totals[columns];

  __device__ __forceinline__ RunningColumns() {
    for (auto& total : totals) total = M::identity();
  }
  __device__ __forceinline__ void take(const typename M::Input (&items)[columns], unsigned, std::size_t index) {
#pragma unroll
    for (unsigned c = 0; c < columns; ++c) totals[c] = M::combine(totals[c], M::load(items[c], index));
  }
  __device__ __forceinline__ typename M::Accumulator result(unsigned c, std::size_t, std::size_t) const {
    return totals[c];
  }
};

/// Places are kept as 32-bit turns. A thread that kept none has seen nothing but the identity, from its first turn on.
template <class M, unsigned columns>
requires locates<M>
struct RunningColumns<M, columns> {
  static constexpr bool max = finds_largest<M>;
  typename M::Input best[columns];
  unsigned turns[columns];

  __device__ __forceinline__ RunningColumns() {
    for (unsigned c = 0; c < columns; ++c) best[c] = M::identity().value, turns[c] = 0;
  }
  __device__ __forceinline__ void take(const typename M::Input (&items)[columns], unsigned turn, std::size_t) {
#pragma unroll
    for (unsigned c = 0; c < columns; ++c) {
      const bool better = precedes<max>(items[c], best[c]);
      best[c] = better ? items[c] : best[c];
      turns[c] = better ? turn : turns[c];
    }
  }
  __device__ __forceinline__ typename M::Accumulator result(unsigned c, std::size_t first, std::size_t step) const {
    return {best[c], first + turns[c] * step};
  }
};

/// Elements of neighbouring columns, in one load.
template <class T, unsigned columns>
__device__ __forceinline__ void load_columns(T (&items)[columns], const T* from) {
  if constexpr (columns == 1) {
    items[0] = *from;
  } else if constexpr (sizeof(items) == sizeof(Vector16)) {
    const Vector16 v = load_streaming(reinterpret_cast<const Vector16*>(from));
    __builtin_memcpy(static_cast<void*>(items), &v, sizeof(v));
  } else {
    using Word = std::conditional_t<sizeof(items) == 8, unsigned long long, unsigned>;
    static_assert(sizeof(items) == sizeof(Word));
    const Word word = __ldcs(reinterpret_cast<const Word*>(from));
    __builtin_memcpy(static_cast<void*>(items), &word, sizeof(word));
  }
}

/// Values of neighbouring columns, in 16-byte stores where they make such.
template <class T, unsigned columns>
__device__ __forceinline__ void store_columns(T* to, const T (&items)[columns]) {
  if constexpr (columns > 1 && columns % per_vector<T> == 0) {
#pragma unroll
    for (unsigned k = 0; k < columns / per_vector<T>; ++k) {
      Vector16 v;
      __builtin_memcpy(&v, static_cast<const void*>(items + k * per_vector<T>), sizeof(v));
      store_streaming(reinterpret_cast<Vector16*>(to) + k, v);
    }
  } else {
#pragma unroll
    for (unsigned c = 0; c < columns; ++c) store_result(to + c, items[c]);
  }
}

/// What thread row y of `height` finds in elements [y, count) of its columns, which lie `stride` elements apart;
/// `start`: the index of the first.
template <class M, unsigned columns>
__device__ __forceinline__ void reduce_columns_of(typename M::Accumulator (&values)[columns],
                                                  const typename M::Input* from, std::size_t stride, std::size_t count,
                                                  std::size_t start, unsigned y, unsigned height) {
  using T = typename M::Input;
  constexpr unsigned in_flight = loads_in_flight(sizeof(T) * columns);
  for (auto& value : values) value = M::identity();
  if (y >= count) return;
  RunningColumns<M, columns> running;
  const std::size_t step = height * stride, mine = divide(count - y + height - 1, height).whole;
  unsigned turn = 0;
  T items[in_flight][columns];
  for (from += y * stride; mine - turn >= in_flight; from += in_flight * step, turn += in_flight) {
#pragma unroll
    for (unsigned j = 0; j < in_flight; ++j) load_columns(items[j], from + j * step);
#pragma unroll
    for (unsigned j = 0; j < in_flight; ++j)
      running.take(items[j], turn + j, start + y + std::size_t{turn + j} * height);
  }
  if (const auto left = static_cast<unsigned>(mine - turn); left > 0) {
    // What is not there is the first element again, unused, so that no load waits for another's branch.
#pragma unroll
    for (unsigned j = 0; j < in_flight; ++j) load_columns(items[j], from + (j < left ? j * step : 0));
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k)
      if (k < left) running.take(items[k], turn + k, start + y + std::size_t{turn + k} * height);
  }
#pragma unroll
  for (unsigned c = 0; c < columns; ++c) values[c] = running.result(c, start + y, height);
}

/// A block is `width` threads by `height` · `teams`. total: as in reduce_ragged_rows.
template <class M, unsigned columns>
__global__ void __launch_bounds__(1024) reduce_columns(const typename M::Input* in, typename M::Accumulator* partials,
                                                       typename M::Result* out, AxisShape shape, std::size_t total) {
  auto* smem = shared_array<typename M::Accumulator>();
  const unsigned width = blockDim.x, height = shape.height, x = threadIdx.x;
  const unsigned team = height == 1 ? threadIdx.y : threadIdx.y / height, y = threadIdx.y - team * height;
  const std::size_t strip = static_cast<std::size_t>(blockIdx.x) * shape.teams + team;
  const auto [part, tile] = divide(strip, shape.tiles);
  const auto [row, split] = divide(part, shape.splits);
  const std::size_t column = (tile * width + x) * columns;
  const bool active = strip < shape.strips && column < shape.inner;

  typename M::Accumulator values[columns];
  if (active) {
    const std::size_t start = split * shape.chunk, left = shape.n - start;
    const auto* from = in + (row * shape.n + start) * shape.inner + column;
    reduce_columns_of<M, columns>(values, from, shape.inner, left < shape.chunk ? left : shape.chunk, start, y, height);
  }
  if (height > 1) {
    const unsigned stride = width * blockDim.y;
    auto* mine = smem + threadIdx.y * width + x;
    for (unsigned c = 0; active && c < columns; ++c) mine[c * stride] = values[c];
    __syncthreads();
    for (unsigned rows = height; rows > 1;) {
      const unsigned half = (rows + 1) / 2;
      for (unsigned c = 0; active && y + half < rows && c < columns; ++c)
        mine[c * stride] = M::combine(mine[c * stride], mine[c * stride + half * width]);
      __syncthreads();
      rows = half;
    }
    for (unsigned c = 0; active && c < columns; ++c) values[c] = mine[c * stride];
  }
  if (!active || y != 0) return;
  const std::size_t at = part * shape.inner + column;
  if (shape.splits == 1) {
    typename M::Result results[columns];
    for (unsigned c = 0; c < columns; ++c) results[c] = M::finish(values[c], total);
    store_columns(out + at, results);
  } else {
    store_columns(partials + at, values);
  }
}

/// The same where a thread takes all of its columns, and a block's lie in one row of results: nothing is worked out
/// before the first load. Blocks: x counts along the columns, y rows of results.
template <class M, unsigned columns>
__global__ void __launch_bounds__(1024)
    reduce_single_columns(const typename M::Input* in, typename M::Result* out, AxisShape shape, std::size_t total) {
  const std::size_t column = (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * columns;
  if (column >= shape.inner) return;
  typename M::Accumulator values[columns];
  reduce_columns_of<M, columns>(values, in + blockIdx.y * shape.n * shape.inner + column, shape.inner, shape.n, 0, 0,
                                1);
  typename M::Result results[columns];
#pragma unroll
  for (unsigned c = 0; c < columns; ++c) results[c] = M::finish(values[c], total);
  store_columns(out + blockIdx.y * shape.inner + column, results);
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
