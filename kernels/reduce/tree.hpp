// The unrolled tree of a block in shared memory, which rungs from unroll-full on share.
#pragma once
#include "../machine/machine.hpp"

namespace rung::reduce {
inline namespace RUNG_ABI {

/// The first warp reduces smem[0, 64), or smem[0, 32) of a block of one warp, without block barriers; every lane
/// gets the total. Lanes read around the end of the 32, so that none reads what was never written.
/// A warp's lanes need not run in step (since Volta), so each level is write, __syncwarp, read, __syncwarp: the
/// `volatile` form without them, in every old slide deck, is a race.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_last_warp(typename M::Accumulator* smem, unsigned tid,
                                                                    unsigned block) {
  auto value = smem[tid];
  if (block >= 64) value = M::combine(value, smem[tid + 32]);
#pragma unroll
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    smem[tid] = value;
    __syncwarp();
    value = M::combine(value, smem[(tid + stride) % 32]);
    __syncwarp();
  }
  return value;
}

/// Thread 0 gets the total of smem[0, block); block: a power of two from 32 to 1024. Given as a constant, every
/// level is decided by the compiler; given as blockDim.x, a level costs one uniform branch and no loop.
template <class M>
__device__ __forceinline__ typename M::Accumulator reduce_tree(typename M::Accumulator* smem, unsigned tid,
                                                               unsigned block) {
  __syncthreads();
#pragma unroll
  for (unsigned stride = 512; stride > 32; stride /= 2) {
    if (block >= 2 * stride) {
      if (tid < stride) smem[tid] = M::combine(smem[tid], smem[tid + stride]);
      __syncthreads();
    }
  }
  return tid < 32 ? reduce_last_warp<M>(smem, tid, block) : M::identity();
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
