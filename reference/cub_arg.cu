// cub::DeviceReduce::ArgMin and ArgMax, the form that writes value and 64-bit index apart. Each
// type costs five seconds of compile time: those that people have most are built, and those of docs/ladder.md.
#include "cub_table.hpp"
#include "library_types.cuh"

#include <cub/device/device_reduce.cuh>

namespace rung {
namespace {

// The extreme value, which rung does not ask for, goes to the start of the workspace.
constexpr std::size_t value_bytes = 256;

template <class T, bool max>
cudaError_t locate(const CubArguments& a, std::size_t& bytes) {
  const auto* in = static_cast<const library_type<T>*>(a.in);
  auto* value = static_cast<library_type<T>*>(a.workspace);
  auto* index = static_cast<std::int64_t*>(a.out);
  void* temporary = a.workspace ? static_cast<char*>(a.workspace) + value_bytes : nullptr;
  const auto n = static_cast<std::int64_t>(a.n);
  cudaError_t status = cudaSuccess;
  if constexpr (max)
    status = cub::DeviceReduce::ArgMax(temporary, bytes, in, value, index, n, a.stream);
  else
    status = cub::DeviceReduce::ArgMin(temporary, bytes, in, value, index, n, a.stream);
  if (!a.workspace) bytes += value_bytes;
  return status;
}

}  // namespace

void add_cub_locating(CubTable& table) {
  each_type(
      TypeList<std::int8_t, std::uint8_t, std::int32_t, std::int64_t, std::uint64_t, F16, float, double>{},
      [&]<class T>() {
        for (const Acc acc : {Acc::wide, Acc::same}) {
          table.at(CubTable::whole, Op::argmin, dtype_of<T>, acc) = {&locate<T, false>, "cub::DeviceReduce::ArgMin"};
          table.at(CubTable::whole, Op::argmax, dtype_of<T>, acc) = {&locate<T, true>, "cub::DeviceReduce::ArgMax"};
        }
      });
}

}  // namespace rung
