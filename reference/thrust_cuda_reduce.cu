// thrust::reduce, min_element and max_element, and reduce_by_key along rows. Thrust compiles each call twice, for 32
// and for 64-bit sizes: two seconds a sum, five an extreme. Those that people time are built; CUB has the others.
#include "thrust_cuda.cuh"

namespace rung {

void add_thrust_cuda_reductions(ThrustTable& table) {
  add_thrust_sum<OnGpu, false, std::uint8_t>(table);
  add_thrust_sum<OnGpu, false, std::int32_t>(table);
  add_thrust_sum<OnGpu, false, std::int64_t>(table);
  add_thrust_sum<OnGpu, false, float>(table);
  add_thrust_sum<OnGpu, false, double>(table);
  table.at(ThrustTable::whole, Op::sum, DType::c64, Acc::same) =
      &thrust_accumulate<OnGpu, Complex<float>, Acc::same, false>;
  add_thrust_extremes<OnGpu, std::int32_t>(table);
  add_thrust_extremes<OnGpu, float>(table);
  table.at(ThrustTable::rows, Op::sum, DType::f32, Acc::same) = &thrust_rows<OnGpu, float, functional::plus<float>>;
}

}  // namespace rung
