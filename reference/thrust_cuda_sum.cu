// thrust::reduce of sums and products, and thrust::reduce_by_key along rows.
#include "thrust_cuda.cuh"

namespace rung {

void add_thrust_cuda_sums(ThrustTable& table) {
  add_thrust_sum<OnGpu, false, std::uint8_t>(table);
  add_thrust_sum<OnGpu, false, std::int32_t>(table);
  add_thrust_sum<OnGpu, false, std::int64_t>(table);
  add_thrust_sum<OnGpu, false, F16>(table);
  add_thrust_sum<OnGpu, false, float>(table);
  add_thrust_sum<OnGpu, false, double>(table);
  table.at(ThrustTable::whole, Op::sum, DType::c64, Acc::same) = &thrust_accumulate<OnGpu, Complex<float>, Acc::same, false>;
  add_thrust_sum<OnGpu, false, Complex<double>>(table);
  add_thrust_sum<OnGpu, true, double>(table);
  table.at(ThrustTable::rows, Op::sum, DType::f32, Acc::same) = &thrust_rows<OnGpu, float, thrust::plus<float>>;
  for (const Acc acc : {Acc::wide, Acc::same}) {
    table.at(ThrustTable::rows, Op::sum, DType::i64, acc) = &thrust_rows<OnGpu, std::int64_t, thrust::plus<std::int64_t>>;
    table.at(ThrustTable::rows, Op::sum, DType::f64, acc) = &thrust_rows<OnGpu, double, thrust::plus<double>>;
  }
}

}  // namespace rung
