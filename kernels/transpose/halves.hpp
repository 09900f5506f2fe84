// The tile of the window rung for small elements in rows or columns that start anywhere: one cell holds the elements of
// a row that lie half a tile apart. What is half a tile to the right starts at the same place of its sector, so that
// the two columns' windows are the same rows, and the halo is staged once; cells of two rows need it twice.
#pragma once
#include "window.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

/// lanes: lines of an input row that a tile takes; rows: those it writes, the halo comes on top; resident: blocks of a
/// multiprocessor.
template <class T, unsigned lanes_, unsigned rows_, unsigned threads_, unsigned resident_>
struct Halves {
  static constexpr unsigned size = sizeof(T), line = per_line<T>, lanes = lanes_, width = lanes * line;
  static constexpr unsigned half = width / 2, edge = 32, rows = rows_, halo = edge / size, all = rows + halo;
  static constexpr unsigned threads = threads_, resident = resident_, cell = 2 * size;
  static constexpr bool shifted = true, spill = true;
  static constexpr unsigned kept = 20;      ///< see across_first()
  static constexpr bool takes_rest = true;  ///< see Planes::rest
  /// Eight lanes store 128 bytes of an output row; of the four columns that a warp has, no two lie in one word.
  static constexpr unsigned step = threads / 8, apart = 4 / cell, abreast = rows / (8 * line);
  /// A line of padding for each `line` rows: the eight lines of an output row come from eight groups of banks.
  static constexpr unsigned smem_lines = all * lanes + ceil_div(all, line);
  static constexpr std::size_t smem_bytes = smem_lines * sizeof(Vector16);
  static constexpr unsigned per_pass = 2 * threads / lanes, passes = ceil_div(all, per_pass);
  static_assert(size <= 2 && lanes % 8 == 0 && half * size % edge == 0 && rows % (8 * line) == 0 && all % line == 0);
  static_assert(per_pass % line == 0 && half % step == 0 && step * size % edge == 0);
  static_assert((step + line - 2) * cell + 32 < 256);  // see HalvesGather

  static __host__ __device__ constexpr unsigned slot(unsigned r) { return r * lanes + r / line; }
};

/// Which lines of a tile's rows are loaded without a look at each: none; those of rows of the plane; all.
enum class Inside { none, rows, all };

/// The rows of a tile to shared memory: line l of the cells of row r, the tile's first being one of the halo, goes to
/// slot(r) + l, in odd rows to slot(r) + (l ^ 1), as those of an even and an odd row are stored together.
template <class T, class W, Inside inside>
__device__ inline void load_halves(Vector16* smem, const T* in, const Planes& p, const Tile& tile) {
  const unsigned t = threadIdx.x, q = t % 4 + t / 8 % (W::lanes / 8) * 4, r0 = t / 4 % 2 + t / W::lanes * 2;
  const std::ptrdiff_t first = tile.start - static_cast<std::ptrdiff_t>(W::halo) + r0;
  const std::ptrdiff_t own = tile.from + first * p.row_stride;
  const unsigned past = past_line(in, own), end = tile.cols + past;
  if (q * W::line >= end) return;
  const bool both = q * W::line + W::half < end;
  const auto across = static_cast<std::ptrdiff_t>(q * W::line) - static_cast<std::ptrdiff_t>(past);
  Vector16* const cells_at = smem + W::slot(r0) + ((2 * q) ^ (r0 % 2));
  Vector16* const others_at = smem + W::slot(r0) + ((2 * q + 1) ^ (r0 % 2));
  Vector16 v[W::passes][2];
#pragma unroll
  for (unsigned i = 0; i < W::passes; ++i) {
    const unsigned below = i * W::per_pass;
    v[i][0] = v[i][1] = Vector16{};
    if (below + W::per_pass > W::all && r0 + below >= W::all) continue;
    if (below < W::halo && r0 + below < W::halo && p.ahead == 0) continue;
    if constexpr (inside == Inside::none) {
      v[i][0] = bounded<W>(in, p, first + below, tile.from + across);
      if (both) v[i][1] = bounded<W>(in, p, first + below, tile.from + across + W::half);
    } else {
      if (inside == Inside::rows && static_cast<std::size_t>(first + below) >= p.rows) continue;
      const auto* line = reinterpret_cast<const Vector16*>(in + own + across + below * p.row_stride);
      v[i][0] = load_wide<128>(line);
      if (both) v[i][1] = load_wide<128>(line + W::lanes / 2);
    }
  }
#pragma unroll
  for (unsigned i = 0; i < W::passes; ++i) {
    const unsigned below = i * W::per_pass;
    if (below + W::per_pass > W::all && r0 + below >= W::all) continue;
    Vector16 cells[2];
    pack_lines<T, 2>(cells, v[i]);
    cells_at[W::slot(below)] = cells[0];
    others_at[W::slot(below)] = cells[1];
  }
}

