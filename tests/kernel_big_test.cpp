// Sizes past 2^31 and 2^32, and grids past 65,535 tiles. Needs up to 14 GB, so RUNG_BIG_TESTS=1 asks for it.
// Right answers are closed forms, not the oracle's.
#include "kernel_matrix.hpp"

#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

using namespace rung;
using namespace rung::test;

namespace {

bool wanted() {
  const char* value = std::getenv("RUNG_BIG_TESTS");
  if (value && std::strcmp(value, "1") == 0) return true;
  MESSAGE("skipped: RUNG_BIG_TESTS=1 runs it");
  return false;
}

/// Every kernel of a machine, on an input that `fill` brings there once. `judge` gets kernel, device, output.
void each_on(Machine machine, const Problem& p, const std::function<void(Device&, std::byte*)>& fill,
             const std::function<void(const std::string&, Device&, const std::byte*)>& judge) {
  Device& on = *device(machine);
  const DeviceBuffer input(on, p.input_bytes()), output(on, p.output_bytes());
  fill(on, static_cast<std::byte*>(input.get()));
  for (const Kernel* kernel : chosen(p.family, machine)) {
    const std::string name =
        std::string(name_of(machine)) + " " + std::string(kernel->info().name) + ", " + describe(p);
    const Plan plan = kernel->plan(p, {}, on.properties());
    if (!plan) {
      MESSAGE(name, " refused: ", plan.refusal);
      continue;
    }
    on.fill(output.get(), 0xcd, p.output_bytes());
    const DeviceBuffer workspace(on, plan.workspace);
    try {
      kernel->run(p, {}, on.properties(), {input.get(), output.get(), workspace.get()}, {});
      on.synchronize();
    } catch (const Error& e) {
      FAIL_CHECK(name, ": ", e.what());
      continue;
    }
    judge(name, on, static_cast<const std::byte*>(output.get()));
  }
}

/// Every kernel of the machines that are no simulation. `judge` gets kernel, output.
void each(const Problem& p, const std::vector<std::byte>& in,
          const std::function<void(const std::string&, const std::vector<std::byte>&)>& judge) {
  const auto fill = [&](Device& on, std::byte* input) { on.upload(input, in.data(), in.size()); };
  for (const Machine machine : machines()) {
    if (machine == Machine::sim) continue;
    each_on(machine, p, fill, [&](const std::string& name, Device& on, const std::byte* output) {
      std::vector<std::byte> out(p.output_bytes());
      on.download(out.data(), output, out.size());
      judge(name, out);
    });
  }
}

void check_value(const Problem& p, const std::vector<std::byte>& in, std::int64_t want) {
  each(p, in, [&](const std::string& name, const std::vector<std::byte>& out) {
    std::int64_t got = 0;
    if (out.size() == 1)
      got = static_cast<std::int8_t>(out[0]);
    else
      std::memcpy(&got, out.data(), sizeof got);
    CHECK_MESSAGE(got == want, name, ": got ", got, ", want ", want);
  });
}

/// Byte i of a pattern with no period that a tile or a 32-bit index could hide in.
std::byte pattern(std::size_t i) { return static_cast<std::byte>((i * 0x9e3779b97f4a7c15ull) >> 56); }

/// Transposes bytes whose values are pattern(index). The host never holds more than a piece of either side. Of many
/// pieces it looks at every eighth, and at the first, the last and those around 2^31 and 2^32.
void check_transposes(Machine machine, std::size_t rows, std::size_t cols, std::size_t most_of_piece) {
  const std::size_t n = rows * cols;
  std::vector<std::byte> piece(std::min(n, most_of_piece));
  const auto each_piece = [&](const auto& visit) {
    for (std::size_t first = 0; first < n; first += piece.size()) visit(first, std::min(piece.size(), n - first));
  };
  const auto fill = [&](Device& on, std::byte* input) {
    each_piece([&](std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) piece[i] = pattern(first + i);
      on.upload(input + first, piece.data(), count);
    });
  };
  const auto judge = [&](const std::string& name, Device& on, const std::byte* output) {
    std::size_t wrong = 0;
    each_piece([&](std::size_t first, std::size_t count) {
      const auto holds = [&](std::size_t place) { return first <= place && place <= first + count; };
      const bool at_edge = holds(std::size_t{1} << 31) || holds(std::size_t{1} << 32), last = first + count == n;
      if (n > 100 * 1000 * 1000 && first / piece.size() % 8 != 0 && !at_edge && !last) return;
      on.download(piece.data(), output + first, count);
      std::size_t row = first % rows, column = first / rows;
      for (std::size_t i = 0; i < count; ++i) {
        wrong += piece[i] != pattern(row * cols + column);
        if (++row == rows) row = 0, ++column;
      }
    });
    CHECK_MESSAGE(wrong == 0, name, ": ", wrong, " elements wrong");
  };
  each_on(machine, transpose_problem(DType::u8, {rows, cols}, {1, 0}), fill, judge);
}

}  // namespace

TEST_CASE("big: u8 of 2^32 + 5 elements, summed") {
  if (!wanted()) return;
  constexpr std::size_t n = (std::size_t{1} << 32) + 5;
  std::vector<std::byte> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<std::byte>(i);
  // 2^24 full periods of 0 + 1 + … + 255, then 0 + 1 + 2 + 3 + 4.
  check_value(reduce_problem(DType::u8, {n}, {}, Op::sum, Acc::wide), in,
              (std::int64_t{1} << 24) * (255 * 256 / 2) + 10);
}

