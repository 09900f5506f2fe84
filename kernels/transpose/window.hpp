// The tile of the window rung, and its launch, for any shape of tile.
#pragma once
#include "cells.hpp"
#include "stage.hpp"
#include "tiles.hpp"

#include <algorithm>

namespace rung::transpose {
inline namespace RUNG_ABI {

/// Planes to transpose, by value: in[r, c] at r · row_stride + c, out[c, r] at c · col_stride + r, elements. The axes
/// around them number the planes. Rows may be two axes of the output in one: then row r starts at
/// r % fold · row_stride + r / fold · fold_stride.
struct Planes {
  static constexpr unsigned max_axes = 14;
  std::size_t n = 0;  ///< elements in the whole array
  std::size_t rows = 0, cols = 0;
  std::ptrdiff_t row_stride = 0, col_stride = 0;
  unsigned fold = 0;  ///< 0: one axis
  std::ptrdiff_t fold_stride = 0;
  std::size_t planes = 1;
  std::size_t across = 0;  ///< tiles side by side in a plane
  std::size_t bands = 1;   ///< what the tiles down are divided into: those of a band run before the next one's
  unsigned each = 0;       ///< columns that a tile takes
  unsigned ahead = 0;      ///< rows before its own that a tile reads: the halo, or none where no window is moved
  /// Whether the last tile down also stores the rows that its windows leave, which take no tile of their own then: 0.61
  /// for 0.51 of a copy's speed (250 rows of bytes), 0.89 for 0.81 (2 bytes). Not of more than eight tiles, to which it
  /// matters less than that multiples of 64 of them meet in DRAM (0.89 for 0.905, 8191 rows); and so never in bands.
  bool rest = false;
  unsigned even_from = 0;  ///< the first tile down of those whose lines, of full width, are the array's, at one stride
  unsigned even = 0;       ///< how many they are
  unsigned early = 0;      ///< blocks that ask for their rows before the kernel ahead has ended: those resident at once
  unsigned turn = 0;       ///< row_stride · col_stride modulo 4, where both are odd; else 0
  unsigned axes = 0;
  std::size_t extent[max_axes]{};
  std::ptrdiff_t in_stride[max_axes]{}, out_stride[max_axes]{};

  __device__ std::ptrdiff_t row(std::ptrdiff_t r) const {
    if (fold == 0) return r * row_stride;
    const auto u = static_cast<unsigned>(r), outer = u / fold;
    return static_cast<std::ptrdiff_t>(u - outer * fold) * row_stride +
           static_cast<std::ptrdiff_t>(outer) * fold_stride;
  }
};

/// pack: rows in a cell (see cells.hpp), `strip` apart; lanes: lines of an input row that a tile takes; edge: bytes
/// that windows of the output are aligned to where rows start anywhere, 0 where all of them start at whole lines;
/// around: bytes that a load brings to L2.
template <class T, unsigned pack_, unsigned lanes_, unsigned strip_, unsigned edge_, unsigned threads_,
          unsigned around_ = edge_ == 0 ? 256 : 128>
struct Window {
  static constexpr unsigned size = sizeof(T), line = per_line<T>, pack = pack_, lanes = lanes_, strip = strip_;
  static constexpr unsigned edge = edge_, threads = threads_, around = around_, cell = pack * size;
  static constexpr unsigned kept = edge > 0 || size == 16 ? 30 : 20;  ///< see across_first()
  static constexpr bool takes_rest = false;                           ///< see Planes::rest
  /// A row that starts within a line spills into one more than its elements fill.
  static constexpr bool shifted = edge > 0, spill = shifted && line > 1;
  static constexpr unsigned width = lanes * line, rows = strip * pack, halo = edge / size;
  /// Eight lanes store 128 bytes of an output row. Of the four columns that a warp has, no two lie in one word.
  static constexpr unsigned abreast = strip / line / 8, step = threads / 8, apart = cell < 4 ? 4 / cell : 1;
  /// Lines from one row of cells to the next, odd, and a line of padding for each `line` rows: lines of the output
  /// side by side then come from eight groups of banks. Of bytes, whose tile is the largest, an exclusive or does that
  /// without padding: two blocks then leave L1 another 32 KiB.
  static constexpr bool swizzled = shifted && size == 1 && step * cell % 128 == 0 && lanes * pack % 8 == 0;
  static constexpr unsigned pitch = swizzled ? lanes * pack : (lanes * pack) | 1, pad = !swizzled && line > 1;
  static constexpr unsigned smem_lines = (strip + halo) * pitch + (strip + halo) / line * pad;
  static constexpr std::size_t smem_bytes = smem_lines * sizeof(Vector16);
  static constexpr unsigned per_pass = threads / lanes, passes = strip / per_pass;
  /// Passes whose loads are under way together.
  static constexpr unsigned batch = std::min(passes, 8 / pack);
  /// Of 4 bytes where rows start anywhere, three blocks are faster than five: less shared memory, more L1 (0.935 for
  /// 0.926).
  static constexpr unsigned registers = size <= 2 ? 64 : size == 4 && shifted ? 80 : 48;
  static constexpr unsigned resident =
      std::min({65536 / registers / threads, 227u * 1024 / (smem_lines * 16 + 1024), multiprocessor_threads / threads});
  static_assert(!swizzled || (per_pass == 2 * line && pitch % 8 == 0 && cell == 2 && line == 16));  // see Gather
  static_assert(per_pass % line == 0 && strip % per_pass == 0 && strip % (8 * line) == 0 && passes % batch == 0);
  static_assert(halo % line == 0 && halo <= strip && step % (4 * apart) == 0 && step * size % std::max(edge, 1u) == 0);

  static __host__ __device__ constexpr unsigned slot(unsigned r) { return r * pitch + r / line * pad; }
  /// What the places of a row's lines are exchanged by: another one for each `line` rows, for the gather, and for odd
  /// rows, whose lines are stored together with those of the even row above.
  static __device__ constexpr unsigned swap(unsigned r) { return swizzled ? ((r / line) ^ (r % 2)) % 8 : 0; }
  /// Where line l of the row r of cells is.
  static __device__ constexpr unsigned place(unsigned r, unsigned l) { return slot(r) + (l ^ swap(r)); }
  /// Where in bytes line l + f of the row r + below is, from where line l of the row r is: one instruction. For
  /// r < per_pass, l a multiple of `pack`, f < pack, and whole passes below where it is swizzled, else multiples of
  /// `line`, which may be negative ones modulo 2^32.
  static __device__ constexpr unsigned beside(unsigned bytes, unsigned below, unsigned f) {
    if (swizzled) return (bytes ^ (f ^ below / line % 8) * 16) + below * pitch * 16;
    return bytes + (slot(below) + f) * 16;
  }
};

/// Which lines of a tile's rows lie inside the array: some of them; all; all, and the rows at one stride.
enum class Rows { some, all, even };

/// The line of `row` that lies `column` elements from its start; zeros where no such row is, or outside of the array.
template <class W, class T>
__device__ inline Vector16 bounded(const T* in, const Planes& p, std::ptrdiff_t row, std::ptrdiff_t column) {
  return static_cast<std::size_t>(row) < p.rows ? bounded_line(in, p.n, column + p.row(row)) : Vector16{};
}

/// A line inside the array. What the tiles beside will want is brought to L2 on the way.
template <class W, class T>
__device__ inline Vector16 inner(const T* at) {
  return load_wide<W::around>(reinterpret_cast<const Vector16*>(at));
}

/// The rows of a tile of `cols` columns to shared memory, cells of row `start` from slot(halo) on. `from`: where the
/// tile's column 0 is in row 0.
template <class T, class W, Rows rows>
__device__ inline void load_tile(Vector16* smem, const T* in, const Planes& p, std::ptrdiff_t from, unsigned cols,
                                 std::ptrdiff_t start) {
  // Of the eight lanes whose shared stores go together, so many have neighbouring lines that each meets other banks.
  constexpr unsigned near = 8 / W::pack, below = W::pack;
  const unsigned t = threadIdx.x, q = t % near + t / 8 % (W::lanes / near) * near;
  const unsigned r0 = t / near % below + t / 8 / (W::lanes / near) * below;
  const std::ptrdiff_t own = from + (rows == Rows::even || W::spill ? (start + r0) * p.row_stride : 0);
  const unsigned past = W::spill ? past_line(in, own) : 0;
  if (q * W::line >= cols + past) return;
  const auto across = static_cast<std::ptrdiff_t>(q * W::line) - static_cast<std::ptrdiff_t>(past);
  char* const cells_at = reinterpret_cast<char*>(smem);
  const unsigned bytes = W::place(r0, q * W::pack) * 16;
#pragma unroll
  for (unsigned i0 = 0; i0 < W::passes; i0 += W::batch) {
    // Line 0 is that of the row one strip above, for the cells of the halo.
    Vector16 v[W::batch][W::pack + 1];
#pragma unroll
    for (unsigned i = 0; i < W::batch; ++i) {
      const unsigned r = r0 + (i0 + i) * W::per_pass;
#pragma unroll
      for (unsigned f = 0; f <= W::pack; ++f) {
        const bool in_halo = W::shifted && (i0 + i + 1) * W::per_pass > W::strip - W::halo && r >= W::strip - W::halo;
        if (f == 0 && (!in_halo || p.ahead == 0)) continue;
        const auto down =
            static_cast<std::ptrdiff_t>((i0 + i) * W::per_pass + f * W::strip) - static_cast<std::ptrdiff_t>(W::strip);
        if constexpr (rows == Rows::even)
          v[i][f] = inner<W>(in + own + across + down * p.row_stride);
        else if constexpr (rows == Rows::all)
          v[i][f] = inner<W>(in + from + across + p.row(start + r0 + down));
        else
          v[i][f] = bounded<W>(in, p, start + r0 + down, from + across);
      }
    }
#pragma unroll
    for (unsigned i = 0; i < W::batch; ++i) {
      const unsigned pass = (i0 + i) * W::per_pass, r = r0 + pass;
      Vector16 cells[W::pack];
      pack_lines<T, W::pack>(cells, v[i] + 1);
#pragma unroll
      for (unsigned f = 0; f < W::pack; ++f)
        *reinterpret_cast<Vector16*>(cells_at + W::beside(bytes, W::halo + pass, f)) = cells[f];
      if (!W::shifted || pass + W::per_pass <= W::strip - W::halo || r < W::strip - W::halo || p.ahead == 0) continue;
      pack_lines<T, W::pack>(cells, v[i]);
#pragma unroll
      for (unsigned f = 0; f < W::pack; ++f)
        *reinterpret_cast<Vector16*>(cells_at + W::beside(bytes, W::halo + pass - W::strip, f)) = cells[f];
    }
  }
}

/// Whether every line that load_tile() reads lies inside the array, and every row inside the plane.
template <class T, class W>
__device__ inline bool inside(const Planes& p, std::ptrdiff_t from, unsigned cols, std::ptrdiff_t start) {
  const std::ptrdiff_t top = start - static_cast<std::ptrdiff_t>(p.ahead), bottom = start + W::rows;
  if (top < 0 || bottom > static_cast<std::ptrdiff_t>(p.rows)) return false;
  if (!W::spill) return cols % W::line == 0;
  if (p.fold) return false;
  // A row's first line may begin before it, and its last one ends behind it.
  return from + top * p.row_stride >= static_cast<std::ptrdiff_t>(W::line) &&
         from + (bottom - 1) * p.row_stride + static_cast<std::ptrdiff_t>(cols + W::line) <=
             static_cast<std::ptrdiff_t>(p.n);
}

/// Where in the tile a thread finds the cells of an output line: cell k is that of row r + (k ^ turn · apart).
template <class W>
class Gather {
 public:
  /// c0: the line's column; past: elements from the start of its line to the tile's column 0 in row r, and `skew` more
  /// in each row below.
  __device__ Gather(unsigned r, unsigned c0, unsigned past, unsigned skew, unsigned turn)
      : r_(r), c0_(c0), past_(past), skew_(skew), turn_(turn * W::apart) {
    if constexpr (W::swizzled) {
      // Four rows at a time, a byte each, none of which overflows: 40 instructions for 200.
      constexpr unsigned each = 0x01010101;
      for (unsigned w = 0; w < 4; ++w) {
        const unsigned k = (0x03020100 + w * 4 * each) ^ (turn_ * each), row = r * each + k;
        const unsigned c = c0 * each + ((past % 16 * each + k * (skew % 16)) & 0x0f * each);
        column_[w] = c ^ (row / 2 & 0x38 * each) ^ ((row & each) * 8);  // in cells, of which eight are a line
        row_[w] = (r + (2 * w ^ turn_)) * W::pitch * 16;
      }
    }
  }
  /// Where cell k is, in bytes from the tile's start.
  __device__ unsigned operator()(unsigned k) const {
    if constexpr (W::swizzled)
      return row_[k % 8 / 2] + (k % 2 + k / 8 * 8) * W::pitch * 16 + (column_[k / 4] >> k % 4 * 8 & 0xff) * 2;
    const unsigned below = k ^ turn_, r = r_ + below;
    const unsigned column = c0_ + (W::spill ? (past_ + below * skew_) % W::line : 0);
    return W::slot(r) * 16 + (column * W::cell ^ W::swap(r) * 16);
  }

 private:
  unsigned r_, c0_, past_, skew_, turn_;
  unsigned column_[4], row_[4];
};

/// What a block moves: the rows from `start` on, of `cols` columns from `left` on. from, to: where the tile's column 0
/// is in row 0 of the plane, and the plane in the output.
struct Tile {
  unsigned down, cols;
  std::size_t left;
  std::ptrdiff_t start, from, to;
};

/// The tile of a block; false where there is none. Blocks: x counts tiles down, so that neighbours write neighbouring
/// parts of the same output rows; y counts tiles across, of one band, and one plane, after the other.
template <class W>
__device__ inline bool find_tile(const Planes& p, Tile& tile) {
  std::size_t number = folded_y();
  tile.down = blockIdx.x;
  if (gridDim.z > 1 && number >= p.across * p.bands * p.planes) return false;
  tile.from = tile.to = 0;
  if (p.axes > 0 || p.bands > 1) {
    std::size_t plane = number / p.across;
    number %= p.across;
    tile.down += static_cast<unsigned>(plane % p.bands) * gridDim.x;
    plane /= p.bands;
    for (unsigned k = p.axes; k-- > 0; plane /= p.extent[k]) {
      const auto i = static_cast<std::ptrdiff_t>(plane % p.extent[k]);
      tile.from += i * p.in_stride[k];
      tile.to += i * p.out_stride[k];
    }
    if (std::size_t{tile.down} * W::rows >= p.rows + p.ahead) return false;
  }
  tile.left = number * p.each;
  tile.cols = static_cast<unsigned>(std::min<std::size_t>(p.each, p.cols - tile.left));
  tile.start = static_cast<std::ptrdiff_t>(tile.down) * W::rows;
  tile.from += static_cast<std::ptrdiff_t>(tile.left);
  return true;
}

template <class T, class W>
__global__ void __launch_bounds__(W::threads, W::resident)
    window(const T* in, T* out, const __grid_constant__ Planes p) {
  auto* smem = shared_array<Vector16>();
  allow_next_kernel();
  Tile tile;
  if (!find_tile<W>(p, tile)) return;
  wait_for_previous_kernel();
  const auto [down, cols, left, start, from, to] = tile;
  const unsigned v = threadIdx.x % 8, group = threadIdx.x / 8, j = group % 4, unit = 4 * W::apart;
  const unsigned c0 = group / unit * unit + j * W::apart + group % unit / 4;
  // In an odd plane the windows of the four columns may bring them to one word of their lines: then they begin at
  // different rows.
  const unsigned turn = !W::spill ? 0 : p.turn == 0 ? 0 : W::cell == 8 ? j % 2 : p.turn == 1 ? j : j / 2;
  T* row = out + to + static_cast<std::ptrdiff_t>(left + c0) * p.col_stride;
  const unsigned shift = W::shifted ? misalignment<(W::edge ? W::edge : 16)>(row + start) / W::size : 0;

  const bool even = down - p.even_from < p.even && (W::spill || cols % W::line == 0);
  const bool whole = even || inside<T, W>(p, from, cols, start);
  if (!whole)
    load_tile<T, W, Rows::some>(smem, in, p, from, cols, start);
  else if (W::spill || p.fold == 0)
    load_tile<T, W, Rows::even>(smem, in, p, from, cols, start);
  else
    load_tile<T, W, Rows::all>(smem, in, p, from, cols, start);
  const unsigned r = W::halo - shift + v * W::line;
  const std::ptrdiff_t above = start + r - static_cast<std::ptrdiff_t>(W::halo);
  const unsigned past = W::spill ? past_line(in, from + above * p.row_stride) : 0;
  const Gather<W> gather(r, c0, past, static_cast<unsigned>(p.row_stride), turn);
  __syncthreads();
  unsigned at[W::line];
#pragma unroll
  for (unsigned k = 0; k < W::line; ++k) at[k] = gather(k);
  const std::ptrdiff_t first = start - static_cast<std::ptrdiff_t>(shift) + v * W::line;
#pragma unroll
  for (unsigned c = 0; c < W::width; c += W::step) {
    if (c0 + c >= cols) continue;
    T* column = row + static_cast<std::ptrdiff_t>(c) * p.col_stride;
#pragma unroll
    for (unsigned u = 0; u < W::abreast; ++u) {
      const char* cells = reinterpret_cast<const char*>(smem) + c * W::cell + u * W::slot(8 * W::line) * 16;
      Cell<W::cell> cell[W::line];
#pragma unroll
      for (unsigned k = 0; k < W::line; ++k) cell[k] = *reinterpret_cast<const Cell<W::cell>*>(cells + at[k]);
      Vector16 lines[W::pack];
      unpack_lines<T, W::pack>(lines, cell, turn);
#pragma unroll
      for (unsigned f = 0; f < W::pack; ++f) {
        const std::ptrdiff_t r = first + u * 8 * W::line + f * W::strip;
        if (whole)
          store_cached(reinterpret_cast<Vector16*>(column + r), lines[f]);
        else
          store_line<true>(column, p.rows, r, lines[f]);
      }
    }
  }
}

/// Columns that a tile has room for: fewer where rows spill into another line.
template <class W>
constexpr unsigned room(bool spills) {
  return W::width - (W::spill && spills ? W::line : 0);
}

/// Whether a row of tiles across should run before the next one, and not a column of tiles down. Loads bring 256 bytes
/// to L2 (inner()): what of them is the neighbour's across is there when it comes, unless a column of tiles reads and
/// writes more than L2 keeps. 0.94 for 0.79 of a copy's speed (8 bytes, 255 columns), 0.94 for 0.74 (2 bytes, 1000),
/// 0.91 for 0.62 (bytes, 2000; all of 256 MiB, H200). Where L2 keeps it, or rows and tiles are whole 256 bytes, it is
/// slower: 0.89 for 0.96 (4 bytes, 5001 x 10001), 0.95 for 0.97 (4 bytes, 512 columns). Limits fitted on an H200, whose
/// L2 is 50 MB: more where tiles are wide, of whose rows the ends alone are shared, and most where rows are whole lines
/// of 128 bytes, of which no half is fetched twice.
template <class W>
bool across_first(const Planes& p) {
  constexpr std::size_t tile = std::size_t{W::width} * W::size, mega = 1000000;
  const auto row = static_cast<std::size_t>(p.row_stride) * W::size;
  if (p.across <= 1 || (row % 256 == 0 && tile >= 256)) return false;
  const std::size_t kept = (row % 128 == 0 && tile >= 512 ? 60 : W::kept) * mega;
  return 2 * p.rows * tile > kept;
}

/// How the planes are shared out among tiles; no rows are read twice where all windows begin at whole sectors.
/// aligned: to a line and a sector, as far as the addresses of the arrays go. Returns the tiles of a band, and those
/// across all bands and planes.
template <class T, class W>
std::pair<std::size_t, std::size_t> share_out(Planes& p, bool aligned_in, bool aligned_out) {
  bool spills = !aligned_in || p.row_stride % W::line != 0;
  bool moved = W::shifted && (!aligned_out || p.col_stride % per_sector<T> != 0);
  for (unsigned k = 0; k < p.axes; ++k) {
    spills = spills || p.in_stride[k] % W::line != 0;
    moved = moved || (W::shifted && p.out_stride[k] % per_sector<T> != 0);
  }
  p.each = room<W>(spills);
  p.across = ceil_div(p.cols, p.each);
  p.ahead = moved ? W::halo : 0;
  std::size_t down = ceil_div(p.rows + (p.ahead ? p.ahead - 1 : 0), W::rows);
  p.rest = W::takes_rest && down > ceil_div(p.rows, W::rows) && down <= 9;
  if (p.rest) --down;
  // Between rows of a line or more, to which what lies before a row's first line or behind its last one belongs.
  if (p.fold == 0 && (!W::spill || p.row_stride >= static_cast<std::ptrdiff_t>(W::line))) {
    const std::size_t first = ceil_div(p.ahead + (W::spill ? 1 : 0), W::rows);
    const std::size_t until = (p.rows - (W::spill ? 1 : 0)) / W::rows;
    p.even_from = static_cast<unsigned>(first);
    p.even = static_cast<unsigned>(until - std::min(first, until));
  }
  const std::size_t band = across_first<W>(p) ? (p.across > 4 ? 16 : W::size == 4 ? 64 : 32) : down;
  p.bands = ceil_div(down, std::max<std::size_t>(band, 1));
  return {band, p.across * p.bands * p.planes};
}

/// kernel: of tiles W.
template <class T, class W>
void launch_tiles(void (*kernel)(const T*, T*, Planes), const T* in, T* out, Planes p, Stream stream) {
  const auto [down, across] = share_out<T, W>(p, misalignment<16>(in) == 0, misalignment<32>(out) == 0);
  const unsigned product = static_cast<unsigned>(p.row_stride) * static_cast<unsigned>(p.col_stride) % 4;
  p.turn = product % 2 ? product : 0;
  launch_overlapping(kernel, {fold(down, across), dim3(W::threads), W::smem_bytes}, stream, in, out, p);
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
