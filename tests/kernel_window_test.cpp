// Permutations whose output rows are short, and which window therefore takes together with the axis above: lengths
// that divide into tiles and lengths that do not, the axis above moved or not, whole lines and lines that start
// anywhere. And the tiles that it has for small elements alone, around their sizes.
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <utility>

using namespace rung;
using namespace rung::test;

namespace {

using Axes = std::array<std::size_t, 4>;

/// in[a, b, c, d], whose axis axes[k] is axis k of the output, coordinate by coordinate.
std::vector<std::byte> permuted(const Shape& shape, const Axes& axes, std::size_t size,
                                const std::vector<std::byte>& in) {
  std::vector<std::byte> out(in.size());
  std::size_t i = 0;
  for (std::size_t a = 0; a < shape[0]; ++a)
    for (std::size_t b = 0; b < shape[1]; ++b)
      for (std::size_t c = 0; c < shape[2]; ++c)
        for (std::size_t d = 0; d < shape[3]; ++d, ++i) {
          const Axes at{a, b, c, d};
          std::size_t to = 0;
          for (const std::size_t axis : axes) to = to * shape[axis] + at[axis];
          std::memcpy(out.data() + to * size, in.data() + i * size, size);
        }
  return out;
}

/// Calls use(kernel) with the window of each machine that is tested.
template <class Use>
void each_window(Use&& use) {
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(Family::transpose, machine))
      if (kernel->info().name == "window") use(*kernel);
}

void check(const Kernel& window, const Shape& shape, const Axes& axes, DType dtype, unsigned misaligned) {
  const std::size_t size = size_of(dtype);
  const auto in = noise(element_count(shape) * size, 7);
  const Problem p = transpose_problem(dtype, shape, {axes.begin(), axes.end()});
  const Outcome outcome = run_guarded(window, p, in, {.misaligned = misaligned});
  CAPTURE(to_string(shape));
  CAPTURE(size);
  CAPTURE(misaligned);
  CHECK(outcome.refusal.empty());
  CHECK(outcome.fault.empty());
  CHECK(outcome.out == permuted(shape, axes, size, in));
}

}  // namespace

TEST_SUITE_BEGIN("transpose kernels");
TEST_CASE("window: short output rows are taken together with the axis above") {
  const std::array shapes{Shape{1, 64, 10, 512}, Shape{1, 20, 5, 48}, Shape{1, 7, 9, 64},  Shape{1, 48, 7, 160},
                          Shape{6, 4, 3, 64},    Shape{3, 2, 33, 16}, Shape{17, 9, 2, 32}, Shape{2, 3, 5, 7}};
  each_window([&](const Kernel& window) {
    for (const Shape& shape : shapes)
      for (const DType dtype : {DType::u8, DType::f16, DType::u32, DType::f64, DType::c128})
        for (const unsigned misaligned : {0u, 1u}) check(window, shape, {3, 2, 1, 0}, dtype, misaligned);
    // The axis above lies further apart than the rows: where each row were taken to be one stride below the one above,
    // all of them would still lie inside the array.
    for (const auto& [dtype, shape] : {std::pair{DType::u8, Shape{3, 2, 40, 288}},
                                       {DType::u8, Shape{40, 2, 9, 480}},
                                       {DType::u16, Shape{11, 2, 56, 320}},
                                       {DType::u32, Shape{6, 2, 24, 160}}})
      check(window, shape, {3, 1, 0, 2}, dtype, 0);
  });
}
TEST_CASE("window: small elements whose rows or columns start anywhere") {
  // Tiles of 128 rows: one, one that also takes the rows that moved windows leave, two and more of them, and one that
  // does not. 240 columns of bytes, 120 of two, in halves of 128 and 64 of them; whole lines or rows of any start.
  each_window([](const Kernel& window) {
    for (const auto& [rows, cols] : {std::pair{97, 300},
                                     {98, 300},
                                     {127, 241},
                                     {128, 300},
                                     {129, 256},
                                     {254, 360},
                                     {401, 467},
                                     {500, 496},
                                     {1151, 301}})
      for (const DType dtype : {DType::u8, DType::u16})
        for (const unsigned misaligned : {0u, 1u, 7u})
          check(window, {1, 1, std::size_t(rows), std::size_t(cols)}, {0, 1, 3, 2}, dtype, misaligned);
  });
}
TEST_SUITE_END();