TEST_CASE("big: i8 past 2^31 and 2^32, sum, max and argmax at the first and the last place") {
  if (!wanted()) return;
  for (const std::size_t n : {(std::size_t{1} << 31) + 5, (std::size_t{1} << 32) + 5}) {
    std::vector<std::byte> in(n, static_cast<std::byte>(-1));
    const auto reduce = [&](Op op) { return reduce_problem(DType::i8, {n}, {}, op, Acc::wide); };
    check_value(reduce(Op::sum), in, -static_cast<std::int64_t>(n));
    for (const std::size_t place : {std::size_t{0}, n - 1}) {
      in[place] = std::byte{7};
      check_value(reduce(Op::max), in, 7);
      check_value(reduce(Op::argmax), in, static_cast<std::int64_t>(place));
      in[place] = static_cast<std::byte>(-1);
    }
  }
}

TEST_CASE("big: f32 of 2^31 + 5 elements, summed") {
  if (!wanted()) return;
  constexpr std::size_t n = (std::size_t{1} << 31) + 5;
  std::vector<std::byte> in(n * sizeof(float));
  const float one = 1;
  for (std::size_t i = 0; i < n; ++i) std::memcpy(in.data() + i * sizeof one, &one, sizeof one);
  each(reduce_problem(DType::f32, {n}, {}, Op::sum, Acc::wide), in, [&](const std::string& name, const auto& out) {
    float got = 0;
    std::memcpy(&got, out.data(), sizeof got);
    // The f64 accumulator holds every partial sum of ones exactly; the f32 result is n rounded.
    CHECK_MESSAGE(got == static_cast<float>(n), name, ": got ", got);
  });
}

TEST_CASE("big: i8 of 16,000,000 x 200 summed along axis 1") {
  if (!wanted()) return;
  constexpr std::size_t rows = 16'000'000, cols = 200;
  std::vector<std::byte> in(rows * cols);
  for (std::size_t r = 0; r < rows; ++r) std::memset(in.data() + r * cols, static_cast<int>(r % 251) - 125, cols);
  each(reduce_problem(DType::i8, {rows, cols}, {1}, Op::sum, Acc::wide), in,
       [&](const std::string& name, const auto& out) {
         std::size_t wrong = 0;
         for (std::size_t r = 0; r < rows; ++r) {
           std::int64_t got = 0;
           std::memcpy(&got, out.data() + r * sizeof got, sizeof got);
           wrong += got != static_cast<std::int64_t>(cols) * (static_cast<std::int64_t>(r % 251) - 125);
         }
         CHECK_MESSAGE(wrong == 0, name, ": ", wrong, " rows wrong");
       });
}

TEST_CASE("big: transposes of more tiles than a grid has rows") {
  if (!wanted()) return;
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{4194305, 2}, {2, 4194305}, {70000 * 32 + 1, 33}}) {
    std::vector<std::byte> in(rows * cols);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = pattern(i);
    each(transpose_problem(DType::u8, {rows, cols}, {1, 0}), in, [&](const std::string& name, const auto& out) {
      std::size_t wrong = 0;
      for (std::size_t c = 0; c < cols; ++c)
        for (std::size_t r = 0; r < rows; ++r) wrong += out[c * rows + r] != in[r * cols + c];
      CHECK_MESSAGE(wrong == 0, name, ": ", wrong, " elements wrong");
    });
  }
}

TEST_CASE("big: transposes of more than 2^32 bytes: few columns, few rows, many of both") {
  if (!wanted()) return;
  constexpr std::size_t many = (std::size_t{1} << 29) + 17;
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{many, 12}, {12, many}, {65537, 65551}})
    for (const Machine machine : machines())
      if (machine != Machine::sim) check_transposes(machine, rows, cols, std::size_t{64} << 20);
}

TEST_CASE("big: the same of sizes that every machine takes" * doctest::test_suite("transpose kernels")) {
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{4113, 12}, {12, 4113}, {257, 131}})
    for (const Machine machine : machines()) check_transposes(machine, rows, cols, 1000);
}

TEST_CASE("big: more matrices than a grid has rows of blocks") {
  if (!wanted()) return;
  constexpr std::size_t count = 65537;
  for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{2, 2}, {2, 3}, {4, 5}, {5, 4}}) {
    const std::size_t each_one = rows * cols;
    std::vector<std::byte> in(each_one * count);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = pattern(i);
    each(transpose_problem(DType::u8, {count, rows, cols}, {0, 2, 1}), in,
         [&](const std::string& name, const auto& out) {
           std::size_t wrong = 0;
           for (std::size_t i = 0; i < in.size(); ++i) {
             const std::size_t row = i % each_one % rows, column = i % each_one / rows;
             wrong += out[i] != in[i / each_one * each_one + row * cols + column];
           }
           CHECK_MESSAGE(wrong == 0, name, ": ", wrong, " elements wrong");
         });
  }
}

TEST_CASE("big: u8 of 2^32 + 5 elements, reversed") {
  if (!wanted()) return;
  constexpr std::size_t n = (std::size_t{1} << 32) + 5;
  std::vector<std::byte> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = pattern(i);
  each(reverse_problem(DType::u8, {n}, {}), in, [&](const std::string& name, const auto& out) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += out[i] != in[n - 1 - i];
    CHECK_MESSAGE(wrong == 0, name, ": ", wrong, " elements wrong");
  });
}
