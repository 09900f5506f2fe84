// Rows of one length for cub::DeviceSegmentedReduce: by their length where this CUB has that form, else by offsets.
#pragma once
#include "cub_table.hpp"
#include "library_types.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/cstdint>

namespace rung {

/// Rows of the types that people reduce along an axis most; each further one costs seconds of compile time.
using RowTypes = TypeList<std::uint8_t, std::int32_t, std::int64_t, F16, float, double>;

struct RowOffset {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

/// call(segments…): the arguments that describe the rows, in this CUB's form.
template <class Call>
cudaError_t with_rows(const CubArguments& a, const Call& call) {
  if constexpr (fixed_size_rows) {
    return call(static_cast<int>(a.n));
  } else {
    const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                       RowOffset{static_cast<std::int64_t>(a.n)});
    return call(begin, begin + 1);
  }
}

}  // namespace rung
