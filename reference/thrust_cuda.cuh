// Where Thrust runs on the GPU, and whence it takes its temporary memory.
#pragma once
#include "thrust_calls.hpp"

#include "../kernels/machine/cuda/check.hpp"

#include <cuda_runtime_api.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace rung {

/// Keeps what Thrust gives back and gives it out again, so that only the first of the timed calls allocates.
/// What is kept lives until the process ends.
class ThrustMemory {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes);
  void deallocate(char* memory, std::size_t bytes);

 private:
  struct Place {
    int device;
    std::size_t bytes;
    auto operator<=>(const Place&) const = default;
  };
  static Place place(std::size_t bytes);
  std::mutex mutex_;
  std::map<Place, std::vector<char*>> kept_;
};
ThrustMemory& thrust_memory();

struct OnGpu {
  static cudaStream_t stream(const ThrustArguments& a) { return static_cast<cudaStream_t>(a.stream); }
  static auto policy(const ThrustArguments& a) { return thrust::cuda::par(thrust_memory()).on(stream(a)); }
  static auto mover_policy(const ThrustArguments& a) { return thrust::cuda::par_nosync(thrust_memory()).on(stream(a)); }
  /// The value is staged before the call returns: the copy is of pageable memory.
  template <class R>
  static void deliver(const ThrustArguments& a, R value) {
    check(cudaMemcpyAsync(a.out, &value, sizeof value, cudaMemcpyHostToDevice, stream(a)));
  }
  template <class T>
  static T fetch(const T* place) {
    T value;
    check(cudaMemcpy(&value, place, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
};

void add_thrust_cuda_reductions(ThrustTable& table);

}  // namespace rung
