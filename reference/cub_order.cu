// cub::DeviceReduce::Min and Max.
#include "cub_table.hpp"
#include "library_types.cuh"

#include <cub/device/device_reduce.cuh>

namespace rung {
namespace {

template <class T, bool max>
cudaError_t order(const CubArguments& a, std::size_t& bytes) {
  const auto* in = static_cast<const library_type<T>*>(a.in);
  auto* out = static_cast<library_type<T>*>(a.out);
  if constexpr (max)
    return cub::DeviceReduce::Max(a.workspace, bytes, in, out, a.n, a.stream);
  else
    return cub::DeviceReduce::Min(a.workspace, bytes, in, out, a.n, a.stream);
}

}  // namespace

void add_cub_order(CubTable& table) {
  each_type(OrderedTypes{}, [&]<class T>() {
    for (const Acc acc : {Acc::wide, Acc::same}) {
      table.at(CubTable::whole, Op::min, dtype_of<T>, acc) = {&order<T, false>, "cub::DeviceReduce::Min"};
      table.at(CubTable::whole, Op::max, dtype_of<T>, acc) = {&order<T, true>, "cub::DeviceReduce::Max"};
    }
  });
}

}  // namespace rung
