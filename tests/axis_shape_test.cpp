// Shapes of launches of `axis` near the most blocks that a grid can have. Host code alone, so sizes may be those of no
// memory.
#include "../kernels/reduce/axis.hpp"
#include "../kernels/registry.hpp"
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

using namespace rung;
using namespace rung::test;

namespace {

constexpr std::size_t one_grid = 0x7fffffff;

struct Columns {
  std::size_t outer, inner;
  unsigned block;
};

/// The largest of u8, with one element to each result, on 132 multiprocessors.
reduce::AxisShape shape_of(const Columns& c) { return reduce::axis_shape(c.outer, 1, c.inner, 1, 132, c.block, true); }

/// Every column of every row has its thread, in a block that can be.
void check_covers(const reduce::AxisShape& s, const Columns& c) {
  CHECK(s.blocks() <= one_grid);
  CHECK(s.blocks() * s.teams >= s.strips);
  CHECK(s.strips == c.outer * s.tiles);
  CHECK(s.tiles * s.width * s.columns >= c.inner);
  CHECK(s.block == s.width * s.height * s.teams);
  CHECK(s.block <= 1024);
}

}  // namespace

TEST_CASE("axis: columns that fill a grid on aligned memory fit one on other memory too") {
  // Of 66, 130 and 341 GiB, input and output together, and one that needs the largest blocks.
  for (const Columns& c : {Columns{std::size_t{1} << 28, 132, 32},
                           {std::size_t{1} << 28, 260, 64},
                           {(std::size_t{1} << 29) + 4, 340, 0},
                           {one_grid, 1020, 256}}) {
    CAPTURE(c.block);
    const reduce::AxisShape aligned = shape_of(c), other = reduce::unaligned(aligned, 1);
    check_covers(aligned, c);
    check_covers(other, c);
    CHECK(aligned.columns == 4);
    CHECK(other.columns == 1);
    CHECK(other.strips / aligned.teams > one_grid);  // as many blocks as it had teams for would not fit
    CHECK(other.block > aligned.block);
  }
}

TEST_CASE("axis: blocks keep their size where a grid has room for them") {
  for (const Columns& c :
       {Columns{(std::size_t{1} << 28) - 1, 132, 32}, {32 * one_grid, 4, 0}, {1000, 340, 0}, {1, 64, 1024}}) {
    const reduce::AxisShape aligned = shape_of(c), other = reduce::unaligned(aligned, 1);
    check_covers(other, c);
    CHECK(other.block == aligned.block);
  }
}

TEST_CASE("axis: what no block is large enough for on other memory is refused") {
  const Kernel* axis = find_kernel(Family::reduce, Machine::sim, "axis");
  REQUIRE(axis);
  const auto takes = [&](std::size_t outer, std::size_t inner, unsigned block) {
    const Problem p = reduce_problem(DType::u8, {outer, 1, inner}, {1}, Op::max, Acc::wide);
    return static_cast<bool>(plan_of(*axis, p, {.block = block, .grid = 0, .items = 0}));
  };
  // A block holds 16 of the 32 tiles of 64 columns that make a row.
  CHECK(takes((std::size_t{1} << 30) - 1, 2048, 1024));
  CHECK_FALSE(takes(std::size_t{1} << 30, 2048, 1024));
  CHECK(takes(std::size_t{1} << 28, 132, 32));
}
