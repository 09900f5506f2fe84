// thrust::min_element and max_element.
#include "thrust_cuda.cuh"

namespace rung {

void add_thrust_cuda_extremes(ThrustTable& table) {
  add_thrust_extremes<OnGpu, std::uint8_t>(table);
  add_thrust_extremes<OnGpu, std::int32_t>(table);
  add_thrust_extremes<OnGpu, std::int64_t>(table);
  add_thrust_extremes<OnGpu, float>(table);
  add_thrust_extremes<OnGpu, double>(table);
}

}  // namespace rung
