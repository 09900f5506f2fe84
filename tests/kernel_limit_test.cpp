// The limits that refusals name hold where they say: one block, one axis, one thread less is taken. Plans alone, so
// sizes may be those of no memory.
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

using namespace rung;
using namespace rung::test;

namespace {

constexpr std::size_t most_blocks = 0x7fffffff, most_rows_of_blocks = std::size_t{65535} * 65535;

using Sized = std::function<Problem(std::size_t)>;

bool mentions(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

/// Blocks across and down of "grid 12x34, block 256".
std::pair<std::size_t, std::size_t> grid_of(const Plan& plan) {
  REQUIRE(plan.launch.starts_with("grid "));
  char* end = nullptr;
  const std::size_t across = std::strtoull(plan.launch.c_str() + 5, &end, 10);
  return {across, *end == 'x' ? std::strtoull(end + 1, nullptr, 10) : 1};
}

Problem transpose(std::size_t rows, std::size_t cols) { return transpose_problem(DType::u8, {rows, cols}, {1, 0}); }

/// The largest size that a kernel takes, where it refuses a larger one for the sake of the grid: the grid is full.
void check_full_grid(const Kernel& kernel, const Sized& problem) {
  std::size_t taken = 1, refused = std::size_t{1} << 58;
  if (!plan_of(kernel, problem(taken)) || !mentions(plan_of(kernel, problem(refused)).refusal, "blocks")) return;
  while (refused - taken > 1) {
    const std::size_t middle = taken + (refused - taken) / 2;
    (plan_of(kernel, problem(middle)) ? taken : refused) = middle;
  }
  const auto [across, down] = grid_of(plan_of(kernel, problem(taken)));
  CHECK_MESSAGE((across == most_blocks || down == most_rows_of_blocks), kernel.info().name, " takes ", taken, ": ",
                across, " x ", down, " blocks");
}

/// Blocks that a kernel takes reach to the most threads of a block, and grids to the most blocks.
void check_launch_limits(const Kernel& kernel, const Problem& p) {
  unsigned least = 0, most = 0;
  for (unsigned block = 1; block <= 4096; ++block)
    if (plan_of(kernel, p, {.block = block, .grid = 0, .items = 0})) {
      if (least == 0) least = block;
      most = block;
    }
  const unsigned threads = device(kernel.machine())->properties().max_threads_per_block;
  if (most != 0) CHECK_MESSAGE(most == threads, kernel.info().name, " takes blocks of ", least, " to ", most);
  const std::string why = plan_of(kernel, p, {.block = 33, .grid = 0, .items = 0}).refusal;
  if (mentions(why, "32 to")) {
    CHECK_MESSAGE(least == 32, kernel.info().name, " takes blocks of ", least, " to ", most);
    const bool any_warps = static_cast<bool>(plan_of(kernel, p, {.block = 96, .grid = 0, .items = 0}));
    CHECK_MESSAGE(mentions(why, "whole warps") == any_warps, kernel.info().name, ": ", why);
  }
  if (plan_of(kernel, p, {.block = 0, .grid = 3, .items = 0})) {
    CHECK_MESSAGE(plan_of(kernel, p, {.block = 0, .grid = most_blocks, .items = 0}), kernel.info().name);
    // One more is refused, or cut to what the size can use.
    const Plan more = plan_of(kernel, p, {.block = 0, .grid = most_blocks + 1, .items = 0});
    CHECK_MESSAGE((!more || grid_of(more).first < most_blocks), kernel.info().name);
  }
}

/// An axis of every second one is turned or flipped, so that none merge: `count` axes of two.
void check_axes(const Kernel& kernel, const std::function<Problem(std::size_t)>& of_axes) {
  std::size_t refused = 0;
  for (std::size_t count = 3; count <= 24 && refused == 0; ++count)
    if (mentions(plan_of(kernel, of_axes(count)).refusal, "16")) refused = count;
  if (refused != 0) CHECK_MESSAGE((refused == 17 || refused == 19), kernel.info().name, " refuses ", refused, " axes");
}

/// The grid is told in as many dimensions as it has; tiles have the sizes that --block is refused for the sake of.
void check_tiles(const Kernel& kernel) {
  const Plan plan = plan_of(kernel, transpose(70, 90));
  CHECK_MESSAGE(!mentions(plan_of(kernel, transpose(1, 1)).launch, "x1,"), kernel.info().name);
  if (!mentions(plan_of(kernel, transpose(70, 90), {.block = 33, .grid = 0, .items = 0}).refusal, "64, 256 or 1024"))
    return;
  CHECK_MESSAGE(mentions(plan.launch, "block 1024"), kernel.info().name);
  for (const unsigned block : {64u, 256u, 1024u})
    CHECK_MESSAGE(plan_of(kernel, transpose(70, 90), {.block = block, .grid = 0, .items = 0}), kernel.info().name);
}

/// Sides of a matrix that is refused for being too wide both ways, for having too many columns, or for either.
void check_narrow(const Kernel& kernel) {
  const std::string refusal = plan_of(kernel, transpose(1000, 1000)).refusal;
  if (!mentions(refusal, "more than ")) return;
  const auto most = [&](const char* what) {
    for (const std::size_t side : {256, 512})
      if (mentions(refusal, (std::to_string(side) + what).c_str())) return side;
    return std::size_t{128};
  };
  const std::size_t cols = most(" columns"), rows = mentions(refusal, " rows") ? most(" rows") : 0;
  for (const std::size_t side : {2, 127, 128, 129, 255, 256, 257, 511, 512, 513}) {
    CHECK_MESSAGE(static_cast<bool>(plan_of(kernel, transpose(1000, side))) == (side <= cols), kernel.info().name);
    CHECK_MESSAGE(static_cast<bool>(plan_of(kernel, transpose(side, 1000))) == (side <= rows), kernel.info().name);
  }
}

/// The tile of window for whole rows of bytes: 256 rows, 128 columns; of whole rows whose columns start anywhere, all
/// 256 columns that it has room for, which is one tile across, of 128 rows where they are at most four times as many as
/// the columns, or else of 256 (window.cu).
void check_window_launch(const Kernel& kernel) {
  if (kernel.info().name != "window") return;
  CHECK(mentions(plan_of(kernel, transpose(1024, 2048)).launch, "grid 4x16, block 256"));
  CHECK(mentions(plan_of(kernel, transpose(513, 256)).launch, "grid 5, block 256"));
  CHECK(mentions(plan_of(kernel, transpose(1025, 256)).launch, "grid 5, block 512"));
  CHECK(mentions(plan_of(kernel, transpose(1024, 257)).launch, "grid 8x2, block 256"));
  CHECK(mentions(plan_of(kernel, transpose(1036, 259)).launch, "grid 9x2, block 256"));
  CHECK(mentions(plan_of(kernel, transpose(1037, 259)).launch, "grid 5x2, block 512"));
  // Of 16 bytes 16 rows, 32 columns. 30,000 rows are 1875 tiles down, which move 30.7 MB: bands of 32 tiles down, or 16
  // where more than four lie across; not of a single one across, nor of rows of whole 128 bytes before 60 MB.
  const auto launch = [&](DType dtype, std::size_t rows, std::size_t cols) {
    return plan_of(kernel, transpose_problem(dtype, {rows, cols}, {1, 0})).launch;
  };
  CHECK(launch(DType::c128, 30000, 30) == "grid 1875, block 256");
  CHECK(launch(DType::c128, 30000, 100) == "grid 32x236, block 256");
  CHECK(launch(DType::c128, 30000, 129) == "grid 16x590, block 256");
  CHECK(launch(DType::c128, 30000, 40) == "grid 1875x2, block 256");
  CHECK(launch(DType::c128, 60000, 40) == "grid 32x236, block 256");
  // Of 2 bytes 128 rows; 128 columns, eight fewer where rows start anywhere, unless those of as many tiles are 1.6
  // times those that there are: then 184.
  CHECK(launch(DType::f16, 520, 160) == "grid 5x2, block 256");
  CHECK(launch(DType::f16, 520, 151) == "grid 5x2, block 256");
  CHECK(launch(DType::f16, 500, 150) == "grid 5, block 384");
  // Windows that are moved down leave up to 31 rows of bytes, and 15 of 2. The last of up to eight tiles takes them
  // too.
  for (const std::size_t rows : {98, 127, 128, 225, 256})
    CHECK(launch(DType::u8, rows, 200) == (rows <= 128 ? "grid 1, block 256" : "grid 2, block 256"));
  CHECK(launch(DType::u8, 1001, 300) == "grid 8x2, block 256");
  CHECK(launch(DType::u8, 1025, 300) == "grid 9x2, block 256");
  CHECK(launch(DType::u8, 1122, 300) == "grid 10x2, block 256");
  CHECK(launch(DType::f16, 1010, 300) == "grid 8x3, block 256");
  // Of 4 bytes 64 rows of 256 bytes: none are shared by tiles of rows that are whole ones.
  CHECK(launch(DType::f32, 40000, 128) == "grid 625x2, block 256");
  // Rows of eight bytes are taken together with the axis above: 256, one tile. Whether they begin at sectors is then of
  // no account, be it for the tile or for the rows that it reads twice.
  const auto reversed = [&](std::size_t cols) {
    return plan_of(kernel, transpose_problem(DType::u8, {8, 32, 16, cols}, {3, 2, 1, 0})).launch;
  };
  CHECK(reversed(17) == "grid 1x16, block 256");
  CHECK(reversed(256) == "grid 1x32, block 256");
}

/// Blocks of narrow: as many whole 128 bytes of columns (rows) as eight loads of 16 bytes a thread bring, or six. Where
/// what they write begins inside of 128 bytes, they read up to 127 elements before it (narrow.cu).
void check_narrow_launch(const Kernel& kernel) {
  if (kernel.info().name != "narrow") return;
  const auto launch = [&](std::size_t rows, std::size_t cols) { return plan_of(kernel, transpose(rows, cols)).launch; };
  // 16 columns: 128 threads bring 16 KiB, 1024 rows. Columns of 4064 begin inside of 128 bytes: a block more.
  CHECK(launch(4096, 16) == "grid 4, block 128");
  CHECK(launch(4064, 16) == "grid 5, block 128");
  // 20 rows: 256 threads bring 24 KiB, nine times 128 columns; 8063 columns are seven blocks. The one run that they
  // write begins with the array; of a batch, runs begin anywhere, and seven columns are read before a block's own.
  CHECK(launch(20, 8063) == "grid 7, block 256");
  CHECK(plan_of(kernel, transpose_problem(DType::u8, {3, 20, 8063}, {0, 2, 1})).launch == "grid 8x3, block 256");
  CHECK(mentions(launch(128, 10000), "block 256"));
  CHECK(mentions(launch(129, 10000), "block 512"));
  // Eight loads from 64 columns on: 32 KiB are 512 rows. Of columns that are copied asynchronously blocks are large.
  CHECK(launch(5120, 64) == "grid 10, block 256");
  for (const auto& [cols, block] : {std::pair{14, 128}, {15, 256}, {16, 128}, {17, 128}, {32, 128}, {33, 256}})
    CHECK_MESSAGE(mentions(launch(4096, cols), ("block " + std::to_string(block)).c_str()), cols);
}

/// What bytes names: blocks of as many columns (rows) as the patches of their threads are (bytes.cu).
void check_bytes_launch(const Kernel& kernel) {
  if (kernel.info().name != "bytes") return;
  const auto launch = [&](std::size_t rows, std::size_t cols) { return plan_of(kernel, transpose(rows, cols)).launch; };
  // 16 columns: 32 patches of 128 rows by 4 columns, 1024 rows; 32 fewer where columns are no whole sectors.
  CHECK(launch(4096, 16) == "grid 4, block 256");
  CHECK(launch(4064, 16) == "grid 4, block 256");
  CHECK(launch(4068, 16) == "grid 5, block 256");
  // 20 rows: 204 times five patches of 4 columns, 816 in all, of which 800; of 19, with the last patch of a unit empty,
  // 512.
  CHECK(launch(20, 8000) == "grid 10, block 256");
  CHECK(launch(20, 7999) == "grid 10, block 256");
  CHECK(launch(19, 8000) == "grid 16, block 256");
  // Of a batch, matrices begin inside a sector, and two columns are read before a block's own.
  const auto batch = [&](std::size_t cols) {
    return plan_of(kernel, transpose_problem(DType::u8, {3, 20, cols}, {0, 2, 1})).launch;
  };
  CHECK(batch(8000) == "grid 10x3, block 256");
  CHECK(batch(7999) == "grid 11x3, block 256");
  // 112 rows: 73 units, 292 columns, of which 288; of whole 128 bytes, 256.
  CHECK(launch(112, 12801) == "grid 45, block 512");
  CHECK(launch(112, 12800) == "grid 50, block 512");
  for (const auto& [rows, block] : {std::pair{176, 512}, {192, 1024}, {193, 512}, {208, 1024}, {399, 512}, {401, 1024}})
    CHECK_MESSAGE(mentions(launch(rows, 12801), ("block " + std::to_string(block)).c_str()), rows);
}

/// Blocks of as much shared memory as the device has: 64 KiB at compute capability 7.5.
void check_little_shared_memory(const Kernel& kernel) {
  DeviceProperties device{};
  device.multiprocessors = 40;
  const auto launch_on = [&](std::size_t kib, std::size_t rows) {
    device.shared_per_block = kib << 10;
    return kernel.plan(transpose(rows, 10000), {}, device).launch;
  };
  if (kernel.info().name == "narrow") {
    CHECK(mentions(launch_on(72, 256), "block 512"));  // what its pieces take at most
    CHECK(mentions(launch_on(64, 256), "block 256"));
  }
  if (kernel.info().name == "bytes") {
    CHECK(mentions(launch_on(96, 512), "block 1024"));
    CHECK(mentions(launch_on(64, 512), "block 512"));
  }
}

void each_cuda_kernel(Family family, const std::function<void(const Kernel&)>& visit) {
  for (const Machine machine : machines()) {
    if (machine == Machine::cpu) continue;
    for (const Kernel* kernel : chosen(family, machine)) visit(*kernel);
  }
}

Problem turned(std::size_t axes) {
  std::vector<std::size_t> permutation;
  for (std::size_t k = axes; k-- > 0;) permutation.push_back(k);
  return transpose_problem(DType::u8, Shape(axes, 2), permutation);
}

Problem flipped(std::size_t axes) {
  std::vector<std::size_t> every_second;
  for (std::size_t k = 0; k < axes; k += 2) every_second.push_back(k);
  return reverse_problem(DType::u8, Shape(axes, 2), every_second);
}

}  // namespace

TEST_CASE("reduce: refusals begin where they say" * doctest::test_suite("reduce kernels")) {
  each_cuda_kernel(Family::reduce, [](const Kernel& kernel) {
    const auto sum = [](std::size_t outer, std::size_t n, std::size_t inner) {
      return reduce_problem(DType::u8, {outer, n, inner}, {1}, Op::sum, Acc::wide);
    };
    check_full_grid(kernel, [&](std::size_t n) { return sum(1, n, 1); });
    check_full_grid(kernel, [&](std::size_t outer) { return sum(outer, 3, 1); });
    check_full_grid(kernel, [&](std::size_t inner) { return sum(1, 3, inner); });
    check_launch_limits(kernel, sum(1, 5000, 1));
    if (kernel.info().name == "coarse-atomic") {
      const auto takes = [&](unsigned grid, unsigned items) {
        return static_cast<bool>(plan_of(kernel, sum(1, 5000, 1), {.block = 0, .grid = grid, .items = items}));
      };
      CHECK(takes(3, 0));
      CHECK(takes(0, 2));
      CHECK_FALSE(takes(3, 2));  // one follows from the other
    }
  });
}

TEST_CASE("transpose: refusals begin where they say" * doctest::test_suite("transpose kernels")) {
  each_cuda_kernel(Family::transpose, [](const Kernel& kernel) {
    check_full_grid(kernel, [](std::size_t rows) { return transpose(rows, 3); });
    check_full_grid(kernel, [](std::size_t cols) { return transpose(3, cols); });
    check_launch_limits(kernel, transpose(70, 90));
    check_axes(kernel, turned);
    check_tiles(kernel);
    check_narrow(kernel);
    check_window_launch(kernel);
    check_narrow_launch(kernel);
    check_bytes_launch(kernel);
    check_little_shared_memory(kernel);
  });
}

TEST_CASE("reverse: refusals begin where they say" * doctest::test_suite("reverse kernels")) {
  each_cuda_kernel(Family::reverse, [](const Kernel& kernel) {
    check_full_grid(kernel, [](std::size_t n) { return reverse_problem(DType::u8, {n}, {}); });
    check_launch_limits(kernel, reverse_problem(DType::u8, {5000}, {}));
    check_axes(kernel, flipped);
  });
}
