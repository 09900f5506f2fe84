// cpu-parallel: every core reads vectors from one end of its part, reverses their lanes in registers and writes them
// at the other end, which it walks upwards: forward stores and backward loads, both of which the prefetchers follow.
// Along other axes than the last, rows stay whole and are copied to their mirrored place.
// Cost that remains: reading and writing every byte once, as a copy does. Large outputs are streamed past the cache,
// so that a line that is overwritten whole need not be read first.
// Limits: none.
#include "../machine/cpu/cpu.hpp"
#include "../machine/cpu/targets.hpp"
#include "../registry.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reverse/cpu-parallel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rung::reverse {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <class Lane, std::size_t parts>
void reverse_run(const void* in, void* out, std::size_t n, bool) {
  const auto* from = static_cast<const Lane*>(in);
  auto* to = static_cast<Lane*>(out);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < parts; ++k) to[i * parts + k] = from[(n - 1 - i) * parts + k];
}

#else

/// Lanes of a vector back to front. Highway has no reversal of bytes before its version 1.1.
template <class D>
HWY_INLINE hn::Vec<D> reversed(D d, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    const hn::RepartitionToWide<D> wide;
    const auto pairs = hn::Reverse(wide, hn::BitCast(wide, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(pairs), hn::ShiftRight<8>(pairs)));
  } else {
    return hn::Reverse(d, v);
  }
}

/// out[i] = in[n - 1 - i] for i < n. A 16-byte element is two lanes, and is put back in order by Reverse2.
template <class Lane, std::size_t parts>
void reverse_run(const void* in, void* out, std::size_t n, bool stream) {
  const hn::ScalableTag<Lane> d;
  const auto* from = static_cast<const Lane*>(in) + n * parts;
  auto* to = static_cast<Lane*>(out);
  const std::size_t step = hn::Lanes(d);
  std::size_t left = n * parts;
  const auto single = [&] {
    from -= parts;
    for (std::size_t k = 0; k < parts; ++k) to[k] = from[k];
    to += parts;
    left -= parts;
  };
  const auto vector = [&]() HWY_ATTR {
    from -= step;
    const auto v = reversed(d, hn::LoadU(d, from));
    if constexpr (parts == 2)
      return hn::Reverse2(d, v);
    else
      return v;
  };
  if (stream)
    while (left > 0 && reinterpret_cast<std::uintptr_t>(to) % (step * sizeof(Lane)) != 0) single();
  for (; left >= step; left -= step, to += step) {
    const auto v = vector();
    if (stream)
      hn::Stream(v, d, to);
    else
      hn::StoreU(v, d, to);
  }
  while (left > 0) single();
  if (stream) hwy::FlushStream();
}

#endif

void reverse_bytes(const void* in, void* out, std::size_t n, std::size_t size, bool stream) {
  switch (size) {
    case 1:
      return reverse_run<std::uint8_t, 1>(in, out, n, stream);
    case 2:
      return reverse_run<std::uint16_t, 1>(in, out, n, stream);
    case 4:
      return reverse_run<std::uint32_t, 1>(in, out, n, stream);
    case 8:
      return reverse_run<std::uint64_t, 1>(in, out, n, stream);
    default:
      return reverse_run<std::uint64_t, 2>(in, out, n, stream);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace rung::reverse
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rung::reverse {

HWY_EXPORT(reverse_bytes);

namespace {

/// Bytes of a piece that a core takes at a time, and from which an output is streamed.
constexpr std::size_t piece_bytes = std::size_t{1} << 18, stream_from = std::size_t{8} << 20;

struct Parallel {
  static constexpr KernelInfo info{.family = Family::reverse,
                                   .name = "cpu-parallel",
                                   .order = 91,
                                   .summary = "lanes swapped in registers, on all cores",
                                   .teaches = "a reverse costs what a copy costs",
                                   .ladder = true};

  static Plan plan(const Problem&, const Launch& launch, const DeviceProperties& device) {
    if (const std::string reason = cpu::launch_refusal(launch); !reason.empty()) return refuse(reason);
    Plan plan;
    plan.launch = std::to_string(device.multiprocessors) + (device.multiprocessors == 1 ? " core" : " cores");
    return plan;
  }

  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties&, Stream) {
    if (p.input_elements() == 0) return;
    auto axes = cpu::axes_of(p.move);
    in += p.move.base;
    // The last axis of a reverse is contiguous, forwards or backwards.
    const std::size_t n = axes.empty() ? 1 : axes.back().extent;
    const bool backwards = !axes.empty() && axes.back().in < 0;
    if (!axes.empty()) axes.pop_back();
    const std::size_t piece = piece_bytes / sizeof(T), pieces = cpu::ceil_div(n, piece);
    const bool stream = p.output_bytes() >= stream_from && n * sizeof(T) >= 4096;
    cpu::on_all_cores(
        cpu::places(axes) * pieces, std::max<std::size_t>(1, piece / n), [&](std::size_t begin, std::size_t end) {
          cpu::Walk walk(axes, begin / pieces);
          for (std::size_t unit = begin; unit < end; ++unit) {
            const std::size_t start = unit % pieces * piece, count = std::min(piece, n - start);
            const T* row = in + walk.in();
            T* to = out + walk.out() + start;
            if (!backwards)
              std::memcpy(to, row + start, count * sizeof(T));
            else
              HWY_DYNAMIC_DISPATCH(reverse_bytes)(row - (start + count - 1), to, count, sizeof(T), stream);
            if ((unit + 1) % pieces == 0) walk.next();
          }
        });
  }
};
[[maybe_unused]] const bool parallel_registered = add_mover<Parallel>();

}  // namespace
}  // namespace rung::reverse
#endif