/// Has the tile's rows brought to L2, while the kernel before this one comes to its end.
template <class T, class W>
__device__ inline void ask_ahead(const T* in, const Planes& p, const Tile& tile) {
  constexpr unsigned bytes = 128, lines = W::width * W::size / bytes + 1;
  for (unsigned i = threadIdx.x; i < (W::rows + p.ahead) * lines; i += W::threads) {
    const std::ptrdiff_t r = tile.start - static_cast<std::ptrdiff_t>(p.ahead) + i / lines;
    if (static_cast<std::size_t>(r) >= p.rows) continue;
    const T* const first = in + tile.from + p.row(r);
    const T* const line = first - misalignment<bytes>(first) / W::size + i % lines * (bytes / W::size);
    if (line < first + tile.cols) prefetch(line);
  }
}

/// Whether the lines that load_halves() reads of rows of the plane lie inside the array.
template <class T, class W>
__device__ inline bool rows_inside(const Planes& p, const Tile& tile) {
  // A row's first line may begin before it, and its last one ends behind it.
  return p.fold == 0 && tile.from >= static_cast<std::ptrdiff_t>(W::line) &&
         tile.from + static_cast<std::ptrdiff_t>((p.rows - 1) * static_cast<std::size_t>(p.row_stride) + tile.cols +
                                                 W::line) <=
             static_cast<std::ptrdiff_t>(p.n);
}

/// Where in the tile a thread finds the cells of an output line: cell k is that of row r + (k ^ turn · apart). Works
/// them out for four rows at a time, a byte each, none of which overflows.
template <class W>
class HalvesGather {
 public:
  /// c0: the line's column; past: elements from the start of its line to the tile's column 0 in row r, and `skew` more
  /// in each row below.
  __device__ HalvesGather(unsigned r, unsigned c0, unsigned past, unsigned skew, unsigned turn) {
    constexpr unsigned each = 0x01010101, odd = 16 * each;
    const unsigned turned = turn * W::apart;
    for (unsigned w = 0; w < W::line / 4; ++w) {
      const unsigned k = (0x03020100 + w * 4 * each) ^ (turned * each), row = r % W::line * each + k;
      column_[w] = c0 * each + ((past * each + k * (skew % W::line)) & (W::line - 1) * each);
      // Odd rows' lines change places; behind the next multiple of `line` rows lies one of padding.
      place_[w] = ((column_[w] * W::cell) ^ ((row & each) * 16)) + (row * (16 / W::line) & odd);
    }
    for (unsigned w = 0; w < 4; ++w) row_[w] = (r + ((w * W::apart) ^ turned)) * W::lanes * 16 + r / W::line * 16;
  }
  /// Where cell k of the line is, in bytes from the tile's start.
  __device__ unsigned operator()(unsigned k) const {
    return add_byte(place_[k / 4], k % 4, row_[k / W::apart % 4]) +
           (k % W::apart + k / (4 * W::apart) * 4 * W::apart) * W::lanes * 16;
  }
  /// Its column in the row as it was loaded, which may lie behind the tile's half: then its element is a cell's second.
  __device__ unsigned column(unsigned k) const { return column_[k / 4] >> k % 4 * 8 & 0xff; }

 private:
  unsigned column_[W::line / 4], place_[W::line / 4], row_[4];
};

/// Stores the rows that the windows of a plane's last tile leave, as they were moved: fewer than the halo has, and
/// staged with the tile.
template <class T, class W>
__device__ inline void store_rest(const Vector16* smem, const T* in, T* out, const Planes& p, const Tile& tile) {
  constexpr unsigned lines = W::halo / W::line;
  for (unsigned i = threadIdx.x; i < tile.cols * lines; i += W::threads) {
    const unsigned c = i / lines, v = i % lines;
    T* const column = out + tile.to + static_cast<std::ptrdiff_t>(tile.left + c) * p.col_stride;
    const unsigned shift = misalignment<W::edge>(column + tile.start) / W::size;
    const unsigned r = W::all - shift + v * W::line;
    const std::ptrdiff_t first = tile.start + W::rows + v * W::line - static_cast<std::ptrdiff_t>(shift);
    if (first >= static_cast<std::ptrdiff_t>(p.rows)) continue;
    const unsigned past = past_line(in, tile.from + first * p.row_stride), skew = static_cast<unsigned>(p.row_stride);
    unsigned at[W::line];
#pragma unroll
    for (unsigned k = 0; k < W::line; ++k) {
      // Rows behind the tile's lie behind the plane's, and are not stored.
      const unsigned below = std::min(k, W::all - 1 - r), row = r + below, m = c + (past + below * skew) % W::line;
      at[k] = W::slot(row) * 16 + ((m % W::half * W::cell) ^ (row % 2 * 16)) + m / W::half * W::size;
    }
    store_line<true>(column, p.rows, first, assemble<T>(smem, at, 0));
  }
}

