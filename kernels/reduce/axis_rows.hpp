// The kernels of `axis` for rows of whole vectors on 16-byte boundaries: long ones by a warp or a block each, short
// ones many to a warp. Nothing stands before the first loads but their address: with the ends of `axis_ragged` to
// compute, an H200 read 4 % slower.
#pragma once
#include "axis.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// total: as in reduce_ragged_rows.
template <class M>
__global__ void __launch_bounds__(1024) reduce_rows(const typename M::Input* in, typename M::Accumulator* partials,
                                                    typename M::Result* out, AxisShape shape, std::size_t total) {
  constexpr unsigned count = per_vector<typename M::Input>, in_flight = vectors_in_flight;
  const bool block = shape.height > 32;
  const unsigned lane = block ? threadIdx.x : threadIdx.x % 32, lanes = shape.height;
  const std::size_t strip = block ? blockIdx.x : std::size_t{blockIdx.x} * shape.teams + threadIdx.x / 32;
  if (strip >= shape.strips) return;  // whole warps; a block has its strip
  const auto [row, part] = divide(strip, shape.splits);
  const std::size_t start = part * shape.chunk, rest = shape.n - start;
  const auto vectors = static_cast<unsigned>((rest < shape.chunk ? rest : shape.chunk) / count);
  const auto* from = reinterpret_cast<const Vector16*>(in + row * shape.n + start) + lane;

  auto value = M::identity();
  if (lane < vectors) {
    Running<M> running;
    Vector16 v[in_flight];
    const std::size_t first = start + lane * count, step = std::size_t{lanes} * count;
    unsigned k = lane, turn = 0;
    for (; k + (in_flight - 1) * lanes < vectors; k += in_flight * lanes, from += in_flight * lanes) {
#pragma unroll
      for (unsigned j = 0; j < in_flight; ++j) v[j] = load_streaming(from + j * lanes);
      running.take(v, in_flight, turn, start + k * std::size_t{count}, step);
      turn += in_flight;
    }
    if (k < vectors) {  // what is not there is the first vector again, as in reduce_strip
#pragma unroll
      for (unsigned j = 0; j < in_flight; ++j) v[j] = load_streaming(from + (k + j * lanes < vectors ? j * lanes : 0));
      running.take(v, present_of(vectors - k, lanes), turn, start + k * std::size_t{count}, step);
    }
    value = running.result(first, in_flight * step, step);
  }
  value = block ? reduce_block<M>(value) : reduce_warp<M>(value);
  if (lane != 0) return;
  if (shape.splits == 1)
    store_result(out + strip, M::finish(value, total));
  else
    partials[strip] = value;
}

/// Where vector i of a warp's stage lies: lanes that each read vectors one behind the other, eight or fewer, find
/// theirs in different banks.
__device__ __forceinline__ unsigned stage_slot(unsigned i) { return i ^ (i / 8 & 7u); }

/// What vectors [at, at + vectors) of a stage hold, at least one and at most vectors_of_lane; `index`: that of their
/// first element.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_staged(const Vector16* stage, unsigned at, unsigned vectors,
                                                                 unsigned index) {
  auto acc = M::identity();
  if (vectors == 1) return fold<M>(acc, stage[stage_slot(at)], index);
#pragma unroll
  for (unsigned j = 0; j < vectors_of_lane; ++j)
    if (j < vectors) acc = fold<M>(acc, stage[stage_slot(at + j)], index + j * per_vector<typename M::Input>);
  return acc;
}

