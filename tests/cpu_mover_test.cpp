// What is particular to the native movers: the edges of squares and vectors, streamed outputs, aligned or not.
#include "../kernels/machine/cpu/targets.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/registry.hpp"

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace rung;

namespace {

Device& device() {
  static const auto opened = open_device(Machine::cpu);
  return *opened;
}

constexpr DType dtype_of_size[] = {DType::u8, DType::f16, DType::f32, DType::f64, DType::c128};

/// Runs every native kernel of the family, on every instruction set there is, from and to memory `shift` elements past
/// a cache line. input_of(i): the input element that output element i must be.
template <class InputOf>
void check_mover(const Problem& p, std::size_t shift, const InputOf& input_of) {
  const std::size_t size = size_of(p.dtype), n = p.input_elements();
  const DeviceBuffer in(device(), (n + shift) * size), out(device(), (n + shift + 1) * size);
  std::mt19937 random(3);
  auto* from = static_cast<std::byte*>(in.get()) + shift * size;
  auto* to = static_cast<std::byte*>(out.get()) + shift * size;
  for (std::size_t i = 0; i < n * size; ++i) from[i] = static_cast<std::byte>(random());
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    for (const Kernel* kernel : kernels(p.family, Machine::cpu)) {
      INFO(std::string(kernel->info().name)
           << " on " << std::string(hwy::TargetName(target)) << ", size " << size << ", shift " << shift);
      device().fill(out.get(), 0xcd, (n + shift + 1) * size);
      kernel->run(p, {}, device().properties(), {from, to, nullptr}, {});
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += std::memcmp(to + i * size, from + input_of(i) * size, size) != 0;
      CHECK(wrong == 0);
      std::size_t outside = 0;
      for (std::size_t i = 0; i < shift * size; ++i)
        outside += static_cast<std::byte*>(out.get())[i] != std::byte{0xcd};
      for (std::size_t i = 0; i < size; ++i) outside += to[n * size + i] != std::byte{0xcd};
      CHECK(outside == 0);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void check_transpose(DType dtype, std::size_t rows, std::size_t cols, std::size_t shift) {
  INFO(rows << "x" << cols);
  check_mover(transpose_problem(dtype, {rows, cols}, {1, 0}), shift,
              [=](std::size_t i) { return i % rows * cols + i / rows; });
}

}  // namespace

TEST_CASE("cpu movers: transposes of every edge of a square") {
  for (const DType dtype : dtype_of_size) {
    const std::size_t side = 64 / size_of(dtype);
    for (const std::size_t rows : {std::size_t{1}, side - 1, side, side + 1, 8 * side, 9 * side - 1})
      for (const std::size_t cols : {std::size_t{2}, side - 1, side, side + 1, 8 * side + 3})
        for (const std::size_t shift : {0, 1}) check_transpose(dtype, rows, cols, shift);
  }
}

TEST_CASE("cpu movers: streamed outputs, with lines aligned and not") {
  check_transpose(DType::f32, 2048, 1040, 0);
  check_transpose(DType::f32, 2048, 1040, 1);
  check_transpose(DType::f32, 2047, 1040, 0);
  check_transpose(DType::u8, 4096, 2112, 0);
  for (const DType dtype : dtype_of_size) {
    const std::size_t n = (std::size_t{9} << 20) / size_of(dtype) + 3;
    for (const std::size_t shift : {0, 1, 2})
      check_mover(reverse_problem(dtype, {n}, {}), shift, [=](std::size_t i) { return n - 1 - i; });
  }
}

TEST_CASE("cpu movers: batches whose planes are not whole lines apart are not streamed") {
  const std::size_t rows = 1056, cols = 65, batch = 41;  // planes of 68,640 floats: 4,290 lines
  const std::size_t odd_rows = 1055;                     // and of 68,575: not whole lines
  for (const std::size_t r : {rows, odd_rows})
    check_mover(transpose_problem(DType::f32, {batch, r, cols}, {0, 2, 1}), 0, [=](std::size_t i) {
      const std::size_t b = i / (r * cols), c = i / r % cols;
      return b * r * cols + i % r * cols + c;
    });
}

TEST_CASE("cpu movers: permutations of four axes") {
  const std::size_t shape[] = {5, 17, 33, 20};
  for (const DType dtype : dtype_of_size) {
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
      CAPTURE(order);
      check_mover(transpose_problem(dtype, {shape[0], shape[1], shape[2], shape[3]}, order), 1, [&](std::size_t i) {
        std::size_t place[4];
        for (std::size_t k = 4; k-- > 0; i /= shape[order[k]]) place[order[k]] = i % shape[order[k]];
        return ((place[0] * shape[1] + place[1]) * shape[2] + place[2]) * shape[3] + place[3];
      });
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE("cpu movers: reverses of every tail, and along every set of axes") {
  for (const DType dtype : dtype_of_size)
    for (std::size_t n = 1; n <= 200; n += n < 70 ? 1 : 13)
      check_mover(reverse_problem(dtype, {n}, {}), n % 3, [=](std::size_t i) { return n - 1 - i; });
  const std::size_t a = 7, b = 35, c = 130;
  for (const DType dtype : dtype_of_size)
    for (unsigned set = 1; set < 8; ++set) {
      CAPTURE(set);
      std::vector<std::size_t> axes;
      for (std::size_t k = 0; k < 3; ++k)
        if (set >> k & 1u) axes.push_back(k);
      check_mover(reverse_problem(dtype, {a, b, c}, axes), 0, [=](std::size_t i) {
        const std::size_t x = i / (b * c), y = i / c % b, z = i % c;
        return ((set & 1u ? a - 1 - x : x) * b + (set & 2u ? b - 1 - y : y)) * c + (set & 4u ? c - 1 - z : z);
      });
    }
}
