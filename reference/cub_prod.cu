// cub::DeviceReduce::Reduce with multiplies: CUB has no call of its own for products. Products are rare: those of
// 8 and 16-bit integers, u32 and c64 are left out for the sake of compile time, a second each.
#include "cub_table.hpp"
#include "library_types.cuh"

#include <cub/device/device_reduce.cuh>

namespace rung {
namespace {

template <class T, class A>
cudaError_t product(const CubArguments& a, std::size_t& bytes) {
  return cub::DeviceReduce::Reduce(a.workspace, bytes, static_cast<const library_type<T>*>(a.in),
                                   static_cast<library_result<T>*>(a.out), a.n, cuda::std::multiplies<A>{}, A(1),
                                   a.stream);
}

}  // namespace

void add_cub_products(CubTable& table) {
  const auto add = [&]<class T, class A>(DType dtype, Acc acc) {
    table.at(CubTable::whole, Op::prod, dtype, acc) = {
        &product<T, A>, "cub::DeviceReduce::Reduce with cuda::std::multiplies of the accumulator"};
  };
  for (const Acc acc : {Acc::wide, Acc::same}) {
    add.operator()<F16, float>(DType::f16, acc);
    add.operator()<BF16, float>(DType::bf16, acc);
    add.operator()<double, double>(DType::f64, acc);
    add.operator()<Complex<double>, cuda::std::complex<double>>(DType::c128, acc);
    // Modulo 2^64 both signs have one product.
    add.operator()<std::int64_t, std::int64_t>(DType::i64, acc);
    add.operator()<std::int64_t, std::int64_t>(DType::u64, acc);
  }
  add.operator()<std::int32_t, std::int64_t>(DType::i32, Acc::wide);
  add.operator()<std::int32_t, std::int32_t>(DType::i32, Acc::same);
  add.operator()<float, double>(DType::f32, Acc::wide);
  add.operator()<float, float>(DType::f32, Acc::same);
}

}  // namespace rung
