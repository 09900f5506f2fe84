// Every transpose and reverse kernel against a plain loop over coordinates: element sizes x shapes, bit for bit.
#include "../kernels/transpose/choose.hpp"
#include "kernel_matrix.hpp"

#include "../kernels/error.hpp"
#include "../reference/oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

using namespace rung;
using namespace rung::test;

namespace {

using Axes = std::vector<std::size_t>;

// One type for each element size.
constexpr std::array sizes_as_types{DType::u8, DType::f16, DType::u32, DType::f64, DType::c128};

struct Case {
  Shape shape;
  Axes axes;  ///< transpose: the permutation; reverse: the axes to flip
};

/// Where each output coordinate comes from: `source(out)` gives the input coordinate.
std::vector<std::byte> gather(const Shape& in_shape, const Shape& out_shape, std::size_t size,
                              const std::vector<std::byte>& in, const std::function<Axes(const Axes&)>& source) {
  std::vector<std::byte> out(in.size());
  Axes at(out_shape.size(), 0);
  for (std::size_t i = 0; i * size < out.size(); ++i) {
    const Axes from = source(at);
    std::size_t j = 0;
    for (std::size_t k = 0; k < from.size(); ++k) j = j * in_shape[k] + from[k];
    std::memcpy(out.data() + i * size, in.data() + j * size, size);
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] < out_shape[k]) break;
      at[k] = 0;
    }
  }
  return out;
}

std::vector<std::byte> transposed(const Case& c, std::size_t size, const std::vector<std::byte>& in) {
  Shape out_shape;
  for (const std::size_t axis : c.axes) out_shape.push_back(c.shape[axis]);
  return gather(c.shape, out_shape, size, in, [&](const Axes& at) {
    Axes from(at.size());
    for (std::size_t k = 0; k < at.size(); ++k) from[c.axes[k]] = at[k];
    return from;
  });
}

std::vector<std::byte> reversed(const Case& c, std::size_t size, const std::vector<std::byte>& in) {
  return gather(c.shape, c.shape, size, in, [&](Axes at) {
    for (const std::size_t axis : c.axes) at[axis] = c.shape[axis] - 1 - at[axis];
    return at;
  });
}

const std::vector<Case>& transposes() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> list;
    for (const Shape& shape : {Shape{0, 5}, {5, 0},     {0, 0},    {1, 1},     {1, 77},    {77, 1},   {2, 3},
                               {8, 8},      {31, 33},   {33, 31},  {32, 32},   {64, 64},   {63, 65},  {127, 129},
                               {128, 96},   {5, 4099},  {4099, 5}, {70001, 1}, {1, 70001}, {257, 2},  {2, 257},
                               {16, 1000},  {1000, 16}, {4200, 3}, {1100, 8},  {513, 12},  {600, 32}, {700, 33}})
      list.push_back({shape, {1, 0}});
    list.push_back({{}, {}});
    list.push_back({{9}, {0}});
    for (const Shape& shape : {Shape{3, 33, 31}, {7, 1, 40}, {2, 64, 64}, {5, 3, 70}, {1, 9, 10}})
      for (const Axes& axes : {Axes{0, 2, 1}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}})
        list.push_back({shape, axes});
    for (const Axes& axes : {Axes{3, 2, 1, 0}, {0, 3, 2, 1}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 2, 1, 3}, {3, 0, 1, 2}})
      list.push_back({{4, 5, 33, 6}, axes});
    list.push_back({{3, 2, 5, 4, 7}, {4, 2, 0, 3, 1}});
    list.push_back({{2, 3, 2, 3, 2, 3}, {5, 3, 1, 0, 2, 4}});
    list.push_back({{3, 0, 5}, {2, 1, 0}});
    // Of bytes, one stride alone is not one of whole lines or sectors: of planes in the input, in the output, of rows.
    list.push_back({{32, 4, 8}, {2, 1, 0}});
    list.push_back({{2, 8, 250}, {2, 1, 0}});  // more columns than a tile has room for then
    list.push_back({{264, 4, 16}, {2, 1, 0}});
    list.push_back({{3, 16, 5, 7}, {3, 1, 0, 2}});
    // More columns than a block takes of few rows; a multiple of four of them where the rows are one of three.
    for (const std::size_t rows : {3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 24, 31, 33, 40, 63, 100, 127, 128})
      list.push_back({{rows, (20000 / rows + 132) / 4 * 4 + rows % 3}, {1, 0}});
    // More rows than that, and still few; pieces of whole 128 bytes. Columns around where larger blocks begin, and the
    // most of them.
    for (const std::size_t rows : {129, 132, 176, 178, 180, 255, 400, 401, 404, 477, 510, 512})
      list.push_back({{rows, rows + 37 + rows % 4 * 29}, {1, 0}});
    for (const std::size_t rows : {60, 112, 192, 260, 496, 500}) list.push_back({{rows, 640}, {1, 0}});
    for (const std::size_t cols : {41, 48, 65, 84, 97, 112, 113, 127, 128, 129, 200, 255, 256})
      for (const std::size_t rows : {1056, 1111}) list.push_back({{rows, cols}, {1, 0}});
    // Batches of few columns or rows, whose matrices begin at a sector and do not.
    for (const auto& [rows, cols] : {std::pair{288, 24},
                                     {700, 20},
                                     {1040, 7},
                                     {515, 97},
                                     {20, 701},
                                     {7, 1040},
                                     {8, 2101},
                                     {8, 2102},
                                     {80, 801},
                                     {2, 37}})
      list.push_back({{3, std::size_t(rows), std::size_t(cols)}, {0, 2, 1}});
    for (const std::size_t cols : {24, 288}) list.push_back({{2, 24 * 288 / cols, cols}, {0, 2, 1}});
    // As many axes that do not merge as the general kernels take.
    Axes turned(16);
    std::iota(turned.rbegin(), turned.rend(), 0);
    list.push_back({Shape(16, 2), turned});
    return list;
  }();
  return cases;
}

