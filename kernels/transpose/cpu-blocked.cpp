// cpu-blocked: cache-blocked, in vectors, on all cores.
// From cpu-naive: the matrix is cut into blocks of 256 rows of 256 elements, or of a KiB, whose pages fit the TLB. Down
// a block goes a strip two cache lines wide; its squares (64 x 64 bytes, 16 x 16 floats) are turned in registers by
// interleaving pairs of rows, and collected in a buffer of 36 KiB. From there each output row gets a run of 256
// elements.
// Cost removed: each line crosses the memory bus once on its way in and once on its way out, whatever the strides and
// the alignment. Large outputs are streamed past the cache: a line that is overwritten whole need not be read first.
// Cost that remains: pages. Each row of a block is another page, and translating its address is work.
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

#include "../machine/cpu/turn-inl.hpp"

#ifndef RUNG_TRANSPOSE_CPU_BLOCKED
#define RUNG_TRANSPOSE_CPU_BLOCKED
namespace rung::transpose::cpu_blocked {

constexpr std::size_t line = 64;
/// Elements along the side of a square.
template <class T>
constexpr std::size_t side = line / sizeof(T);
/// Rows of a block.
constexpr std::size_t edge = 256;
/// Columns of a block: rows shorter than a KiB cost as many page walks, for less.
template <class T>
constexpr std::size_t reach = std::max(edge, 1024 / sizeof(T));
/// Elements across a strip: two lines, because processors fetch lines in pairs.
template <class T>
constexpr std::size_t strip = 2 * side<T>;
/// Squares between the one that is turned and the one whose lines are asked for.
constexpr std::size_t ahead = 2;

/// The buffer's rows are a line longer than a block, so that they do not all fall into the same sets of the cache.
template <class T>
constexpr std::size_t buffer_pitch = edge + side<T>;

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

/// Turns one whole square into the buffer, and asks for the lines of the one that follows.
template <class T>
HWY_INLINE void turn_square(const T* in, std::ptrdiff_t pitch, const T* next, T* to) {
  constexpr std::size_t n = side<T>, piece = 16 / sizeof(T);
  for (std::size_t r = 0; r < n; r += piece) {
    // The last element of a row: where lines do not start at the square's edge, its first line has been seen before.
    for (std::size_t k = r; k < r + piece; ++k) hwy::Prefetch(next + static_cast<std::ptrdiff_t>(k) * pitch + (n - 1));
    for (std::size_t c = 0; c < n; c += piece) {
      const T* from = in + static_cast<std::ptrdiff_t>(r) * pitch + c;
      if constexpr (piece == 1)
        to[c * buffer_pitch<T> + r] = *from;
      else
        rung::cpu::HWY_NAMESPACE::turn_16_bytes<buffer_pitch<T>>(from, pitch, to + c * buffer_pitch<T> + r);
    }
  }
}

/// Writes n elements of the buffer to a run of the output.
template <class T>
HWY_INLINE void write_run(const T* from, T* to, std::size_t n, [[maybe_unused]] bool streaming) {
#if HWY_TARGET != HWY_SCALAR
  if (streaming && n >= 4 * side<T>) {
    const hn::CappedTag<std::uint8_t, line> d;
    const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line / sizeof(T);
    std::memcpy(to, from, head * sizeof(T));
    from += head, to += head, n -= head;
    for (; n >= side<T>; from += side<T>, to += side<T>, n -= side<T>)
      for (std::size_t k = 0; k < line; k += hn::Lanes(d))
        hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + k), d,
                   reinterpret_cast<std::uint8_t*>(to) + k);
  }
#endif
  std::memcpy(to, from, n * sizeof(T));
}

/// For a plane that is lower than a square: runs this short are not worth a buffer.
template <class T>
void turn_low(const Plane<T>& p) {
  const T* in = p.in;
  T* out = p.out;
  const std::ptrdiff_t in_pitch = p.in_pitch, out_pitch = p.out_pitch;
  const std::size_t rows = p.rows, cols = p.cols;
  for (std::size_t c = 0; c < cols; ++c, ++in, out += out_pitch)
    for (std::size_t r = 0; r < rows; ++r) out[r] = in[static_cast<std::ptrdiff_t>(r) * in_pitch];
}

/// Turns a plane of at most `edge` rows, strip by strip. What is less than a square goes element by element.
template <class T>
void turn(const Plane<T>& p, bool streaming) {
  constexpr std::size_t n = side<T>;
  if (p.rows < n) return turn_low(p);
  alignas(line) T buffer[strip<T> * buffer_pitch<T>];
  const std::ptrdiff_t pitch = p.in_pitch;
  for (std::size_t c = 0; c < p.cols; c += strip<T>) {
    const std::size_t cols = std::min(strip<T>, p.cols - c);
    for (std::size_t r = 0; r < p.rows; r += n)
      for (std::size_t s = 0; s < cols; s += n) {
        const T* in = p.from(r, c + s);
        T* to = buffer + s * buffer_pitch<T> + r;
        if (r + n <= p.rows && s + n <= cols) {
          const std::size_t next = r + ahead * n;
          turn_square(in, pitch, next < p.rows ? p.from(next, c + s) : p.from(next - p.rows, c + s + strip<T>), to);
        } else {
          const std::size_t rows = std::min(n, p.rows - r), wide = std::min(n, cols - s);
          for (std::size_t j = 0; j < wide; ++j)
            for (std::size_t i = 0; i < rows; ++i)
              to[j * buffer_pitch<T> + i] = in[static_cast<std::ptrdiff_t>(i) * pitch + j];
        }
      }
    for (std::size_t j = 0; j < cols; ++j) write_run(buffer + j * buffer_pitch<T>, p.to(0, c + j), p.rows, streaming);
  }
  if (streaming) hwy::FlushStream();
}

void turn_1(const Plane<std::uint8_t>& p, bool streaming) { turn(p, streaming); }
void turn_2(const Plane<std::uint16_t>& p, bool streaming) { turn(p, streaming); }
void turn_4(const Plane<std::uint32_t>& p, bool streaming) { turn(p, streaming); }
void turn_8(const Plane<std::uint64_t>& p, bool streaming) { turn(p, streaming); }
void turn_16(const Plane<Word16>& p, bool streaming) { turn(p, streaming); }

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
    const std::size_t high = cpu::ceil_div(first.rows, edge), wide = cpu::ceil_div(first.cols, reach<T>);
    const bool streaming = bytes >= stream_from;
    const std::size_t block_elements = std::min(first.rows, edge) * std::min(first.cols, reach<T>);
    const std::size_t grain = std::max<std::size_t>(1, edge * reach<T> / block_elements);
    cpu::on_all_cores(cpu::places(axes) * high * wide, grain, [&](std::size_t begin, std::size_t end) {
      cpu::Walk walk(axes, begin / (high * wide));
      for (std::size_t block = begin; block < end; ++block) {
        const std::size_t r = block % high * edge, c = block / high % wide * reach<T>;
        Plane<T> part = first;
        part.in = first.from(r, c) + walk.in();
        part.out = first.to(r, c) + walk.out();
        part.rows = std::min(edge, first.rows - r);
        part.cols = std::min(reach<T>, first.cols - c);
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
