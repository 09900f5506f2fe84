// Named instructions on a GPU.
#pragma once
#include "../halves.hpp"
#include "../qualifiers.hpp"

#include "language.cuh"

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace rung {
inline namespace RUNG_ABI {

/// 16 bytes that travel as one access.
struct alignas(16) Vector16 {
  unsigned words[4];
};

/// Load of data that is read once: does not displace what the caches hold.
__device__ __forceinline__ Vector16 load_streaming(const Vector16* p) {
  const uint4 v = __ldcs(reinterpret_cast<const uint4*>(p));
  return {{v.x, v.y, v.z, v.w}};
}

/// Store of data that is not read again soon.
__device__ __forceinline__ void store_streaming(Vector16* p, const Vector16& v) {
  __stcs(reinterpret_cast<uint4*>(p), make_uint4(v.words[0], v.words[1], v.words[2], v.words[3]));
}

/// acc plus the four bytes of a word: one instruction (dp4a) instead of eight.
__device__ __forceinline__ unsigned add_bytes(unsigned word, unsigned acc) { return __dp4a(word, 0x01010101u, acc); }
/// acc plus byte k of a word: one instruction instead of two.
__device__ __forceinline__ unsigned add_byte(unsigned word, unsigned k, unsigned acc) {
  return __dp4a(word, 1u << (8 * k), acc);
}
__device__ __forceinline__ int add_signed_bytes(unsigned word, int acc) {
  return __dp4a(static_cast<int>(word), 0x01010101, acc);
}

/// The value that max (or min) keeps; NaN before all numbers.
template <bool max, class T>
__device__ __forceinline__ T extreme(T a, T b) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    float kept;
    if constexpr (max)
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(kept) : "f"(a), "f"(b));
    else
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(kept) : "f"(a), "f"(b));
    return kept;
  }
#endif
  return first_of<max>(a, b);
}

/// The same for each of the two T of a word: 16-bit integers, F16, BF16.
template <bool max, class T>
__device__ __forceinline__ unsigned extreme_pairs(unsigned a, unsigned b) {
  if constexpr (std::is_same_v<T, std::int16_t>) {
    return max ? __vmaxs2(a, b) : __vmins2(a, b);
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return max ? __vmaxu2(a, b) : __vminu2(a, b);
  } else {
#if __CUDA_ARCH__ >= 800
    unsigned kept;
    if constexpr (std::is_same_v<T, F16> && max)
      asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(kept) : "r"(a), "r"(b));
    else if constexpr (std::is_same_v<T, F16>)
      asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(kept) : "r"(a), "r"(b));
    else if constexpr (max)
      asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(kept) : "r"(a), "r"(b));
    else
      asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(kept) : "r"(a), "r"(b));
    return kept;
#else
    return first_of_halves<max, T>(a, b);
#endif
  }
}

/// The extreme, or the sum, of the words of the 32 lanes of a warp, to each lane. All must call it.
__device__ __forceinline__ unsigned warp_max(unsigned word) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, word);
#else
  for (int step = 16; step > 0; step /= 2) word = max(word, __shfl_xor_sync(0xffffffffu, word, step));
  return word;
#endif
}
__device__ __forceinline__ unsigned warp_min(unsigned word) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xffffffffu, word);
#else
  return ~warp_max(~word);
#endif
}
__device__ __forceinline__ unsigned warp_sum(unsigned word) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, word);
#else
  for (int step = 16; step > 0; step /= 2) word += __shfl_xor_sync(0xffffffffu, word, step);
  return word;
#endif
}

/// In a kernel whose successor is launched by launch_overlapping(): the successor may take free multiprocessors from
/// here on. What this kernel writes is not visible to it before its own wait_for_previous_kernel().
__device__ __forceinline__ void allow_next_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// In a kernel launched by launch_overlapping(): returns when the kernel before it has ended and its writes are
/// visible. Every thread calls it before its first access to global memory, prefetches aside: that kernel may still
/// write there, or read what this one is to write.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Has the line of 128 bytes around an address brought to L2. Others may still write it.
__device__ __forceinline__ void prefetch(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

/// launch() of a kernel that may start while the one before it in the stream still runs, so that its launch costs no
/// idle time (programmatic dependent launch). GPUs before compute capability 9.0 run them one behind the other.
template <class... Parameter, class... Argument>
void launch_overlapping(void (*kernel)(Parameter...), const LaunchShape& shape, Stream stream, Argument... arguments) {
  allow_shared(kernel, shape);
  int device = 0, major = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared;
  config.stream = static_cast<cudaStream_t>(stream.handle);
  config.attrs = &overlap;
  config.numAttrs = major >= 9 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameter>(arguments)...));
}

/// Load of a line that a neighbouring thread wants too: stays in L1.
__device__ __forceinline__ Vector16 load_cached(const Vector16* p) {
  const uint4 v = *reinterpret_cast<const uint4*>(p);
  return {{v.x, v.y, v.z, v.w}};
}

/// Load of a line whose neighbours other blocks want soon: brings the 128 or 256 bytes around it to L2 (a hint), stays
/// in L1.
template <unsigned around = 256>
__device__ __forceinline__ Vector16 load_wide(const Vector16* p) {
  static_assert(around == 128 || around == 256);
#if __CUDA_ARCH__ >= 800
  Vector16 v;
  if constexpr (around == 128)
    asm volatile("ld.global.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3])
                 : "l"(p));
  else
    asm volatile("ld.global.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3])
                 : "l"(p));
  return v;
#else
  return load_cached(p);
#endif
}

/// Store that may wait in L2 for what completes its line. Unlike an assignment it stays one access: the compiler does
/// not merge it with a branch that stores the same bytes by elements.
__device__ __forceinline__ void store_cached(Vector16* p, const Vector16& v) {
  __stwb(reinterpret_cast<uint4*>(p), make_uint4(v.words[0], v.words[1], v.words[2], v.words[3]));
}

/// Copies 16 bytes of global memory into shared memory, past the registers. Theirs to read after wait_for_copies(), and
/// other threads' after a barrier behind it. GPUs before compute capability 8.0 go through a register.
__device__ __forceinline__ void copy_async(Vector16* to, const Vector16* from) {
  __pipeline_memcpy_async(to, from, sizeof(Vector16));
}

/// Returns when the calling thread's copies have arrived.
__device__ __forceinline__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

}  // namespace RUNG_ABI
}  // namespace rung
