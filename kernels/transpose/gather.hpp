// The general mover behind both `strided` kernels: any Move, a thread for each element of the output.
#pragma once
#include "../machine/machine.hpp"
#include "lines.hpp"
#include "tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rung {
inline namespace RUNG_ABI {

/// A Move by value, as a kernel takes it. Index is the type that divides: 32-bit where the output allows.
template <class Index>
struct Strides {
  static constexpr std::size_t max_axes = 16;
  unsigned axes = 0;
  Index count = 0;
  Index extent[max_axes]{};
  std::ptrdiff_t stride[max_axes]{};
};

template <class T, class Index>
__global__ void gather(const T* in, T* out, const __grid_constant__ Strides<Index> move) {
  follow_previous_kernel();
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= move.count) return;
  Index left = i;
  std::ptrdiff_t from = 0;
  for (unsigned k = move.axes; k-- > 1;) {
    const Index above = left / move.extent[k];
    from += static_cast<std::ptrdiff_t>(left - above * move.extent[k]) * move.stride[k];
    left = above;
  }
  out[i] = in[from + static_cast<std::ptrdiff_t>(left) * move.stride[0]];
}

inline constexpr unsigned gather_block = 256;

inline Plan plan_gather(const Problem& p, const Launch& launch, const DeviceProperties& device) {
  if (p.move.shape.size() > Strides<unsigned>::max_axes)
    return refuse(std::to_string(p.move.shape.size()) + " axes after merging: 16 at most");
  if (launch.grid != 0) return refuse("--grid: the grid follows from the size of the array");
  if (launch.items != 0) return refuse("--items: a thread moves one element");
  const unsigned block = launch.block ? launch.block : gather_block;
  if (block > device.max_threads_per_block) return refuse("--block: more threads than a block can have");
  return transpose::plan_grid(ceil_div(p.output_elements(), block), 1, block);
}

/// The same move in elements twice as large, as often as that goes: where the last axis is a run of the input, what
/// moves is runs, up to 16 bytes a thread. Returns the element size.
inline std::size_t widen(Move& move, std::size_t size, const void* in, const void* out) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out);
  if (move.shape.empty() || move.strides.back() != 1) return size;
  const auto even = [&] {
    bool all = move.shape.back() % 2 == 0 && move.base % 2 == 0;
    for (std::size_t k = 0; k + 1 < move.strides.size(); ++k) all = all && move.strides[k] % 2 == 0;
    return all;
  };
  for (; size < 16 && addresses % (2 * size) == 0 && even(); size *= 2) {
    move.shape.back() /= 2;
    move.base /= 2;
    for (std::size_t k = 0; k + 1 < move.strides.size(); ++k) move.strides[k] /= 2;
  }
  return size;
}

template <class T, class Index>
void launch_gather(const void* in, void* out, const Move& move, std::size_t count, unsigned block, Stream stream) {
  Strides<Index> strides;
  strides.axes = static_cast<unsigned>(move.shape.size());
  strides.count = static_cast<Index>(count);
  for (std::size_t k = 0; k < move.shape.size(); ++k) {
    strides.extent[k] = static_cast<Index>(move.shape[k]);
    strides.stride[k] = move.strides[k];
  }
  launch_overlapping(gather<T, Index>, {transpose::fold(ceil_div(count, block), 1), dim3(block)}, stream,
                     static_cast<const T*>(in) + move.base, static_cast<T*>(out), strides);
}

inline void run_gather(const void* in, void* out, const Problem& p, const Launch& launch, Stream stream) {
  Move move = p.move;
  const std::size_t size = widen(move, size_of(p.dtype), in, out), count = p.output_bytes() / size;
  const unsigned block = launch.block ? launch.block : gather_block;
  if (count == 0) return;
  visit_size(size, [&]<class T>() {
    // 2^31 leaves room for the threads past the end: their index must not wrap.
    if (count <= std::size_t{1} << 31)
      launch_gather<T, std::uint32_t>(in, out, move, count, block, stream);
    else
      launch_gather<T, std::uint64_t>(in, out, move, count, block, stream);
  });
}

}  // namespace RUNG_ABI
}  // namespace rung