template <class T, class W>
__global__ void __launch_bounds__(W::threads, W::resident)
    halves(const T* in, T* out, const __grid_constant__ Planes p) {
  auto* smem = shared_array<Vector16>();
  allow_next_kernel();
  Tile tile;
  if (!find_tile<W>(p, tile)) return;
  if (folded_y() * gridDim.x + blockIdx.x < p.early) ask_ahead<T, W>(in, p, tile);
  wait_for_previous_kernel();
  const bool whole = tile.down - p.even_from < p.even || inside<T, W>(p, tile.from, tile.cols, tile.start);
  if (whole)
    load_halves<T, W, Inside::all>(smem, in, p, tile);
  else if (rows_inside<T, W>(p, tile))
    load_halves<T, W, Inside::rows>(smem, in, p, tile);
  else
    load_halves<T, W, Inside::none>(smem, in, p, tile);
  const unsigned v = threadIdx.x % 8, group = threadIdx.x / 8, j = group % 4, unit = 4 * W::apart;
  const unsigned c0 = group / unit * unit + j * W::apart + group % unit / 4;
  // In an odd plane the windows of the four columns may bring them to one word of their lines: then they begin at
  // different rows.
  const unsigned turn = p.turn == 0 ? 0 : p.turn == 1 ? j : j / 2;
  T* const row = out + tile.to + static_cast<std::ptrdiff_t>(tile.left + c0) * p.col_stride;
  const unsigned shift = misalignment<W::edge>(row + tile.start) / W::size, r = W::halo - shift + v * W::line;
  const std::ptrdiff_t first = tile.start - static_cast<std::ptrdiff_t>(shift) + v * W::line;
  const unsigned past = past_line(in, tile.from + first * p.row_stride);
  const HalvesGather<W> gather(r, c0, past, static_cast<unsigned>(p.row_stride), turn);
  __syncthreads();
  if (p.rest && (std::size_t{tile.down} + 1) * W::rows >= p.rows) store_rest<T, W>(smem, in, out, p, tile);
  unsigned at[W::line];
#pragma unroll
  for (unsigned k = 0; k < W::line; ++k) at[k] = gather(k);
  // Columns from here on have no other half; where rows start anywhere, their cells may lie behind the tile's half.
  const unsigned pairs = p.each - W::half;
#pragma unroll
  for (unsigned c = 0; c < W::half; c += W::step) {
    if (c0 + c >= tile.cols) break;
    T* const column = row + static_cast<std::ptrdiff_t>(c) * p.col_stride;
    const bool alone = c + W::step > W::half - W::line && c0 + c >= pairs;
#pragma unroll
    for (unsigned u = 0; u < W::abreast; ++u) {
      const char* const cells = reinterpret_cast<const char*>(smem) + c * W::cell + u * W::slot(8 * W::line) * 16;
      Cell<W::cell> cell[W::line];
      if (alone) {
#pragma unroll
        for (unsigned k = 0; k < W::line; ++k) {
          const unsigned back = gather.column(k) + c < W::half ? 0 : W::half * W::cell - W::size;
          cell[k] = *reinterpret_cast<const T*>(cells + at[k] - back);
        }
      } else {
#pragma unroll
        for (unsigned k = 0; k < W::line; ++k) cell[k] = *reinterpret_cast<const Cell<W::cell>*>(cells + at[k]);
      }
      Vector16 lines[2];
      unpack_lines<T, 2>(lines, cell, turn);
      const std::ptrdiff_t r = first + u * 8 * W::line;
#pragma unroll
      for (unsigned f = 0; f < 2; ++f) {
        if (f == 1 && (alone || c0 + c + W::half >= tile.cols)) continue;
        T* const to = column + static_cast<std::ptrdiff_t>(f * W::half) * p.col_stride;
        if (whole)
          store_cached(reinterpret_cast<Vector16*>(to + r), lines[f]);
        else
          store_line<true>(to, p.rows, r, lines[f]);
      }
    }
  }
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