const std::vector<Case>& reverses() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> list;
    for (const std::size_t n : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 512, 513, 4096, 4099, 70001})
      list.push_back({{n}, {0}});
    for (const Shape& shape : {Shape{31, 33}, {1, 77}, {77, 1}, {5, 4099}, {4099, 5}, {64, 64}, {0, 3}})
      for (const Axes& axes : {Axes{0}, {1}, {0, 1}}) list.push_back({shape, axes});
    for (const Axes& axes : {Axes{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}}) list.push_back({{5, 33, 7}, axes});
    list.push_back({{2, 3, 4, 5, 6}, {1, 3}});
    list.push_back({Shape(16, 2), {0, 2, 4, 6, 8, 10, 12, 14}});
    list.push_back({{}, {}});
    return list;
  }();
  return cases;
}

Problem problem_of(Family family, DType dtype, const Case& c) {
  return family == Family::transpose ? transpose_problem(dtype, c.shape, c.axes)
                                     : reverse_problem(dtype, c.shape, c.axes);
}

std::string text_of(Family family, const Case& c) {
  std::string text = to_string(c.shape) + (family == Family::transpose ? " by" : " along");
  for (const std::size_t axis : c.axes) text += " " + std::to_string(axis);
  return text;
}

/// Runs a case and compares bit for bit. Returns whether it ran.
bool check_move(const Kernel& kernel, DType dtype, const Case& c, Tally& tally, const RunOptions& options = {}) {
  const Family family = kernel.info().family;
  const std::size_t size = size_of(dtype);
  const auto in = noise(element_count(c.shape) * size, static_cast<unsigned>(size));
  const Outcome outcome = run_guarded(kernel, problem_of(family, dtype, c), in, options);
  if (!outcome.plan) {
    tally.refused(outcome.refusal);
    return false;
  }
  tally.ran();
  const auto want = family == Family::transpose ? transposed(c, size, in) : reversed(c, size, in);
  const std::string what = text_of(family, c) + ", " + std::to_string(size) + "-byte elements, " + outcome.plan.launch;
  if (!outcome.fault.empty()) {
    tally.failed(what + ": " + outcome.fault);
  } else if (outcome.out != want) {
    const auto at = std::mismatch(want.begin(), want.end(), outcome.out.begin()).first - want.begin();
    tally.failed(what + ": wrong from element " + std::to_string(static_cast<std::size_t>(at) / size));
  }
  return true;
}

/// Every kernel takes every size of element, but those that say so.
bool takes_size(const Kernel& kernel, std::size_t size) { return kernel.info().name != "bytes" || size == 1; }

