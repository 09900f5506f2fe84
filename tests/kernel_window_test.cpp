// Permutations whose output rows are short, and which window therefore takes together with the axis above: lengths
// that divide into tiles and lengths that do not, the axis above moved or not, whole lines and lines that start
// anywhere.
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>

using namespace rung;
using namespace rung::test;

namespace {

/// in[a, b, c, d] to out[d, c, b, a], coordinate by coordinate.
std::vector<std::byte> reversed_axes(const Shape& shape, std::size_t size, const std::vector<std::byte>& in) {
  std::vector<std::byte> out(in.size());
  const std::size_t na = shape[0], nb = shape[1], nc = shape[2], nd = shape[3];
  for (std::size_t a = 0; a < na; ++a)
    for (std::size_t b = 0; b < nb; ++b)
      for (std::size_t c = 0; c < nc; ++c)
        for (std::size_t d = 0; d < nd; ++d)
          std::memcpy(out.data() + (((d * nc + c) * nb + b) * na + a) * size,
                      in.data() + (((a * nb + b) * nc + c) * nd + d) * size, size);
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("transpose kernels");
TEST_CASE("window: short output rows are taken together with the axis above") {
  const std::array shapes{Shape{1, 64, 10, 512}, Shape{1, 20, 5, 48}, Shape{1, 7, 9, 64},  Shape{1, 48, 7, 160},
                          Shape{6, 4, 3, 64},    Shape{3, 2, 33, 16}, Shape{17, 9, 2, 32}, Shape{2, 3, 5, 7}};
  for (const Machine machine : machines()) {
    const std::vector<const Kernel*> kernels = chosen(Family::transpose, machine);
    const auto window = std::ranges::find_if(kernels, [](const Kernel* k) { return k->info().name == "window"; });
    if (window == kernels.end()) continue;
    for (const Shape& shape : shapes)
      for (const DType dtype : {DType::u8, DType::f16, DType::u32, DType::f64, DType::c128})
        for (const bool misaligned : {false, true}) {
          const std::size_t size = size_of(dtype);
          const auto in = noise(element_count(shape) * size, 7);
          const Problem p = transpose_problem(dtype, shape, {3, 2, 1, 0});
          const Outcome outcome = run_guarded(**window, p, in, {.misaligned = misaligned});
          CAPTURE(to_string(shape));
          CAPTURE(size);
          CAPTURE(misaligned);
          CHECK(outcome.refusal.empty());
          CHECK(outcome.fault.empty());
          CHECK(outcome.out == reversed_axes(shape, size, in));
        }
  }
}
TEST_SUITE_END();
