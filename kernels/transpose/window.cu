// window: rows of any length and any permutation of axes, as tiles of windows.
// A tile's rows go to shared memory in whole lines just as the input is aligned: nothing to join. A thread gathers an
// output line's elements one by one, at places that it works out once for all its lines, and stores 16 bytes. Each
// output row's window is moved down to the 32-byte sector below, which one sector of extra rows in the tile pays for:
// no store touches part of a sector, but at a row's two ends. Elements of 1 and 2 bytes are packed, two rows to a cell,
// half as many reads of shared memory; where rows or columns start anywhere two columns, in lower tiles (halves.hpp).
// A plane may have any strides: a permutation whose fastest axes of input and output differ is the transpose of many
// planes, the other axes their numbers; where an output row is short, it is taken together with the axis above it.
// From vector: a line is read from global memory once, not twice and joined, and more loads a thread are under way.
// Cost that remains: a copy's; where columns start anywhere the halo, an eighth of the tile or, of single bytes, a
// fourth; where rows do, a line more for each row of a tile.
//
// What such tiles wait for, 60 % of their time, is the link between the halves of the L2 cache (ncu,
// lts__ltcfabric2ltc_cycles_active: 83 to 95 % where DRAM is at 60 to 83 %): every line fetched twice costs. Hence:
// ordinary loads, which may stay in L1, and as much of a multiprocessor's memory left to L1 as the tile allows (bytes,
// 8191 x 16383: 0.91 of a copy's speed with 124 KiB, 0.88 with 92, 0.71 with 60); loads that bring 256 bytes to L2 for
// the next column of tiles, where L2 keeps them until it runs, else 128 (16 bytes, 10000 x 2500: 0.965 for 0.954;
// 32768 x 1000: 0.913 for 0.937); few instructions that no other warp's loads hide, such as those for places.
//
// Tried and slower, for bytes of 8191 x 16383: blocks that walk down or across and keep the halo, in shared memory, in
// registers or by clusters; that stay, and load the next tile while they store; that take tiles side by side for the
// sake of a multiprocessor's L1 (counters for each); asynchronous, bulk and tensor copies; rings of rows; streaming
// loads or stores; windows of 16 bytes; four rows or columns to a cell; other widths, heights and numbers of blocks;
// neighbours that are not under way together, which cost most of all: diagonal orders, groups of columns, strips.
// For 16 bytes of 8192 x 16384 (0.94): tiles of 8 to 128 rows and columns, all orders of groups of 1 to 128 tiles.
#include "halves.hpp"
#include "window.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

struct WindowRung {
  static constexpr KernelInfo info{
      .family = Family::transpose,
      .name = "window",
      .order = 8,
      .summary = "rows staged as they lie, windows moved to whole sectors, small elements packed",
      .teaches = "any alignment and any permutation at the speed of whole lines"};