void all_cases(Family family, const std::vector<Case>& cases) {
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(family, machine)) {
      Tally tally(subject(*kernel));
      for (const DType dtype : sizes_as_types) {
        std::size_t ran = 0;
        for (const Case& c : cases) ran += check_move(*kernel, dtype, c, tally);
        const bool takes = takes_size(*kernel, size_of(dtype));
        CHECK_MESSAGE((ran > 0) == takes, subject(*kernel), " moved ", ran, " arrays of ", name_of(dtype));
      }
    }
}

void all_launch_shapes(Family family, const std::vector<Case>& cases) {
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(family, machine)) {
      Tally tally(subject(*kernel));
      for (const unsigned block : {0u, 1u, 32u, 33u, 64u, 128u, 256u, 512u, 1024u, 2048u})
        for (const unsigned grid : {0u, 1u, 3u, 130u})
          for (const unsigned items : {0u, 1u, 2u, 4u, 5u})
            for (const DType dtype : {DType::u8, DType::u32, DType::c128})
              for (const Case& c : cases) check_move(*kernel, dtype, c, tally, {.launch = {block, grid, items}});
      CHECK_MESSAGE(tally.runs() > 0, subject(*kernel), " ran nothing");
    }
}

void all_misaligned(Family family, const std::vector<Case>& cases) {
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(family, machine)) {
      Tally tally(subject(*kernel));
      for (const DType dtype : sizes_as_types)
        for (const Case& c : cases) {
          for (const unsigned elements : {1, 4, 8, 16}) check_move(*kernel, dtype, c, tally, {.misaligned = elements});
          check_move(*kernel, dtype, c, tally, {.misaligned = 1, .output_aligned = true});
          check_move(*kernel, dtype, c, tally, {.misaligned = 1, .input_aligned = true});
        }
    }
}

void every_case_has_a_kernel(Family family, const std::vector<Case>& cases) {
  for (const Machine machine : machines()) {
    const auto all = kernels(family, machine);
    for (const DType dtype : sizes_as_types)
      for (const Case& c : cases) {
        const Problem p = problem_of(family, dtype, c);
        const bool taken =
            std::any_of(all.begin(), all.end(), [&](const Kernel* k) { return static_cast<bool>(plan_of(*k, p)); });
        if (!taken) FAIL_CHECK(name_of(machine), ": no kernel for ", text_of(family, c));
      }
  }
}

/// Kernels that move 16 bytes an access where rows are made of whole lines.
constexpr std::array<std::string_view, 4> move_lines{"vector", "window", "narrow", "bytes"};

/// Where all rows begin at a line of memory, nothing is read or written twice, nor in part.
void each_byte_once(Family family, const std::vector<Case>& cases, bool all_in_lines) {
  for (const Machine machine : machines()) {
    if (machine != Machine::sim) continue;
    for (const Kernel* kernel : chosen(family, machine))
      for (const DType dtype : sizes_as_types)
        for (const Case& c : cases) {
          const Problem p = problem_of(family, dtype, c);
          if (!plan_of(*kernel, p)) continue;
          const auto in = noise(p.input_bytes(), 1);
          const Traffic traffic = traffic_of(*kernel, p, in);
          const std::string what = subject(*kernel) + ", " + std::string(name_of(dtype)) + ", " + text_of(family, c);
          // These load lines that a neighbour loads too, for the sake of arrays that start anywhere.
          const bool again = kernel->info().name == (family == Family::reverse     ? "vector"
                                                     : c.shape[0] < c.shape.back() ? "narrow"
                                                                                   : "");
          CHECK_MESSAGE((again ? traffic.loaded >= in.size() : traffic.loaded == in.size()), what);
          CHECK_MESSAGE(traffic.stored == in.size(), what);
          if (all_in_lines || std::find(move_lines.begin(), move_lines.end(), kernel->info().name) != move_lines.end())
            CHECK_MESSAGE(traffic.narrowest == 16, what);
        }
  }
}

