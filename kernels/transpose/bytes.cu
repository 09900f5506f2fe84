// bytes: matrices of few columns or few rows of single bytes, as patches of 4 x 4 that registers turn.
// From narrow: a gather, byte by byte, out of shared memory. Each line of 16 bytes that it stores takes 16 loads, and
// as many instructions to join them, of 170 a warp issues for it in all: its schedulers were busy in 72 % of their
// slots at 0.78 of a copy's speed (63 columns, H200). A word holds four columns of a row: four words, and eight byte
// permutations, are four rows of each of four columns. A line of 16 bytes then takes 20 instructions to gather for 60.
// Few columns (bytes_tall.hpp): a block takes a run of whole rows. Few rows (bytes_wide.hpp): it takes a piece of each.
// Either is staged by asynchronous copies, turned, laid out again in the same memory as the output lies, and leaves
// from there in lines of 16 bytes. What starts inside a word is shifted out of two.
// Cost that remains: at the ends of rows and columns that are no fours, patches of which a part is nothing; two trips
// through shared memory.
// Limits: elements of one byte, 2 to 256 columns or 2 to 512 rows; batched too.
#include "bytes_tall.hpp"
#include "bytes_wide.hpp"

#include <algorithm>
#include <numeric>

namespace rung::transpose {
inline namespace RUNG_ABI {

/// Where a sector of each column is read twice, or a block of 256 threads has few rows, one of 512 is ahead: 0.93 for
/// 0.89 of a copy's speed (48 columns), 0.90 for 0.84 (112); of 33 to 40 columns they are alike.
template <unsigned threads>
struct BytesTall {
  static unsigned groups(const Transpose2D& t) { return static_cast<unsigned>(ceil_div(t.cols, 4)); }
  /// Rows that a block reads: of its warps' patches, each 4 columns of 128 rows, as many as its threads hold.
  static unsigned height(const Transpose2D& t) { return patch_turns * (threads / 32) / groups(t) * 128; }
  static unsigned length(const Transpose2D& t, bool shifted) { return height(t) - (shifted ? 32 : 0); }
  static constexpr unsigned block = threads;
  static std::size_t blocks(const Transpose2D& t, bool shifted) {
    return ceil_div(t.rows + (shifted ? 31 : 0), length(t, shifted));
  }
  static std::size_t most_blocks(const Transpose2D& t) { return blocks(t, true); }
  static std::size_t blocks_of_aligned(const Transpose2D& t) { return blocks(t, t.rows % 32 != 0); }
  static void run(const std::uint8_t* in, std::uint8_t* out, const Transpose2D& t, Stream stream) {
    // Where columns are a multiple of 32, so are the matrices of a batch.
    const bool shifted = reinterpret_cast<std::uintptr_t>(out) % 32 != 0 || t.rows % 32 != 0;
    // Matrices of a batch begin at words too, as their rows do.
    const bool whole = t.cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(in) % 4 == 0;
    const unsigned fours = groups(t), share = !whole           ? 1
                                              : fours % 8 == 0 ? 8
                                              : fours % 4 == 0 ? 4
                                              : fours % 2 == 0 ? 2
                                                               : 1;
    TallBytes r{};
    r.batch = t.batch;
    r.rows = t.rows;
    r.cols = static_cast<unsigned>(t.cols);
    r.length = length(t, shifted);
    r.halo = shifted ? 32 : 0;
    r.groups = fours / share;
    r.patches = fours * (height(t) / 128);
    r.pitch = height(t) + (!shifted ? 0 : whole ? 128 : 32);
    r.per_group = static_cast<unsigned>((std::uint64_t{1} << 32) / r.groups + 1);
    r.per_column = static_cast<unsigned>((std::uint64_t{1} << 32) / (r.length / 16) + 1);
    const std::size_t rows = std::size_t{height(t)} * t.cols, shared = std::max(rows + 48, t.cols * r.pitch);
    const auto kernel = !whole       ? bytes_tall<threads, false, 1>
                        : share == 8 ? bytes_tall<threads, true, 8>
                        : share == 4 ? bytes_tall<threads, true, 4>
                        : share == 2 ? bytes_tall<threads, true, 2>
                                     : bytes_tall<threads, true, 1>;
    launch_overlapping(kernel, {fold(blocks(t, shifted), t.batch), dim3(threads), shared}, stream, in, out, r);
  }
};

/// Of many rows a block holds few columns, and larger ones are ahead: of 512 threads from 33 rows on, 0.94 for 0.88 of
/// a copy's speed (65 rows, H200), 1.00 for 0.96 (128), but 0.95 for 0.97 (20); of 1024 from 177 on, 0.99 for 0.96
/// (240), where columns are whole lines; where not, from 401 on, 0.85 for 0.82 (481; 0.84 for 0.87 with 257).
template <unsigned threads>
struct BytesWide {
  static constexpr unsigned block = threads;
  struct Shape {
    unsigned quads, units, groups, halo, length;
  };
  /// How many patches of a column make a unit. any: columns start anywhere.
  static Shape shape(std::size_t rows, std::size_t cols, bool any, bool shifted) {
    const auto patches = static_cast<unsigned>(ceil_div(rows, 4));
    Shape s{};
    if (any) {
      s.units = static_cast<unsigned>(ceil_div(patches, patch_turns));
      s.quads = static_cast<unsigned>(ceil_div(patches, s.units));
    } else {
      s.quads = patches % 4 == 0 ? 4 : patches % 2 == 0 ? 2 : 1;
      s.units = patches / s.quads;
    }
    const unsigned most = threads * (patch_turns / s.quads) / s.units;
    s.halo = shifted ? static_cast<unsigned>(ceil_div(ceil_div(32, rows), 4) * 4) : 0;
    s.length = (most * 4 - s.halo) / 32 * 32;
    // Pieces of whole 128 bytes: 1.00 for 0.95 (112 rows).
    if (!any && cols % 128 == 0 && s.length >= 128) s.length = s.length / 128 * 128;
    s.groups = (s.length + s.halo) / 4;
    return s;
  }
  static std::size_t blocks_of(const Transpose2D& t, bool any, bool shifted) {
    return ceil_div(t.cols + (shifted ? ceil_div(31, t.rows) : 0), shape(t.rows, t.cols, any, shifted).length);
  }
  static std::size_t most_blocks(const Transpose2D& t) {
    return std::max(blocks_of(t, true, true), blocks_of(t, false, true));
  }
  static std::size_t blocks_of_aligned(const Transpose2D& t) {
    return blocks_of(t, t.rows % 4 != 0, t.batch > 1 && t.rows * t.cols % 32 != 0);
  }
  static void run(const std::uint8_t* in, std::uint8_t* out, const Transpose2D& t, Stream stream) {
    const auto from = reinterpret_cast<std::uintptr_t>(in), to = reinterpret_cast<std::uintptr_t>(out);
    const std::size_t apart = t.batch > 1 ? t.rows * t.cols : 0;
    const bool shifted = to % 32 != 0 || apart % 32 != 0;
    // Up to 16 bytes of a column are stored at once, as the number of rows divides: they are aligned as the output is.
    const bool any = t.rows % 4 != 0 || to % std::gcd(t.rows, 16) != 0;
    const bool whole = !any && t.cols % 4 == 0 && from % 4 == 0;
    const Shape s = shape(t.rows, t.cols, any, shifted);
    WideBytes w{};
    w.batch = t.batch;
    w.cols = t.cols;
    w.rows = static_cast<unsigned>(t.rows);
    w.length = s.length;
    w.halo = s.halo;
    w.groups = s.groups;
    w.units = s.units;
    w.quads = s.quads;
    // From anywhere in a line: to the second word that the last one of a row is shifted with, at most three columns on.
    const unsigned width = s.groups * 4, start = (t.cols | from | s.halo) % 16 == 0 ? 0 : whole ? 12 : 15;
    w.lines = (start + width + (whole ? 0 : 7) + 15) / 16;
    w.pitch = w.lines * 16 + static_cast<unsigned>(t.cols % 16);
    w.wrap = w.rows * w.pitch - 1;
    // Only lines that begin with their group are moved by its padding.
    if (!any && t.rows % 8 == 0 && to % 16 == 0 && apart % 16 == 0) w.pad = 16;
    w.per_group = reciprocal(w.groups);
    w.per_line = reciprocal(w.lines);
    w.per_pad = w.pad ? reciprocal(w.rows / 4) : 0;
    const std::size_t rows = std::size_t{w.rows} * w.pitch + 16, result = 16 + w.groups * (4 * w.rows + w.pad);
    const std::size_t blocks = blocks_of(t, any, shifted);
    launch_overlapping(any     ? kernel_of_any(w)
                       : whole ? kernel_of_words<true>(w)
                               : kernel_of_words<false>(w),
                       {fold(blocks, t.batch), dim3(threads), std::max(rows, result)}, stream, in, out, w);
  }

 private:
  using Kernel = void (*)(const std::uint8_t*, std::uint8_t*, WideBytes);

  static Kernel kernel_of_any(const WideBytes& w) {
    if constexpr (threads == bytes_threads) {  // of more than 32 rows, units have three or four patches
      if (w.quads == 1) return bytes_wide<threads, 1, 0>;
      if (w.quads == 2) return bytes_wide<threads, 2, 0>;
    }
    switch (w.rows % 4) {
      case 0:
        return bytes_wide<threads, 4, 0>;
      case 1:
        return bytes_wide<threads, 4, 1>;
      case 2:
        return bytes_wide<threads, 4, 2>;
      default:
        return bytes_wide<threads, 4, 3>;
    }
  }
  template <bool whole>
  static Kernel kernel_of_words(const WideBytes& w) {
    if (w.quads == 1) return bytes_wide_words<threads, whole, 1>;
    if (w.quads == 2) return bytes_wide_words<threads, whole, 2>;
    return bytes_wide_words<threads, whole, 4>;
  }
  static unsigned reciprocal(unsigned n) { return static_cast<unsigned>((std::uint64_t{1} << 32) / n + 1); }
};

struct Bytes {
  static constexpr KernelInfo info{
      .family = Family::transpose,
      .name = "bytes",
      .order = 10,
      .summary = "few columns or rows of bytes: patches of 4x4 turned in registers, two trips through shared memory",
      .teaches = "instructions are a limit too: move four bytes with each"};
  static constexpr std::size_t most_columns = 256, most_rows = 512;

  static bool is_tall(const Transpose2D& t) { return t.cols <= t.rows; }
  /// Calls use.operator()<Kernels>() with what takes few columns or few rows.
  template <class Use>
  static decltype(auto) with(const Transpose2D& t, const DeviceProperties& device, Use&& use) {
    if (is_tall(t)) {
      if (t.cols > 64 || (t.cols > 40 && t.rows % 32 != 0)) return use.template operator()<BytesTall<512>>();
      return use.template operator()<BytesTall<bytes_threads>>();
    }
    constexpr std::size_t largest = 96 << 10;  // of what the blocks of 1024 threads take
    if (t.rows > (t.rows % 16 == 0 ? 176 : 400) && device.shared_per_block >= largest)
      return use.template operator()<BytesWide<1024>>();
    if (t.rows > 32) return use.template operator()<BytesWide<512>>();
    return use.template operator()<BytesWide<bytes_threads>>();
  }
  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    if (size_of(p.dtype) != 1) return refuse("elements of one byte only: narrow, window and vector take others");
    if (!p.transpose) return refuse("permutes more than two axes: window and strided do");
    const Transpose2D& t = *p.transpose;
    if (is_tall(t) ? t.cols > most_columns : t.rows > most_rows) return refuse("more than 256 columns, or 512 rows");
    if (std::min(t.rows, t.cols) == 1) return refuse("one row or column is a copy: vector does");
    if (launch.grid != 0) return refuse("--grid: the grid follows from the shape of the matrix");
    if (launch.block != 0) return refuse("--block: the patches of a block fix it");
    if (launch.items != 0) return refuse("--items: what a thread moves follows from the shape of the matrix");
    if (p.input_elements() == 0) return plan_grid(1, 1, bytes_threads);
    return with(t, device, [&]<class Kernels>() {
      return plan_grid_of(Kernels::most_blocks(t), Kernels::blocks_of_aligned(t), t.batch, Kernels::block);
    });
  }

  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties& device,
                  Stream stream) {
    if constexpr (sizeof(T) == 1) {
      if (p.input_elements() == 0) return;
      with(*p.transpose, device, [&]<class Kernels>() { Kernels::run(in, out, *p.transpose, stream); });
    }
  }
};
[[maybe_unused]] const bool bytes_registered = add_mover<Bytes>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
