// Which CUB call serves which reduction. Each cub_*.cu adds its rows; cub.cu looks them up.
#pragma once
#include "../kernels/problem.hpp"

#include <cuda_runtime_api.h>
#include <cub/version.cuh>

#include <array>
#include <cstddef>

namespace rung {

/// A call with its types erased. Without workspace it only says how many bytes of it the call needs.
/// rows × n elements in, `rows` results out, of the result type of the problem.
struct CubArguments {
  const void* in = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;
  std::size_t rows = 1, n = 0;
  cudaStream_t stream = nullptr;
};
using CubCall = cudaError_t (*)(const CubArguments&, std::size_t& bytes);

struct CubEntry {
  CubCall run = nullptr;
  const char* text = nullptr;  ///< as its user writes it
};

class CubTable {
 public:
  enum Layout : std::size_t { whole, rows };
  CubEntry& at(Layout layout, Op op, DType dtype, Acc acc) { return entries_[place(layout, op, dtype, acc)]; }
  const CubEntry& at(Layout layout, Op op, DType dtype, Acc acc) const {
    return entries_[place(layout, op, dtype, acc)];
  }

 private:
  static std::size_t place(Layout layout, Op op, DType dtype, Acc acc) {
    return ((static_cast<std::size_t>(op) * dtype_count + static_cast<std::size_t>(dtype)) * 2 +
            static_cast<std::size_t>(acc)) *
               2 +
           layout;
  }

  std::array<CubEntry, op_names.size() * dtype_count * 4> entries_{};
};

/// Segments of one length, given by it alone, came with CUB 3.1.
inline constexpr bool fixed_size_rows = CUB_VERSION >= 300100;

void add_cub_sums(CubTable& table);
void add_cub_products(CubTable& table);
void add_cub_order(CubTable& table);
void add_cub_locating(CubTable& table);
void add_cub_segments(CubTable& table);
void add_cub_segments_locating(CubTable& table);

}  // namespace rung