  /// The move as planes; `cols` 0 where its last axis stays the last.
  static Planes planes_of(const Problem& p) {
    const Move& move = p.move;
    Planes planes;
    planes.n = p.input_elements();
    std::size_t stride = planes.n;
    for (std::size_t k = 0; k < move.shape.size(); ++k) {
      const std::size_t extent = move.shape[k];
      stride /= std::max<std::size_t>(extent, 1);
      const auto above = static_cast<std::ptrdiff_t>(stride);
      if (k + 1 == move.shape.size()) {
        planes.rows = extent;
        planes.row_stride = move.strides[k];
      } else if (move.strides[k] == 1) {
        planes.cols = extent;
        planes.col_stride = above;
      } else {
        planes.planes *= extent;
        planes.extent[planes.axes] = extent;
        planes.in_stride[planes.axes] = move.strides[k];
        planes.out_stride[planes.axes++] = above;
      }
    }
    return planes;
  }
  /// Takes short output rows together with those that lie behind them in the output: 0.95 for 0.60 (u8, 64 x 1024 x
  /// 4096 reversed, whose output rows are 64 bytes).
  template <class T>
  static void fold_rows(Planes& p) {
    if (p.axes == 0 || p.rows * sizeof(T) >= 256) return;
    const unsigned above = p.axes - 1;
    if (p.out_stride[above] != static_cast<std::ptrdiff_t>(p.rows) || p.row_stride % per_line<T> != 0 ||
        p.in_stride[above] % per_line<T> != 0 || p.rows * p.extent[above] > std::size_t{1} << 31)
      return;
    p.fold = static_cast<unsigned>(p.rows);
    p.fold_stride = p.in_stride[above];
    p.rows *= p.extent[above];
    p.planes /= p.extent[above];
    p.axes = above;
  }
  template <class T>
  static bool shifted(const Planes& p) {
    bool whole = p.row_stride % per_line<T> == 0 && p.col_stride % per_sector<T> == 0;
    for (unsigned k = 0; k < p.axes; ++k)
      whole = whole && p.in_stride[k] % per_line<T> == 0 && p.out_stride[k] % per_sector<T> == 0;
    return !whole;
  }

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    if (p.move.shape.size() > Planes::max_axes + 2) return refuse("more than 16 axes after merging");
    if (p.transpose && std::min(p.transpose->rows, p.transpose->cols) <= 1)
      return refuse("one row or column is a copy: vector does");
    if (p.move.shape.empty() || p.move.strides.back() == 1) return refuse("the last axis stays the last: strided does");
    if (launch.grid != 0) return refuse("--grid: the grid follows from the shape of the array");
    if (launch.block != 0) return refuse("--block: the tile fixes it");
    if (launch.items != 0) return refuse("--items: what a thread moves follows from the tile");
    switch (size_of(p.dtype)) {
      case 1:
        return plan_for<std::uint8_t>(p, device);
      case 2:
        return plan_for<std::uint16_t>(p, device);
      case 4:
        return plan_for<std::uint32_t>(p, device);
      case 8:
        return plan_for<std::uint64_t>(p, device);
      default:
        return plan_for<Word16>(p, device);
    }
  }
  template <class T>
  static Plan plan_for(const Problem& p, const DeviceProperties& device) {
    Planes planes = planes_of(p);
    if (planes.n == 0) return plan_grid(1, 1, 256);
    fold_rows<T>(planes);
    const auto plan_of = [&](bool aligned) {
      Plan plan;
      with_window<T>(planes, !aligned || shifted<T>(planes), device, [&]<class W>() {
        const auto [down, across] = share_out<T, W>(planes, aligned, aligned);
        plan = plan_grid(down, across, W::threads);
      });
      return plan;
    };
    Plan plan = plan_of(false);
    return plan ? plan_of(true) : plan;  // what it names is the launch for aligned memory
  }
  /// Calls use.operator()<W>() for the tile: of the shapes tried on an H200, the fastest for each size. 256 bytes of
  /// each output row, 256 to 512 of each input row; 128 of whole rows of bytes, and of few columns, which would leave
  /// most of a tile idle. Where rows start anywhere, wider tiles, that spill less; for bytes one that needs more shared
  /// memory than GPUs before compute capability 8.0 have.
  template <class T, class Use>
  static void with_window(const Planes& planes, bool is_shifted, const DeviceProperties& device, Use use) {
    constexpr std::size_t size = sizeof(T);
    constexpr unsigned pack = size <= 2 ? 2 : 1, strip = 256 / pack / size;
    using Shifted = Window<T, pack, size <= 2 ? 16 : 32, size == 16 ? 2 * strip : strip, 32, size == 1 ? 512 : 256>;
    const std::size_t width = planes.cols * size;
    const auto covered = [&](std::size_t cols) { return ceil_div(planes.cols, cols) * cols; };
    if constexpr (size <= 2) {
      // Where rows are many and columns few, a tile that is half as tall reads too much of the halo: 0.89 for 0.91 (240
      // columns of bytes); where the last tile of a row leaves more of it idle, the half of a cell that is: 0.86 for
      // 0.92 (130 columns of 2 bytes).
      using Half = Halves<T, 16, 128, 256, 3>;
      const bool fits = size == 1 ? planes.rows <= 4 * planes.cols : covered(room<Half>(true)) * 10 < planes.cols * 16;
      if (is_shifted && width > 112 && fits) return use.template operator()<Half>();
      if (is_shifted && (width <= 112 || Shifted::smem_bytes > device.shared_per_block))
        return use.template operator()<Window<T, pack, 8, strip, 32, 256>>();
      if (!is_shifted && (size == 1 || width <= 128))
        return use.template operator()<Window<T, pack, 8, strip, 0, 256>>();
    }
    if constexpr (size == 2) {
      // What is left of moved windows: 57 to 75 columns, and 121 to 150. Two blocks of 61 KiB leave more L1 than four
      // of 41, and spill less: 0.91 for 0.87. Where more of the wide tile is idle, the narrower one: 0.83 for 0.60
      // (65).
      using Wide = Window<T, pack, 24, strip, 32, 384>;
      if (is_shifted && covered(room<Wide>(true)) * 25 <= covered(room<Shifted>(true)) * 26 &&
          Wide::smem_bytes <= device.shared_per_block)
        return use.template operator()<Wide>();
    }
    if (is_shifted) return use.template operator()<Shifted>();
    if constexpr (size > 1) {
      // The other half of 256 bytes is the next column of tiles': brought along where L2 still has it when that runs.
      using Far = Window<T, pack, size == 16 ? 32 : 16, strip, 0, 256>;
      using Near = Window<T, pack, size == 16 ? 32 : 16, strip, 0, 256, 128>;
      const bool keeps = 2 * planes.rows * Far::width * size <= 13000000;
      return keeps ? use.template operator()<Far>() : use.template operator()<Near>();
    }
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties& device,
                  Stream stream) {
    Planes planes = planes_of(p);
    if (planes.n == 0) return;
    fold_rows<T>(planes);
    const bool is_shifted = shifted<T>(planes) || reinterpret_cast<std::uintptr_t>(in) % 16 != 0 ||
                            reinterpret_cast<std::uintptr_t>(out) % 32 != 0;
    with_window<T>(planes, is_shifted, device, [&]<class W>() {
      if constexpr (requires { W::half; }) {
        planes.early = W::resident * device.multiprocessors;
        launch_tiles<T, W>(halves<T, W>, in, out, planes, stream);
      } else {
        launch_tiles<T, W>(window<T, W>, in, out, planes, stream);
      }
    });
  }
};
[[maybe_unused]] const bool window_registered = add_mover<WindowRung>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
