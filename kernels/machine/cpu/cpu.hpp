// What the native kernels share: cores, refusals, and walks over the axes of a Move.
#pragma once
#include "../../kernel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rung::cpu {

constexpr std::size_t ceil_div(std::size_t a, std::size_t b) { return a / b + (a % b != 0); }

/// The native kernels have no launch shape: why one was refused, or empty.
inline std::string launch_refusal(const Launch& launch) {
  const char* option = launch.block ? "--block" : launch.grid ? "--grid" : launch.items ? "--items" : nullptr;
  return option ? std::string(option) + ": a cpu kernel has no blocks of threads" : std::string();
}

/// Calls task(first, last) for parts of [0, count) of at least `grain`, on all cores of the arena.
template <class Task>
void on_all_cores(std::size_t count, std::size_t grain, const Task& task) {
  if (count == 0) return;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain ? grain : 1),
                    [&](const tbb::blocked_range<std::size_t>& part) { task(part.begin(), part.end()); });
}

/// Walks a C-ordered index space and keeps two offsets, one in each of two strided arrays.
class Walk {
 public:
  struct Axis {
    std::size_t extent;
    std::ptrdiff_t in, out;  ///< strides in elements
  };

  /// Starts at the flat index `start` of the axes' product; no axes: one place.
  Walk(const std::vector<Axis>& axes, std::size_t start) : axes_(axes), digits_(axes.size()) {
    for (std::size_t k = axes.size(); k-- > 0; start /= axes[k].extent) {
      digits_[k] = start % axes[k].extent;
      const auto digit = static_cast<std::ptrdiff_t>(digits_[k]);
      in_ += digit * axes[k].in;
      out_ += digit * axes[k].out;
    }
  }
  std::ptrdiff_t in() const { return in_; }
  std::ptrdiff_t out() const { return out_; }
  void next() {
    for (std::size_t k = axes_.size(); k-- > 0;) {
      const Axis& axis = axes_[k];
      in_ += axis.in;
      out_ += axis.out;
      if (++digits_[k] < axis.extent) return;
      digits_[k] = 0;
      in_ -= axis.in * static_cast<std::ptrdiff_t>(axis.extent);
      out_ -= axis.out * static_cast<std::ptrdiff_t>(axis.extent);
    }
  }

 private:
  const std::vector<Axis>& axes_;
  std::vector<std::size_t> digits_;
  std::ptrdiff_t in_ = 0, out_ = 0;
};

/// The axes of a move, with the strides of its C-ordered output.
inline std::vector<Walk::Axis> axes_of(const Move& move) {
  std::vector<Walk::Axis> axes(move.shape.size());
  std::ptrdiff_t out = 1;
  for (std::size_t k = axes.size(); k-- > 0; out *= static_cast<std::ptrdiff_t>(move.shape[k]))
    axes[k] = {move.shape[k], move.strides[k], out};
  return axes;
}

/// Places that a walk over these axes has.
inline std::size_t places(const std::vector<Walk::Axis>& axes) {
  std::size_t count = 1;
  for (const auto& axis : axes) count *= axis.extent;
  return count;
}

}  // namespace rung::cpu
