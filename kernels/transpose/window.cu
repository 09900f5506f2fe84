// window: rows of any length and any permutation of axes, as tiles of windows.
// A tile's rows go to shared memory by asynchronous copies, in whole lines just as the input is aligned: no registers,
// no joining. A thread gathers the elements of an output line one by one, at places that it works out once for all its
// lines, and stores 16 bytes. Each output row's window is moved down to the 32-byte sector below, which up to one
// sector of extra rows in the tile pays for: no store touches part of a sector, but at a row's two ends.
// From vector: a line is read from global memory once, not twice and joined; and as copies in flight hold no registers,
// tiles are as large as their halo asks for.
// Cost that remains: a copy's, the halo, and shared memory read by elements, of which a byte's takes a bank's whole
// turn. Lanes of neighbouring columns begin at different words of their lines where they would meet in one bank. A
// plane may have any strides: a permutation whose fastest axes of input and output differ is the transpose of many
// planes, the other axes their numbers.
#include "window.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

struct WindowRung {
  static constexpr KernelInfo info{.family = Family::transpose,
                                   .name = "window",
                                   .order = 8,
                                   .summary = "rows staged by asynchronous copies, windows moved to whole sectors",
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
  template <class T>
  static bool shifted(const Planes& p) {
    bool whole = p.row_stride % per_line<T> == 0 && p.col_stride % per_sector<T> == 0;
    for (unsigned k = 0; k < p.axes; ++k)
      whole = whole && p.in_stride[k] % per_line<T> == 0 && p.out_stride[k] % per_sector<T> == 0;
    return !whole;
  }

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties&) {
    if (p.move.shape.size() > Planes::max_axes + 2) return refuse("more than 16 axes after merging");
    if (p.move.shape.empty() || p.move.strides.back() == 1) return refuse("the last axis stays the last: strided does");
    if (launch.grid != 0) return refuse("--grid: the grid follows from the shape of the array");
    if (launch.block != 0) return refuse("--block: the tile needs 256 threads");
    if (launch.items != 0) return refuse("--items: what a thread moves follows from the tile");
    return plan_grid(1, 1, 256);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch&, const DeviceProperties&, Stream stream) {
    const Planes planes = planes_of(p);
    if (planes.n == 0) return;
    const bool is_shifted = shifted<T>(planes) || reinterpret_cast<std::uintptr_t>(in) % 16 != 0 ||
                            reinterpret_cast<std::uintptr_t>(out) % 32 != 0;
    // Of the shapes tried on an H200, the fastest for each size: wide enough for whole rows of DRAM pages, small enough
    // for several blocks a multiprocessor.
    constexpr std::size_t size = sizeof(T);
    if (is_shifted) {
      constexpr unsigned across = size <= 2 ? 256 : 512, down = size == 1 ? 128 : size == 4 || size == 16 ? 512 : 256;
      launch_window<T, across, down, size == 4 ? 64 : 32>(in, out, planes, stream);
    } else {
      launch_window<T, size == 16 ? 512 : 256, size == 1 ? 128 : 256, 0>(in, out, planes, stream);
    }
  }
};
[[maybe_unused]] const bool window_registered = add_mover<WindowRung>();

}  // namespace RUNG_ABI
}  // namespace rung::transpose
