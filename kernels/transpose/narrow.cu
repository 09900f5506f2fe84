// narrow: matrices of few columns or few rows. A block takes whole rows (of a tall matrix) or whole columns (of a wide
// one): one side of it is then one run of memory, whatever the shape, and nothing of it is read or written in part.
// From vector: tiles of a fixed width, of which a matrix of 4 columns uses a sixteenth.
// Tall: the run is read, line by line as it lies, and each column is gathered out of it. Wide: each row's piece is
// read, and the run that is written is gathered out of the pieces. Divisions by the narrow extent happen once a thread:
// its lines lie a whole number of rows (columns) apart, so that its places in shared memory move by a constant.
// Lines that start anywhere: pieces are staged as they are aligned in the input, windows of the output begin at a
// 32-byte sector, and a halo of one sector at most is read twice, of some hundred lines.
// A line of padding between groups of rows whose distance is an even number of lines keeps banks apart; the four
// columns of a warp lie in different words where they can. Loads are ordinary ones, eight a thread under way, but
// for bytes of many or few odd columns (is_async):
// asynchronous copies reach 0.83 of a copy's speed with 2 columns and 0.89 with 4 where these reach 0.98 and 0.97 (4
// bytes, 256 MiB). Limits: 128 columns or 256 rows at most; batched too.
#include "stage.hpp"
#include "tiles.hpp"
#include "turn.hpp"

#include <algorithm>
#include <numeric>

