// What lets one header serve nvcc and g++: function qualifiers, and the inline namespace that keeps
// the builds of one kernel apart (merged by the linker, a traced kernel would record nothing).
#pragma once

#if defined(__CUDACC__)
#define RUNG_HD __host__ __device__ __forceinline__
#define RUNG_ABI on_gpu
#elif defined(__SANITIZE_THREAD__)
#define RUNG_HD inline __attribute__((always_inline))
#define RUNG_ABI on_sim
#else
#define RUNG_HD inline
#define RUNG_ABI on_host
#endif
