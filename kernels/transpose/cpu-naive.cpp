// cpu-naive: two loops on one core. Reads along rows, writes down columns.
// Cost that remains: each store touches another cache line, and with rows a power of two apart the lines fall into
// the same few sets of the cache and are evicted before their next element comes: up to one line of memory traffic
// an element. One core, no vectors.
// Limits: none. More axes than two are walked in the order of the output, element by element.
#include "../machine/cpu/cpu.hpp"
#include "../registry.hpp"

namespace rung::transpose {
namespace {

struct Naive {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "cpu-naive",
                                   .order = 90,
                                   .summary = "two loops on one core",
                                   .teaches = "the baseline: a cache line of traffic an element",
                                   .ladder = true};

  static Plan plan(const Problem&, const Launch& launch, const DeviceProperties&) {
    if (const std::string reason = cpu::launch_refusal(launch); !reason.empty()) return refuse(reason);
    Plan plan;
    plan.launch = "1 core";
    return plan;
  }

  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties&, Stream) {
    if (p.input_elements() == 0) return;
    if (p.transpose)
      two_loops(in, out, *p.transpose);
    else
      general(in, out, p.move);
  }

  template <class T>
  static void two_loops(const T* in, T* out, const Transpose2D& t) {
    for (std::size_t batch = 0; batch < t.batch; ++batch, in += t.rows * t.cols, out += t.rows * t.cols)
      for (std::size_t r = 0; r < t.rows; ++r)
        for (std::size_t c = 0; c < t.cols; ++c) out[c * t.rows + r] = in[r * t.cols + c];
  }

  template <class T>
  static void general(const T* in, T* out, const Move& move) {
    auto axes = cpu::axes_of(move);
    const std::size_t n = move.shape.empty() ? 1 : move.shape.back();
    const std::ptrdiff_t stride = move.strides.empty() ? 0 : move.strides.back();
    if (!axes.empty()) axes.pop_back();
    cpu::Walk walk(axes, 0);
    for (std::size_t k = cpu::places(axes); k > 0; --k, walk.next()) {
      const T* from = in + move.base + walk.in();
      for (std::size_t i = 0; i < n; ++i, from += stride) out[walk.out() + static_cast<std::ptrdiff_t>(i)] = *from;
    }
  }
};
[[maybe_unused]] const bool naive_registered = add_mover<Naive>();

}  // namespace
}  // namespace rung::transpose
