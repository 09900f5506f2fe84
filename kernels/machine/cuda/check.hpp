// CUDA error codes become DeviceError.
#pragma once
#include "../../error.hpp"

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

namespace rung {

inline void check(cudaError_t status, std::source_location at = std::source_location::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const std::string_view path = at.file_name();
  throw DeviceError(std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(at.line()) + ": " +
                    cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

}  // namespace rung
