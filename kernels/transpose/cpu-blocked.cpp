// cpu-blocked: cache-blocked, in vectors, on all cores.
// From cpu-naive: the matrix is cut into squares one cache line wide (64 x 64 bytes, 16 x 16 floats). A square's
// lines are read whole, turned in registers by interleaving pairs of rows, collected in a buffer that stays in the
// first-level cache, and written whole. Squares are visited in blocks, so that their pages stay in the TLB.
// Cost removed: each line crosses the memory bus once on its way in and once on its way out, whatever the strides.
// Large outputs are streamed past the cache where their lines are aligned: a line that is overwritten whole need not
// be read first.
// Cost that remains: pages. Each row of a square is another page, and translating its address is work.
// Limits: none. With more axes than two, the plane of the input's fastest axis and the output's fastest is cut so,
// and the others are walked; when the two are one axis, its rows are copied.
#include "../machine/cpu/cpu.hpp"
#include "../machine/cpu/targets.hpp"
#include "../registry.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "transpose/cpu-blocked.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#ifndef RUNG_TRANSPOSE_CPU_BLOCKED
#define RUNG_TRANSPOSE_CPU_BLOCKED
namespace rung::transpose::cpu_blocked {

constexpr std::size_t line = 64;
/// Elements along the side of a square.
template <class T>
constexpr std::size_t side = line / sizeof(T);

/// A matrix of rows × cols to be turned: in[r * in_pitch + c] to out[c * out_pitch + r].
template <class T>
struct Plane {
  const T* in;
  T* out;
  std::size_t rows, cols;
  std::ptrdiff_t in_pitch, out_pitch;

  const T* from(std::size_t r, std::size_t c) const {
    return in + static_cast<std::ptrdiff_t>(r) * in_pitch + static_cast<std::ptrdiff_t>(c);
  }
  T* to(std::size_t r, std::size_t c) const {
    return out + static_cast<std::ptrdiff_t>(c) * out_pitch + static_cast<std::ptrdiff_t>(r);
  }
};

}  // namespace rung::transpose::cpu_blocked
#endif

