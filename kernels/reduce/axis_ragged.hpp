// The kernels of `axis` for rows that are not made of whole vectors, or whose memory does not start with one: strips
// with ends, and short rows staged element by element.
#pragma once
#include "axis.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// Rows of any length, a warp or a block each. total: elements of a result, which the mean divides by; in a second
/// launch not the n of the shape.
template <class M>
__global__ void __launch_bounds__(1024)
    reduce_ragged_rows(const typename M::Input* in, typename M::Accumulator* partials, typename M::Result* out,
                       AxisShape shape, std::size_t total) {
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
    store_result(out + strip, M::finish(value, total));
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

/// Rows that fit a block's stage many times over.
template <class M>
__global__ void __launch_bounds__(axis_block)
    reduce_short_ragged_rows(const typename M::Input* in, typename M::Result* out, AxisShape shape, std::size_t total) {
  using T = typename M::Input;
  auto* stage = shared_array<Vector16>();
  const unsigned n = static_cast<unsigned>(shape.n), lanes = shape.height;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * shape.teams, left = shape.strips - row;
  const unsigned rows = left < shape.teams ? static_cast<unsigned>(left) : shape.teams;
  const T* from = in + row * shape.n;
  const unsigned past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector16) / sizeof(T));
  stage_rows(stage, from, past, rows * n);

  const unsigned lane = threadIdx.x & (lanes - 1), team = threadIdx.x / lanes, teams = blockDim.x / lanes;
  for (unsigned first = 0; first < rows; first += teams) {  // whole warps, for the exchange
    const unsigned mine = first + team;
    const auto* items = reinterpret_cast<const T*>(stage) + past + mine * n;
    auto value = M::identity();
    if (mine < rows)
      for (unsigned k = lane; k < n; k += lanes) value = M::combine(value, M::load(items[k], k));
    value = reduce_team<M>(value, lanes);
    if (lane == 0 && mine < rows) out[row + mine] = M::finish(value, total);
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