/// The same where places are looked for: the values alone tell which vector holds the extreme one, and that is read
/// again.
template <class M>
__device__ __forceinline__ typename M::Accumulator locate_staged(const Vector16* stage, unsigned at, unsigned vectors,
                                                                 unsigned index) {
  using T = typename M::Input;
  constexpr bool max = finds_largest<M>;
  constexpr unsigned count = per_vector<T>;
  T best;
  unsigned kept = 0, place = 0;
  if (vectors == 1) {
    best = extreme_of_vector<max, T>(stage[stage_slot(at)]);
  } else {
    T values[vectors_of_lane];
#pragma unroll
    for (unsigned k = 0; k < vectors_of_lane; ++k)
      values[k] = k < vectors ? extreme_of_vector<max, T>(stage[stage_slot(at + k)]) : M::identity().value;
    best = extreme_of<max, vectors_of_lane>(values);
#pragma unroll
    for (unsigned j = vectors_of_lane; j-- > 0;)
      if (!precedes<max>(best, values[j])) kept = j;
  }
  T items[count];
  __builtin_memcpy(static_cast<void*>(items), &stage[stage_slot(at + kept)], sizeof(items));
#pragma unroll
  for (unsigned k = count; k-- > 0;)
    if (!precedes<max>(best, items[k])) place = k;
  return {best, index + kept * count + place};
}

/// Whether this lane of a team of `lanes`, a power of two, holds the first of its extreme values. The lanes hold parts
/// of a row in the order of their numbers. All 32 lanes of the warp must call it.
template <class M>
__device__ __forceinline__ bool first_of_team(const typename M::Accumulator& value, unsigned lanes) {
  if (lanes == 1) return true;
  constexpr bool max = finds_largest<M>;
  const auto key = key_of<max, true>(value.value);
  auto first = key;
  for (unsigned step = lanes / 2; step > 0; step /= 2) {
    const auto other = __shfl_xor_sync(0xffffffffu, first, static_cast<int>(step));
    first = (max ? other > first : other < first) ? other : first;
  }
  const unsigned lane = threadIdx.x % 32, own = lane & (lanes - 1);
  const unsigned holders = __ballot_sync(0xffffffffu, key == first) >> (lane - own);
  return key == first && (holders & ((1u << own) - 1)) == 0;
}

/// Rows of fewer than 16 · vectors_of_lane vectors. Each warp copies as many as it has room for, in one piece, and
/// meets no other. A lane takes neighbouring vectors, so that a place needs no exchange: the first lane that holds the
/// extreme value knows it.
template <class M>
__global__ void __launch_bounds__(axis_block)
    reduce_short_rows(const typename M::Input* in, typename M::Result* out, AxisShape shape, std::size_t total) {
  constexpr unsigned count = per_vector<typename M::Input>, warps = axis_block / 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, most = shape.teams / warps;
  const std::size_t strip = (std::size_t{blockIdx.x} * warps + warp) * most;
  if (strip >= shape.strips) return;
  const unsigned rows = shape.strips - strip < most ? static_cast<unsigned>(shape.strips - strip) : most;
  const unsigned vectors = static_cast<unsigned>(shape.n) / count;
  auto* stage = shared_array<Vector16>() + warp * stage_of_warp;
  const auto* from = reinterpret_cast<const Vector16*>(in) + strip * vectors;
#pragma unroll
  for (unsigned j = 0; j < vectors_of_lane; ++j)
    if (const unsigned i = lane + 32 * j; i < rows * vectors) copy_async(&stage[stage_slot(i)], from + i);
  wait_for_copies();
  __syncwarp();

  const unsigned lanes = shape.height, own = lane & (lanes - 1), each = static_cast<unsigned>(shape.chunk) / count;
  const auto shift = static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1);  // a power of two
  for (unsigned first = 0; first < rows; first += 32u >> shift) {                // whole warps, for the exchange
    const unsigned row = first + (lane >> shift), start = own * each;
    const bool active = row < rows && start < vectors;
    const unsigned there = vectors - start < each ? vectors - start : each;
    auto value = M::identity();
    bool writes = own == 0;
    if constexpr (locates<M>) {
      if (active) value = locate_staged<M>(stage, row * vectors + start, there, start * count);
      writes = first_of_team<M>(value, lanes);
    } else {
      if (active) value = reduce_staged<M>(stage, row * vectors + start, there, start * count);
      value = reduce_team<M>(value, lanes);
    }
    if (writes && active) store_result(out + strip + row, M::finish(value, total));
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
