// The kernels of `axis` for rows: strips of memory, each reduced by a warp or a block, or many staged by one block.
#pragma once
#include "axis.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// total: elements of a result, which the mean divides by; in a second launch not the n of the shape.
template <class M>
__global__ void __launch_bounds__(1024) reduce_rows(const typename M::Input* in, typename M::Accumulator* partials,
                                                    typename M::Result* out, AxisShape shape, std::size_t total) {
  const unsigned lane = shape.height > 32 ? threadIdx.x : threadIdx.x % 32;
  const std::size_t strip = static_cast<std::size_t>(blockIdx.x) * shape.teams + threadIdx.x / shape.height;
  auto value = M::identity();
  if (strip < shape.strips) {
    const auto [row, part] = divide(strip, shape.splits);
    const std::size_t start = part * shape.chunk;
    const std::size_t left = shape.n - start, count = left < shape.chunk ? left : shape.chunk;
    value = reduce_strip<M>(in + row * shape.n + start, count, start, lane, shape.height);
  }
  value = shape.height > 32 ? reduce_block<M>(value) : reduce_warp<M>(value);
  if (lane != 0 || strip >= shape.strips) return;
  if (shape.splits == 1)
    out[strip] = M::finish(value, total);
  else
    partials[strip] = value;
}

/// Copies `elements` from `from`, which stands `past` elements behind a 16-byte boundary, into the stage, laid out as
/// in memory from that boundary on. Whole vectors at once; the ends element by element, as nothing else may be read
/// there.
template <class T>
__device__ __forceinline__ void stage_rows(Vector16* stage, const T* from, unsigned past, unsigned elements) {
  constexpr unsigned count = per_vector<T>;
  auto* items = reinterpret_cast<T*>(stage);
  for (unsigned at = threadIdx.x * count; at < past + elements; at += blockDim.x * count) {
    if (at >= past && at + count <= past + elements) {
      copy_async(&stage[at / count], reinterpret_cast<const Vector16*>(from + (at - past)));
    } else {
      for (unsigned k = at < past ? past : at; k < at + count && k < past + elements; ++k) items[k] = from[k - past];
    }
  }
  wait_for_copies();
  __syncthreads();
}

/// The contribution of one lane of `lanes` to a staged row: vectors where rows are made of whole ones, else elements.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_staged(const Vector16* stage, unsigned start, unsigned n,
                                                                 unsigned lane, unsigned lanes, bool whole) {
  using T = typename M::Input;
  constexpr unsigned count = per_vector<T>;
  auto acc = M::identity();
  if (whole) {
    if (lane >= n / count) return acc;
    Running<M> running;
    Vector16 batch[vectors_in_flight];
    if (n / count <= lanes) {  // a row of one vector
      batch[0] = stage[start / count + lane];
      running.take(batch, 1, 0, lane * count, 0);
      return running.result(lane * count, 0, 0);
    }
    unsigned turn = 0;
    for (unsigned v = lane; v < n / count; v += vectors_in_flight * lanes, turn += vectors_in_flight) {
      const unsigned left = n / count - v;
#pragma unroll
      for (unsigned j = 0; j < vectors_in_flight; ++j)
        batch[j] = stage[start / count + v + (j * lanes < left ? j * lanes : 0)];
      running.take(batch, present_of(left, lanes), turn, v * count, std::size_t{lanes} * count);
    }
    return running.result(lane * count, vectors_in_flight * lanes * count, lanes * count);
  }
  const auto* items = reinterpret_cast<const T*>(stage) + start;
  for (unsigned k = lane; k < n; k += lanes) acc = M::combine(acc, M::load(items[k], k));
  return acc;
}

template <class M>
__global__ void __launch_bounds__(axis_block)
    reduce_short_rows(const typename M::Input* in, typename M::Result* out, AxisShape shape, std::size_t total) {
  using T = typename M::Input;
  auto* stage = shared_array<Vector16>();
  const unsigned n = static_cast<unsigned>(shape.n), lanes = shape.height;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * shape.teams, left = shape.strips - row;
  const unsigned rows = left < shape.teams ? static_cast<unsigned>(left) : shape.teams;
  const T* from = in + row * shape.n;
  const unsigned past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector16) / sizeof(T));
  stage_rows(stage, from, past, rows * n);

  const bool whole = past == 0 && n % per_vector<T> == 0;
  const unsigned lane = threadIdx.x & (lanes - 1), team = threadIdx.x / lanes, teams = blockDim.x / lanes;
  for (unsigned first = 0; first < rows; first += teams) {  // whole warps, for the exchange
    const unsigned mine = first + team;
    auto value = M::identity();
    if (mine < rows) value = reduce_staged<M>(stage, past + mine * n, n, lane, lanes, whole);
    value = reduce_team<M>(value, lanes);
    if (lane == 0 && mine < rows) out[row + mine] = M::finish(value, total);
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