namespace rung::transpose {
inline namespace RUNG_ABI {

struct Strip {
  std::size_t batch, rows, cols;
  unsigned length;    ///< rows of a tall matrix, or columns of a wide one, that a block moves
  unsigned edge;      ///< bytes that its part of the output is aligned to; 0 where that takes no shift
  unsigned halo;      ///< how many more it reads before those
  unsigned inverse;   ///< 2^32 / narrow extent, rounded up
  unsigned distance;  ///< tall: lines of padding after `cols` lines; wide: lines from a row to the next
  Turn turn;          ///< tall: see best_turn
  unsigned active;    ///< wide: threads that gather
  unsigned lines;     ///< wide: lines that a row's piece touches at most
  unsigned per_line;  ///< 2^32 / lines, rounded up
};

template <class T, bool async>
__global__ void __launch_bounds__(512) tall(const T* in, T* out, const __grid_constant__ Strip p) {
  follow_previous_kernel();
  constexpr unsigned size = sizeof(T), line = per_line<T>, per_word = size < 4 ? 4 / size : 1;
  auto* smem = shared_array<Vector16>();
  const std::size_t index = folded_y();
  if (index >= p.batch) return;
  const auto matrix = static_cast<std::ptrdiff_t>(index * p.rows * p.cols);
  const auto start = static_cast<std::ptrdiff_t>(std::size_t{blockIdx.x} * p.length);
  const auto width = static_cast<unsigned>(p.cols);
  const auto padded = [&](unsigned j) { return j + p.distance * __umulhi(j, p.inverse); };

  const std::ptrdiff_t first = matrix + (start - p.halo) * static_cast<std::ptrdiff_t>(p.cols);
  const unsigned past = past_line(in, first), lines = (past + (p.length + p.halo) * width + line - 1) / line;
  const std::ptrdiff_t origin = first - static_cast<std::ptrdiff_t>(past);
  const std::size_t n = p.batch * p.rows * p.cols;
  const bool whole = origin >= 0 && origin + std::ptrdiff_t{lines} * line <= static_cast<std::ptrdiff_t>(n);
  const auto line_at = [&](unsigned j) { return origin + static_cast<std::ptrdiff_t>(j * line); };
  const auto place_of = [&](unsigned j) { return smem + padded(j); };
  if constexpr (async)
    stage_async(in, n, lines, whole, line_at, place_of);
  else
    stage(in, n, lines, whole, line_at, place_of);
  __syncthreads();

  // Eight lanes take 128 bytes of a column, four columns a warp, as many times over as the block has room for.
  const unsigned v = threadIdx.x % 8, group = threadIdx.x / 8, groups = blockDim.x / 8;
  const unsigned times = width < groups ? groups / width : 1;
  if (group >= times * width) return;
  const unsigned turn = group % 4 * p.turn.turn % (size == 8 ? 2 : 4), step = 8 * (width + p.distance) * 16;
  for (unsigned g = group % width; g < width; g += groups) {
    const unsigned unit = 4 * p.turn.apart, c = g / unit * unit + g % 4 * p.turn.apart + g % unit / 4;
    T* row = out + matrix + c * p.rows;
    const auto shift =
        static_cast<unsigned>(p.edge ? reinterpret_cast<std::uintptr_t>(row + start) % p.edge / size : 0);
    unsigned at[line];
#pragma unroll
    for (unsigned k = 0; k < line; ++k) {
      const unsigned kk = (k + turn * per_word) % line;
      const unsigned i = past + (p.halo - shift + v * line + kk) * width + c;
      at[k] = padded(i / line) * 16 + i % line * size;
    }
    for (unsigned u = group / width; u < p.length / line / 8; u += times)
      store_line(row, p.rows, start - static_cast<std::ptrdiff_t>(shift) + (v + 8 * u) * line,
                 turned(assemble<T>(smem, at, u * step), size == 8 ? 2 * turn : turn));
    if (width <= groups) break;
  }
}

template <class T>
__global__ void __launch_bounds__(512) wide(const T* in, T* out, const __grid_constant__ Strip p) {
  follow_previous_kernel();
  constexpr unsigned size = sizeof(T), line = per_line<T>, pad = line > 1;
  auto* smem = shared_array<Vector16>();
  const std::size_t index = folded_y();
  if (index >= p.batch) return;
  const std::size_t matrix = index * p.rows * p.cols, start = std::size_t{blockIdx.x} * p.length;
  const auto height = static_cast<unsigned>(p.rows);
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(matrix + start) - p.halo;

  const std::size_t n = p.batch * p.rows * p.cols;
  const bool whole =
      left >= static_cast<std::ptrdiff_t>(line) &&
      left + static_cast<std::ptrdiff_t>((height - 1) * p.cols + p.lines * line) <= static_cast<std::ptrdiff_t>(n);
  stage(
      in, n, height * p.lines, whole,
      [&](unsigned j) {
        const unsigned r = __umulhi(j, p.per_line);
        const std::ptrdiff_t first = left + static_cast<std::ptrdiff_t>(r * p.cols);
        return first + static_cast<std::ptrdiff_t>((j - r * p.lines) * line) - past_line(in, first);
      },
      [&](unsigned j) {
        const unsigned r = __umulhi(j, p.per_line);
        return smem + r * p.distance + r / line * pad + j - r * p.lines;
      });
  __syncthreads();

  if (threadIdx.x >= p.active) return;
  const auto shift = static_cast<unsigned>(p.edge ? reinterpret_cast<std::uintptr_t>(out + matrix) % p.edge / size : 0);
  const unsigned past = past_line(in, left), skew = static_cast<unsigned>(p.cols);
  const unsigned i = p.halo * height - shift + threadIdx.x * line;
  unsigned at[line], c = __umulhi(i, p.inverse), r = i - c * height;
#pragma unroll
  for (unsigned k = 0; k < line; ++k) {
    at[k] = (r * p.distance + r / line * pad) * 16 + ((past + r * skew) % line + c) * size;
    if (++r == height) {
      r = 0;
      ++c;
    }
  }
  const unsigned step = p.active * line / height * size;
  const auto begin = static_cast<std::ptrdiff_t>(start * p.rows) - static_cast<std::ptrdiff_t>(shift);
  for (unsigned l = threadIdx.x, moved = 0; l < p.length * height / line; l += p.active, moved += step)
    store_line(out + matrix, p.rows * p.cols, begin + l * line, assemble<T>(smem, at, moved));
}

struct Narrow {
  static constexpr KernelInfo info{
      .family = Family::transpose,
      .name = "narrow",
      .order = 9,
      .summary = "few columns or rows: runs of whole rows staged as they lie, then gathered",
      .teaches = "one side of a narrow matrix is one run of memory"};
  static constexpr std::size_t most_columns = 128, most_rows = 256;

  static bool is_tall(const Transpose2D& t) { return t.cols <= t.rows; }
  /// Bytes gather with many registers, and loads take more. Of more than 32 columns, and of a few where their number is
  /// odd, copies past the registers are ahead: 0.86 for 0.74 (37 columns), 0.92 for 0.84 (9). Elsewhere loads are, in
  /// small blocks, of which a multiprocessor holds more: 0.96 for 0.88 (4 columns).
  template <class T>
  static bool is_async(const Transpose2D& t) {
    return sizeof(T) == 1 && is_tall(t) && (t.cols > 32 || (t.cols % 2 != 0 && t.cols < 16));
  }
  /// Of 33 to 55 columns the groups of eight lanes in 384 threads leave few idle: 0.905 for 0.875 (4 bytes, 39
  /// columns), 0.885 for 0.835 (2 bytes, 40). Of more than 128 rows a piece of so many columns takes up to 72 KiB of
  /// shared memory, which not all GPUs have.
  template <class T>
  static unsigned threads(const Transpose2D& t, const DeviceProperties& device) {
    if (!is_tall(t)) return t.rows > 128 && device.shared_per_block >= 72 << 10 ? 512 : 256;
    if (sizeof(T) == 1) return is_async<T>(t) ? 256 : 128;
    return t.cols > 32 && t.cols < 56 ? 384 : 256;
  }
  /// Rows or columns of a block: five to eight loads a thread, in whole steps of 128 bytes. Of 16 to 55 columns five,
  /// to the nearest step: 0.905 for 0.90 (8 bytes, 24 columns), 0.92 for 0.915 (16 bytes, 17).
  template <class T>
  static std::size_t length(const Transpose2D& t, const DeviceProperties& device) {
    const std::size_t narrow = std::min(t.rows, t.cols), step = narrow * 128, block = threads<T>(t, device);
    const bool five = sizeof(T) > 1 && is_tall(t) && narrow >= 16 && narrow < 56;
    const std::size_t each = block == 256 && narrow < 64 ? 96 : 128;
    const std::size_t steps = five ? (80 * block + step / 2) / step : each * block / step;
    return std::max<std::size_t>(steps, 1) * (128 / sizeof(T));
  }
  /// What parts of the output are aligned to: lines of the L2 cache, where a halo of one is little beside the part.
  template <class T>
  static std::size_t edge(const Transpose2D& t, const DeviceProperties& device) {
    return length<T>(t, device) * sizeof(T) < 1024 ? 32 : 128;
  }
  /// Elements from one run of the output to the next: columns of a tall matrix, wide matrices.
  static std::size_t apart_of(const Transpose2D& t) { return is_tall(t) ? t.rows : t.batch > 1 ? t.rows * t.cols : 0; }
  template <class T>
  static std::size_t blocks(const Transpose2D& t, const DeviceProperties& device, bool shifted) {
    const std::size_t ahead = shifted ? edge<T>(t, device) / sizeof(T) - 1 : 0, n = length<T>(t, device);
    return is_tall(t) ? ceil_div(t.rows + ahead, n) : ceil_div(t.cols + ceil_div(ahead, t.rows), n);
  }
  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    if (!p.transpose) return refuse("permutes more than two axes: window and strided do");
    const std::size_t narrow = std::min(p.transpose->rows, p.transpose->cols);
    if (is_tall(*p.transpose) ? narrow > most_columns : narrow > most_rows)
      return refuse("more than 128 columns, or 256 rows");
    if (narrow == 1) return refuse("one row or column is a copy: vector does");
    if (launch.grid != 0) return refuse("--grid: the grid follows from the shape of the matrix");
    if (launch.block != 0) return refuse("--block: the threads follow from the shape of the matrix");
    if (launch.items != 0) return refuse("--items: what a thread moves follows from the shape of the matrix");
    if (p.input_elements() == 0) return plan_grid(1, 1, 256);
    return visit_size(size_of(p.dtype), [&]<class T>() {
      const Transpose2D& t = *p.transpose;
      const bool shifted = apart_of(t) % (edge<T>(t, device) / sizeof(T)) != 0;
      return plan_grid_of(blocks<T>(t, device, true), blocks<T>(t, device, shifted), t.batch, threads<T>(t, device));
    });
  }

  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties& device,
                  Stream stream) {
    const Transpose2D& t = *p.transpose;
    if (p.input_elements() == 0) return;
    const std::size_t narrow = std::min(t.rows, t.cols), n = length<T>(t, device),
                      unit = edge<T>(t, device) / sizeof(T);
    const bool shifted = reinterpret_cast<std::uintptr_t>(out) % (unit * sizeof(T)) != 0 || apart_of(t) % unit != 0;
    Strip s{t.batch, t.rows, t.cols, static_cast<unsigned>(n), 0, 0, 0, 0, {}, 0, 0, 0};
    if (shifted) {
      s.edge = static_cast<unsigned>(unit * sizeof(T));
      s.halo = static_cast<unsigned>(unit - 1);
    }
    s.inverse = static_cast<unsigned>((std::uint64_t{1} << 32) / narrow + 1);
    const dim3 grid = fold(blocks<T>(t, device, shifted), t.batch);
    std::size_t lines = 0;
    if (is_tall(t)) {
      s.distance = narrow % 2 == 0;
      if (shifted) s.turn = best_turn<T>(t.cols, t.rows);
      lines = ceil_div((n + s.halo) * narrow + per_line<T> - 1, per_line<T>);
      lines += s.distance * (lines / narrow);
      const LaunchShape shape{grid, dim3(threads<T>(t, device)), lines * 16};
      if constexpr (sizeof(T) == 1)
        if (is_async<T>(t)) {
          launch_overlapping(tall<T, true>, shape, stream, in, out, s);
          return;
        }
      launch_overlapping(tall<T, false>, shape, stream, in, out, s);
    } else {
      s.halo = static_cast<unsigned>(ceil_div(s.halo, narrow));
      s.lines = static_cast<unsigned>(ceil_div(n + s.halo + per_line<T> - 1, per_line<T>));
      s.per_line = static_cast<unsigned>((std::uint64_t{1} << 32) / s.lines + 1);
      s.distance = s.lines | 1;
      const std::size_t repeat = narrow / std::gcd(narrow, std::size_t{per_line<T>});
      s.active = static_cast<unsigned>(threads<T>(t, device) / repeat * repeat);
      lines = narrow * s.distance + narrow / per_line<T>;
      launch_overlapping(wide<T>, {grid, dim3(threads<T>(t, device)), lines * 16}, stream, in, out, s);
    }
  }
};
[[maybe_unused]] const bool narrow_registered = add_mover<Narrow>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
