// Kernels on a GPU: CUDA itself, a checked launch, and dynamic shared memory of any type.
#pragma once
#include "../../error.hpp"
#include "../../kernel.hpp"
#include "check.hpp"

#include <cuda_runtime.h>

#include <cstddef>

namespace rung {
inline namespace RUNG_ABI {

/// Threads that a multiprocessor of the architecture that is compiled for holds: what launch bounds may ask for.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr unsigned multiprocessor_threads = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr unsigned multiprocessor_threads = 1536;
#else
inline constexpr unsigned multiprocessor_threads = 2048;
#endif

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared = 0;  ///< bytes of dynamic shared memory
};

/// One name for every instantiation: `extern __shared__ T s[]` clashes between types.
template <class T>
__device__ __forceinline__ T* shared_array() {
  extern __shared__ __align__(16) unsigned char rung_dynamic_shared[];
  return reinterpret_cast<T*>(rung_dynamic_shared);
}

/// Beyond 48 KiB a kernel has to be allowed its dynamic shared memory.
template <class... Parameter>
void allow_shared(void (*kernel)(Parameter...), const LaunchShape& shape) {
  if (shape.shared > (48u << 10))
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared)));
}

template <class... Parameter, class... Argument>
void launch(void (*kernel)(Parameter...), const LaunchShape& shape, Stream stream, Argument... arguments) {
  allow_shared(kernel, shape);
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared;
  config.stream = static_cast<cudaStream_t>(stream.handle);
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameter>(arguments)...));
}

}  // namespace RUNG_ABI
}  // namespace rung
