// cub::DeviceReduce::Sum, and Reduce with plus where the accumulator is not the result type.
#include "cub_table.hpp"
#include "library_types.cuh"

#include <cub/device/device_reduce.cuh>

namespace rung {
namespace {

template <class T, Acc acc>
cudaError_t sum(const CubArguments& a, std::size_t& bytes) {
  using A = library_accumulator<T, acc>;
  const auto* in = static_cast<const library_type<T>*>(a.in);
  auto* out = static_cast<library_result<T>*>(a.out);
  if constexpr (std::is_same_v<A, library_result<T>> && !is_half<T>)
    return cub::DeviceReduce::Sum(a.workspace, bytes, in, out, a.n, a.stream);
  else
    return cub::DeviceReduce::Reduce(a.workspace, bytes, in, out, a.n, cuda::std::plus<A>{}, A{}, a.stream);
}

template <class T, Acc acc>
void add(CubTable& table) {
  constexpr bool plain = std::is_same_v<library_accumulator<T, acc>, library_result<T>> && !is_half<T>;
  table.at(CubTable::whole, Op::sum, dtype_of<T>, acc) = {
      &sum<T, acc>,
      plain ? "cub::DeviceReduce::Sum" : "cub::DeviceReduce::Reduce with cuda::std::plus of the accumulator"};
}

}  // namespace

void add_cub_sums(CubTable& table) {
  const auto both = [&]<class T>() {
    add<T, Acc::wide>(table);
    if constexpr (std::is_same_v<library_accumulator<T, Acc::wide>, library_accumulator<T, Acc::same>>)
      table.at(CubTable::whole, Op::sum, dtype_of<T>, Acc::same) =
          table.at(CubTable::whole, Op::sum, dtype_of<T>, Acc::wide);
    else
      add<T, Acc::same>(table);
  };
  // u64 has the sums of i64: modulo 2^64 both signs have one sum.
  each_type(TypeList<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                     F16, BF16, float, double>{},
            both);
  for (const Acc acc : {Acc::wide, Acc::same})
    table.at(CubTable::whole, Op::sum, DType::u64, acc) = table.at(CubTable::whole, Op::sum, DType::i64, acc);
  each_type(TypeList<Complex<float>, Complex<double>>{}, both);
}

}  // namespace rung