void all_watched(Family family, const std::vector<Case>& cases) {
  for (const Machine machine : machines()) {
    if (machine != Machine::sim) continue;
    const WatchGlobalMemory watch;
    for (const Kernel* kernel : chosen(family, machine)) {
      Tally tally(subject(*kernel));
      for (const DType dtype : sizes_as_types)
        for (const Case& c : cases)
          for (const unsigned misaligned : {0, 1}) check_move(*kernel, dtype, c, tally, {.misaligned = misaligned});
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("transpose kernels");
TEST_CASE("transpose: every element size and shape, bit for bit") { all_cases(Family::transpose, transposes()); }
TEST_CASE("transpose: every launch shape is run right or refused with a reason") {
  all_launch_shapes(Family::transpose, {{{33, 70}, {1, 0}}, {{2, 31, 5}, {0, 2, 1}}});
}
TEST_CASE("transpose: input and output need the alignment of one element only") {
  all_misaligned(Family::transpose, {{{64, 64}, {1, 0}},
                                     {{33, 70}, {1, 0}},
                                     {{1, 300}, {1, 0}},
                                     {{600, 32}, {1, 0}},
                                     {{700, 33}, {1, 0}},
                                     {{2, 5000}, {1, 0}},
                                     {{32, 600}, {1, 0}},
                                     {{33, 320}, {1, 0}},
                                     {{24, 700}, {1, 0}},
                                     {{1111, 97}, {1, 0}},
                                     {{404, 640}, {1, 0}},
                                     {{255, 300}, {1, 0}},
                                     {{3, 9, 1031}, {0, 2, 1}},
                                     {{3, 40, 16}, {2, 1, 0}}});
}
TEST_CASE("transpose: each place of global memory is one thread's, on sim") {
  all_watched(Family::transpose, {{{33, 70}, {1, 0}},
                                  {{64, 64}, {1, 0}},
                                  {{257, 3}, {1, 0}},
                                  {{24, 300}, {1, 0}},
                                  {{300, 24}, {1, 0}},
                                  {{9, 1100}, {1, 0}},
                                  {{2, 20, 900}, {0, 2, 1}},
                                  {{2, 31, 5}, {0, 2, 1}},
                                  {{5, 3, 70}, {2, 0, 1}}});
}
TEST_CASE("transpose: whole rows move once") {
  each_byte_once(Family::transpose, {{{128, 256}, {1, 0}}, {{32, 1024}, {1, 0}}, {{1024, 32}, {1, 0}}}, false);
  // Of whole runs the general kernel makes lines, whatever the element.
  each_byte_once(Family::transpose, {{{3, 5, 32}, {1, 0, 2}}}, true);
}
/// Tall matrices whose tiles run across first: columns of tiles past what L2 keeps, several across, the last band not
/// full; planes of them, a tile's windows moved, more columns than make bands of 32.
TEST_CASE("transpose: window takes tiles of a tall matrix in bands") {
  struct Banded {
    DType dtype;
    Case c;
    unsigned misaligned = 0, band = 32;
  };
  const std::vector<Banded> cases{
      {DType::c128, {{29400, 41}, {1, 0}}},       {DType::c128, {{29435, 70}, {1, 0}}},
      {DType::c128, {{2, 29405, 41}, {0, 2, 1}}}, {DType::c128, {{29400, 161}, {1, 0}}, 0, 16},
      {DType::f64, {{29401, 66}, {1, 0}}},        {DType::f64, {{29401, 66}, {1, 0}}, 1},
      {DType::f64, {{39100, 66}, {1, 0}}},        {DType::f32, {{29401, 126}, {1, 0}}, 0, 64},
      {DType::u16, {{39168, 144}, {1, 0}}},       {DType::u8, {{58700, 241}, {1, 0}}},
      {DType::u16, {{39169, 160}, {1, 0}}}};
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(Family::transpose, machine)) {
      if (kernel->info().name != "window") continue;
      Tally tally(subject(*kernel));
      for (const auto& [dtype, c, misaligned, band] : cases) {
        const std::string launch = plan_of(*kernel, problem_of(Family::transpose, dtype, c)).launch;
        CHECK_MESSAGE(launch.starts_with("grid " + std::to_string(band) + "x"), name_of(dtype), " ",
                      text_of(Family::transpose, c), ": ", launch);
        check_move(*kernel, dtype, c, tally, {.misaligned = misaligned});
      }
    }
}
TEST_CASE("transpose: window reads no rows twice where columns are whole sectors") {
  for (const Machine machine : machines()) {
    if (machine != Machine::sim) continue;
    for (const Kernel* kernel : chosen(Family::transpose, machine)) {
      if (kernel->info().name != "window") continue;
      // A row of 33 words touches nine lines of 16 bytes, or, as it moves by a word from row to row, never ten.
      const Problem p = transpose_problem(DType::u32, {512, 33}, {1, 0});
      CHECK(traffic_of(*kernel, p, noise(p.input_bytes(), 1)).loaded == 512 * 9 * 16);
    }
  }
}
TEST_CASE("transpose: every shape has a kernel on every machine") {
  every_case_has_a_kernel(Family::transpose, transposes());
}
TEST_CASE("transpose: the rung that best takes is there, and takes it") {
  for (const DType dtype : sizes_as_types)
    for (const Case& c : transposes()) {
      const Problem p = problem_of(Family::transpose, dtype, c);
      const Kernel* kernel = find_kernel(Family::transpose, Machine::sim, best_transpose(p));
      REQUIRE(kernel);
      CHECK_MESSAGE(plan_of(*kernel, p), kernel->info().name, " does not take ", text_of(Family::transpose, c), " of ",
                    name_of(dtype));
    }
  const auto best = [](DType dtype, std::size_t rows, std::size_t cols) {
    const Problem p = transpose_problem(dtype, {rows, cols}, {1, 0});
    const Kernel* kernel = find_kernel(Family::transpose, Machine::sim, best_transpose(p));
    CHECK_MESSAGE((kernel && plan_of(*kernel, p)), name_of(dtype), " ", rows, "x", cols);
    return best_transpose(p);
  };
  for (const std::size_t cols : {4, 8, 10, 33, 63, 64, 65, 80, 113, 127, 241})
    CHECK(best(DType::u8, 1000016, cols) == "bytes");
  for (const std::size_t cols : {4, 10, 59, 113, 119, 241}) CHECK(best(DType::u8, 1000001, cols) == "bytes");
  for (const std::size_t cols : {60, 63, 84, 120, 127}) CHECK(best(DType::u8, 1000001, cols) == "window");
  for (const std::size_t cols : {2, 3, 5, 7, 9}) CHECK(best(DType::u8, 1000000, cols) == "narrow");
  for (const std::size_t cols : {84, 85, 112, 128, 129, 8192}) CHECK(best(DType::u8, 1000000, cols) == "window");
  for (const std::size_t rows : {4, 8, 12, 24, 36, 64, 127, 128, 129, 255, 257, 511})
    CHECK(best(DType::u8, rows, 1000000) == "bytes");
  for (const std::size_t rows : {2, 3, 5, 9, 11, 17, 18, 19, 33, 35}) CHECK(best(DType::u8, rows, 1000000) == "narrow");
  for (const std::size_t rows : {4, 8, 9, 18, 33, 34, 35}) CHECK(best(DType::u8, rows, 1000002) == "narrow");
  for (const std::size_t rows : {12, 16, 17, 19, 20, 31, 63, 127}) CHECK(best(DType::u8, rows, 1000002) == "bytes");
  for (const std::size_t rows : {256, 288, 384, 512, 513}) CHECK(best(DType::u8, rows, 1000000) == "window");
  for (const std::size_t rows : {128, 192, 224, 288, 320, 384, 400}) CHECK(best(DType::u8, rows, 1000001) == "window");
  for (const std::size_t rows : {144, 160, 240, 401, 404}) CHECK(best(DType::u8, rows, 1000001) == "bytes");
  for (const std::size_t rows : {272, 404}) CHECK(best(DType::u8, rows, 1000000) == "bytes");
  CHECK(best(DType::u8, 288, 32768) == "bytes");   // a size at which window has no part
  CHECK(best(DType::u8, 300, 20000) == "window");  // a few blocks of bytes
  CHECK(best(DType::u8, 384, 4096) == "vector");
  CHECK(best(DType::u8, 30000, 127) == "window");
  CHECK(best(DType::u8, 63, 100000) == "bytes");
  CHECK(best(DType::u8, 2097151, 128) == "window");
  for (const std::size_t rows : {60, 97, 100, 127}) {
    CHECK(best(DType::f16, rows, 1000000) == "narrow");
    CHECK(best(DType::f32, rows, 1000000) == "narrow");
  }
  for (const std::size_t rows : {96, 112, 128, 180, 192, 200, 225}) CHECK(best(DType::f16, rows, 1000000) == "window");
  for (const std::size_t rows : {112, 180, 193, 220}) CHECK(best(DType::f16, rows, 1000001) == "narrow");
  for (const std::size_t cols : {40, 48, 49, 63}) CHECK(best(DType::f16, 1000000, cols) == "window");
  for (const std::size_t cols : {20, 39}) CHECK(best(DType::f16, 1000000, cols) == "narrow");
  CHECK(best(DType::f16, 1000001, 47) == "narrow");
  CHECK(best(DType::f16, 32000, 48) == "narrow");
  for (const std::size_t rows : {40, 48, 64, 96, 129, 200}) CHECK(best(DType::f32, rows, 1000000) == "window");
  for (const DType dtype : {DType::f64, DType::c128})
    for (const std::size_t cols : {65, 300, 600}) {
      CHECK(best(dtype, 40000, cols) == "tile-coarse");
      CHECK(best(dtype, 40001, cols) == (cols == 65 && dtype == DType::f64 ? "narrow" : "window"));
    }
  for (const std::size_t rows : {4096, 8192, 12288}) CHECK(best(DType::f64, rows, 16384) == "tile-coarse");
  for (const std::size_t rows : {8200, 10000, 16384, 32768}) CHECK(best(DType::f64, rows, 16384) == "window");
  // Of a few microseconds.
  for (const DType dtype : {DType::u8, DType::f16, DType::f32, DType::f64}) {
    CHECK(best(dtype, 1000, 2) == "strided");
    CHECK(best(dtype, 60, 60) == "strided");
    CHECK(best(dtype, 8, 8192) == "strided");
    CHECK(best(dtype, 3, 100000) == "strided");
    for (const std::size_t rows : {37, 60}) CHECK(best(dtype, rows, 10001) == "tile-coarse");
    CHECK(best(dtype, 1001, 1003) == "tile-coarse");
  }
  for (const DType dtype : {DType::u8, DType::f16}) {
    CHECK(best(dtype, 2048, 2048) == "vector");
    CHECK(best(dtype, 3000, 3000) == "window");
  }
  CHECK(best(DType::u8, 2047, 2049) == "tile-coarse");
  CHECK(best(DType::f16, 2047, 2049) == "window");
  CHECK(best(DType::f16, 4096, 4096) == "window");
  CHECK(best(DType::f32, 1024, 1024) == "tile-coarse");
  for (const DType dtype : {DType::f32, DType::f64, DType::c128}) CHECK(best(dtype, 2048, 2048) == "window");
  for (const std::size_t rows : {200, 512, 1000}) CHECK(best(DType::c128, rows, rows) == "window");
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("reverse kernels");
TEST_CASE("reverse: every element size and shape, bit for bit") { all_cases(Family::reverse, reverses()); }
TEST_CASE("reverse: every launch shape is run right or refused with a reason") {
  all_launch_shapes(Family::reverse, {{{1}, {0}}, {{1025}, {0}}, {{33, 70}, {1}}});
}
TEST_CASE("reverse: input and output need the alignment of one element only") {
  all_misaligned(Family::reverse, {{{64}, {0}}, {{1027}, {0}}, {{31, 33}, {1}}, {{31, 33}, {0}}});
}
TEST_CASE("reverse: each place of global memory is one thread's, on sim") {
  all_watched(Family::reverse, {{{1}, {0}}, {{1027}, {0}}, {{31, 33}, {1}}, {{6, 32}, {0}}});
}
TEST_CASE("reverse: whole rows move once") {
  each_byte_once(Family::reverse, {{{1024}, {0}}}, false);
  each_byte_once(Family::reverse, {{{6, 32}, {0}}, {{3, 5, 32}, {1}}}, true);
}
TEST_CASE("reverse: every shape has a kernel on every machine") {
  every_case_has_a_kernel(Family::reverse, reverses());
}
TEST_SUITE_END();

TEST_CASE("the oracle of movers agrees with the loop over coordinates") {
  for (const DType dtype : sizes_as_types) {
    const auto check = [&](Family family, const Case& c) {
      const auto in = noise(element_count(c.shape) * size_of(dtype), 3);
      const Oracle right = oracle(problem_of(family, dtype, c), in.data());
      const auto want =
          family == Family::transpose ? transposed(c, size_of(dtype), in) : reversed(c, size_of(dtype), in);
      CHECK_MESSAGE((right.want.bytes() == want.size() && std::equal(want.begin(), want.end(), right.want.data.get())),
                    text_of(family, c));
    };
    for (const Case& c : transposes()) check(Family::transpose, c);
    for (const Case& c : reverses()) check(Family::reverse, c);
  }
}
