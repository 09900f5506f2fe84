// The kernel language on the machine being compiled for: all that a kernel file includes beside the registry.
// nvcc sees CUDA itself; g++ sees the simulator's version of it. Kernel files hold no #ifdef and no inline PTX.
//
// Both give: __global__ and friends, threadIdx …, __syncthreads, __syncwarp, shuffles, ballots, atomics, and
//   T* shared_array<T>()                            dynamic shared memory of the block, any T, 16-byte aligned
//   void launch(kernel, LaunchShape, Stream, args…) checked launch; throws DeviceError
// and the named instructions of intrinsics.hpp.
#pragma once
#include "../registry.hpp"
#include "qualifiers.hpp"

#include <cstddef>

#if defined(__CUDACC__)
#include "cuda/language.cuh"
#else
#include "sim/language.hpp"
#endif
#include "intrinsics.hpp"

namespace rung {
inline namespace RUNG_ABI {

/// What a kernel launched by launch_overlapping() begins with: its blocks may come in as those of the kernel before it
/// end, and wait for its last one. Prefetches may go between the two; where a kernel works out its places does no good
/// there, but as much harm as the overlap gains (1 %): the compiler moves nothing across.
__device__ inline void follow_previous_kernel() {
  allow_next_kernel();
  wait_for_previous_kernel();
}

constexpr std::size_t ceil_div(std::size_t a, std::size_t b) { return a / b + (a % b != 0); }

}  // namespace RUNG_ABI
}  // namespace rung