HWY_BEFORE_NAMESPACE();
namespace rung::transpose::cpu_blocked {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Turns 16 bytes of as many rows as elements are in them, to rows a line apart.
/// Every pass interleaves row k with row k + n/2, as a perfect shuffle does; log2(n) passes turn the square.
template <class T>
HWY_INLINE void turn_16_bytes(const T* from, std::ptrdiff_t pitch, T* to) {
  constexpr std::size_t n = 16 / sizeof(T);
  constexpr hn::FixedTag<T, n> d;
  hn::Vec<decltype(d)> v[n], w[n];
  for (std::size_t k = 0; k < n; ++k) v[k] = hn::LoadU(d, from + static_cast<std::ptrdiff_t>(k) * pitch);
  for (std::size_t pass = n; pass > 1; pass /= 2) {
    for (std::size_t k = 0; k < n / 2; ++k) {
      w[2 * k] = hn::InterleaveLower(d, v[k], v[k + n / 2]);
      w[2 * k + 1] = hn::InterleaveUpper(d, v[k], v[k + n / 2]);
    }
    for (std::size_t k = 0; k < n; ++k) v[k] = w[k];
  }
  for (std::size_t k = 0; k < n; ++k) hn::Store(v[k], d, to + k * side<T>);
}
#endif

/// Writes one line of 64 aligned bytes.
template <bool streaming>
HWY_INLINE void write_line(const void* from, void* to) {
#if HWY_TARGET == HWY_SCALAR
  std::memcpy(to, from, line);
#else
  const hn::CappedTag<std::uint8_t, line> d;
  for (std::size_t k = 0; k < line; k += hn::Lanes(d)) {
    const auto v = hn::Load(d, static_cast<const std::uint8_t*>(from) + k);
    if (streaming)
      hn::Stream(v, d, static_cast<std::uint8_t*>(to) + k);
    else
      hn::StoreU(v, d, static_cast<std::uint8_t*>(to) + k);
  }
#endif
}

/// Turns one whole square.
template <bool streaming, class T>
void square(const T* in, std::ptrdiff_t in_pitch, T* out, std::ptrdiff_t out_pitch) {
  constexpr std::size_t n = side<T>, piece = HWY_TARGET == HWY_SCALAR ? 1 : 16 / sizeof(T);
  alignas(line) T buffer[n * n];
  for (std::size_t r = 0; r < n; r += piece)
    for (std::size_t c = 0; c < n; c += piece) {
      const T* from = in + static_cast<std::ptrdiff_t>(r) * in_pitch + c;
      if constexpr (piece == 1)
        buffer[c * n + r] = *from;
      else
        turn_16_bytes(from, in_pitch, buffer + c * n + r);
    }
  for (std::size_t c = 0; c < n; ++c)
    write_line<streaming>(buffer + c * n, out + static_cast<std::ptrdiff_t>(c) * out_pitch);
}

/// Turns a plane square by square; what is less than a square, element by element.
template <bool streaming, class T>
void turn(const Plane<T>& p) {
  for (std::size_t c = 0; c < p.cols; c += side<T>)
    for (std::size_t r = 0; r < p.rows; r += side<T>) {
      const std::size_t rows = std::min(side<T>, p.rows - r), cols = std::min(side<T>, p.cols - c);
      if (rows == side<T> && cols == side<T>) {
        square<streaming>(p.from(r, c), p.in_pitch, p.to(r, c), p.out_pitch);
      } else {
        for (std::size_t j = c; j < c + cols; ++j)
          for (std::size_t i = r; i < r + rows; ++i) *p.to(i, j) = *p.from(i, j);
      }
    }
  if (streaming) hwy::FlushStream();
}

void turn_1(const Plane<std::uint8_t>& p, bool streaming) { streaming ? turn<true>(p) : turn<false>(p); }
void turn_2(const Plane<std::uint16_t>& p, bool streaming) { streaming ? turn<true>(p) : turn<false>(p); }
void turn_4(const Plane<std::uint32_t>& p, bool streaming) { streaming ? turn<true>(p) : turn<false>(p); }
void turn_8(const Plane<std::uint64_t>& p, bool streaming) { streaming ? turn<true>(p) : turn<false>(p); }
void turn_16(const Plane<Word16>& p, bool streaming) { streaming ? turn<true>(p) : turn<false>(p); }

}  // namespace HWY_NAMESPACE
}  // namespace rung::transpose::cpu_blocked
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rung::transpose::cpu_blocked {

HWY_EXPORT(turn_1);
HWY_EXPORT(turn_2);
HWY_EXPORT(turn_4);
HWY_EXPORT(turn_8);
HWY_EXPORT(turn_16);

namespace {

/// Outputs of so many bytes are streamed: they would leave the caches before anybody reads them.
constexpr std::size_t stream_from = std::size_t{8} << 20;
/// Squares along the side of a block: 8 × 8 squares of floats are 64 KiB on each side, and 128 pages.
constexpr std::size_t block_squares = 8;

template <class T>
void turn(const Plane<T>& plane, bool streaming) {
  if constexpr (sizeof(T) == 1)
    HWY_DYNAMIC_DISPATCH(turn_1)(plane, streaming);
  else if constexpr (sizeof(T) == 2)
    HWY_DYNAMIC_DISPATCH(turn_2)(plane, streaming);
  else if constexpr (sizeof(T) == 4)
    HWY_DYNAMIC_DISPATCH(turn_4)(plane, streaming);
  else if constexpr (sizeof(T) == 8)
    HWY_DYNAMIC_DISPATCH(turn_8)(plane, streaming);
  else
    HWY_DYNAMIC_DISPATCH(turn_16)(plane, streaming);
}

struct Blocked {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "cpu-blocked",
                                   .order = 91,
                                   .summary = "squares one cache line wide, turned in registers, on all cores",
                                   .teaches = "every cache line moves once, read and written whole",
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
    const auto fastest = std::find_if(axes.begin(), axes.end(), [](const cpu::Walk::Axis& a) { return a.in == 1; });
    if (axes.empty() || fastest == axes.end() - 1) return copy_rows(in, out, axes);
    const cpu::Walk::Axis columns = *fastest, rows = axes.back();
    axes.pop_back();
    axes.erase(axes.begin() + (fastest - axes.begin()));
    turn_planes(Plane<T>{in, out, rows.extent, columns.extent, rows.in, columns.out}, axes, p.output_bytes());
  }

  /// One plane for each place of the axes that are left. A task is a number of blocks, of one plane or several.
  template <class T>
  static void turn_planes(const Plane<T>& first, const std::vector<cpu::Walk::Axis>& axes, std::size_t bytes) {
    constexpr std::size_t edge = block_squares * side<T>;
    const std::size_t high = cpu::ceil_div(first.rows, edge), wide = cpu::ceil_div(first.cols, edge);
    const bool aligned = reinterpret_cast<std::uintptr_t>(first.out) % line == 0 &&
                         static_cast<std::size_t>(first.out_pitch) * sizeof(T) % line == 0 &&
                         std::all_of(axes.begin(), axes.end(), [](const cpu::Walk::Axis& a) {
                           return static_cast<std::size_t>(a.out) * sizeof(T) % line == 0;
                         });
    const bool streaming = aligned && bytes >= stream_from;
    const std::size_t block_elements = std::min(first.rows, edge) * std::min(first.cols, edge);
    const std::size_t grain = std::max<std::size_t>(1, edge * edge / block_elements);
    cpu::on_all_cores(cpu::places(axes) * high * wide, grain, [&](std::size_t begin, std::size_t end) {
      cpu::Walk walk(axes, begin / (high * wide));
      for (std::size_t block = begin; block < end; ++block) {
        const std::size_t r = block % high * edge, c = block / high % wide * edge;
        Plane<T> part = first;
        part.in = first.from(r, c) + walk.in();
        part.out = first.to(r, c) + walk.out();
        part.rows = std::min(edge, first.rows - r);
        part.cols = std::min(edge, first.cols - c);
        turn(part, streaming);
        if ((block + 1) % (high * wide) == 0) walk.next();
      }
    });
  }

  /// The last axis of the output is the last of the input: its rows stay whole.
  template <class T>
  static void copy_rows(const T* in, T* out, std::vector<cpu::Walk::Axis> axes) {
    const std::size_t n = axes.empty() ? 1 : axes.back().extent,
                      piece = std::max<std::size_t>(1, (std::size_t{1} << 18) / sizeof(T));
    if (!axes.empty()) axes.pop_back();
    const std::size_t pieces = cpu::ceil_div(n, piece);
    cpu::on_all_cores(
        cpu::places(axes) * pieces, std::max<std::size_t>(1, piece / n), [&](std::size_t begin, std::size_t end) {
          cpu::Walk walk(axes, begin / pieces);
          for (std::size_t unit = begin; unit < end; ++unit) {
            const std::size_t start = unit % pieces * piece;
            const auto offset = static_cast<std::ptrdiff_t>(start);
            std::memcpy(out + walk.out() + offset, in + walk.in() + offset, std::min(piece, n - start) * sizeof(T));
            if ((unit + 1) % pieces == 0) walk.next();
          }
        });
  }
};
[[maybe_unused]] const bool blocked_registered = add_mover<Blocked>();

}  // namespace
}  // namespace rung::transpose::cpu_blocked
#endif
