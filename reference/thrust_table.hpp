// Which Thrust call serves which problem, on either machine: thrust_calls.hpp makes the calls, thrust_reference.hpp
// is what the command sees.
#pragma once
#include "../kernels/problem.hpp"

#include <array>
#include <cstddef>

namespace rung {

/// A reduction: rows × n elements in, one result a row out. A mover: batch × rows × n, of which `size` in bytes each.
struct ThrustArguments {
  const void* in = nullptr;
  void* out = nullptr;
  void* stream = nullptr;
  std::size_t batch = 1, rows = 1, n = 0;
};
using ThrustCall = void (*)(const ThrustArguments&);

struct ThrustTable {
  enum Layout : std::size_t { whole, rows };
  using Entries = std::array<std::array<std::array<std::array<ThrustCall, 2>, 2>, dtype_count>, op_names.size()>;

  ThrustCall& at(Layout layout, Op op, DType dtype, Acc acc) {
    return reductions[static_cast<std::size_t>(op)][static_cast<std::size_t>(dtype)][static_cast<std::size_t>(acc)]
                     [layout];
  }
  ThrustCall at(Layout layout, Op op, DType dtype, Acc acc) const {
    return const_cast<ThrustTable*>(this)->at(layout, op, dtype, acc);
  }

  Entries reductions{};
  std::array<ThrustCall, 5> reverses{}, transposes{};  ///< by log2 of the element size
};

}  // namespace rung
