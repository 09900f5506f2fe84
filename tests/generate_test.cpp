// Generated data against arithmetic and a published generator.
#include "../cli/commands/generate.hpp"
#include "../cli/commands/check.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

using namespace rung;
using namespace rung::cli;

namespace {

template <class T>
std::vector<T> values(const HostArray& array) {
  std::vector<T> out(array.size());
  std::memcpy(out.data(), array.data.get(), array.bytes());
  return out;
}

template <class T>
HostArray array_of(DType dtype, Shape shape, const std::vector<T>& elements) {
  HostArray array{dtype, std::move(shape), allocate_bytes(elements.size() * sizeof(T))};
  std::memcpy(array.data.get(), elements.data(), elements.size() * sizeof(T));
  return array;
}

bool settled_by_exact_data(const HostArray& array, Op op = Op::sum) {
  const Problem p = reduce_problem(array.dtype, array.shape, {}, op, Acc::wide);
  return make_judge(p, array.data.get()).exact_data;
}

}  // namespace

TEST_CASE("random words are SplitMix64's") {
  // The reference sequence of seed 0 starts e220a8397b1dcdaf 6e789e6aa1b965f4 (Vigna, splitmix64.c): a stream is that
  // sequence from a state of its own, so neighbours in a stream differ by one step.
  const auto step = [](std::uint64_t state) {
    std::uint64_t z = state + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  CHECK(step(0) == 0xe220a8397b1dcdafu);
  CHECK(random_word(0, 0) == step(step(0)));
  CHECK(random_word(5, 3) == step(step(5) + 3 * 0x9e3779b97f4a7c15u));
}

TEST_CASE("uniform data stay in their range and fill it") {
  const auto floats = values<float>(generate({100000}, DType::f32, Distribution::uniform, 1));
  double sum = 0;
  for (const float v : floats) {
    REQUIRE(v >= 0);
    REQUIRE(v < 1);
    sum += v;
  }
  // The mean of 10^5 uniform numbers has a deviation of 0.0009; this allows eleven of them.
  CHECK(std::abs(sum / 1e5 - 0.5) < 0.01);
  std::set<int> bytes;
  for (const std::int8_t v : values<std::int8_t>(generate({10000}, DType::i8, Distribution::uniform, 1)))
    bytes.insert(v);
  CHECK(bytes.size() == 256);
  for (const std::uint8_t v : values<std::uint8_t>(generate({1000}, DType::boolean, Distribution::uniform, 1)))
    REQUIRE(v <= 1);
}

TEST_CASE("normal data have mean 0 and deviation 1, and integers refuse them") {
  const auto draws = values<double>(generate({100000}, DType::f64, Distribution::normal, 2));
  double sum = 0, squares = 0;
  for (const double v : draws) {
    sum += v;
    squares += v * v;
  }
  CHECK(std::abs(sum / 1e5) < 0.03);
  CHECK(std::abs(squares / 1e5 - 1) < 0.05);
  CHECK_THROWS_AS(generate({3}, DType::i32, Distribution::normal, 0), UsageError);
  CHECK_THROWS_AS(generate({3}, DType::boolean, Distribution::normal, 0), UsageError);
}

TEST_CASE("arange counts as far as the type does, exactly") {
  const auto u8 = values<std::uint8_t>(generate({300}, DType::u8, Distribution::arange, 9));
  CHECK(u8[255] == 255);
  CHECK(u8[299] == 43);
  const auto f16 = values<F16>(generate({3000}, DType::f16, Distribution::arange, 9));
  CHECK(to_float(f16[2047]) == 2047);
  CHECK(to_float(f16[2048]) == 0);
  CHECK(to_float(f16[2999]) == 951);
  const auto bf16 = values<BF16>(generate({300}, DType::bf16, Distribution::arange, 9));
  CHECK(to_float(bf16[255]) == 255);
  CHECK(to_float(bf16[256]) == 0);
  const auto c64 = values<Complex<float>>(generate({4}, DType::c64, Distribution::arange, 9));
  CHECK(c64[3].re == 3);
  CHECK(c64[3].im == 0);
}

TEST_CASE("exact data cannot round in any order") {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128}) {
    const double limit = dtype == DType::f64 || dtype == DType::c128 ? 0x1p53 : 0x1p24;
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 24, (std::size_t{1} << 24) + 1, std::size_t{1} << 40}) {
      const ExactRule rule = exact_rule(dtype, n);
      REQUIRE(rule.magnitude >= 1);
      const double places = std::ceil(static_cast<double>(n) / static_cast<double>(rule.stride));
      CHECK(places * static_cast<double>(rule.magnitude) <= limit);
    }
  }
  // More elements than the accumulator has integers: most must be 0.
  double magnitude = 0;
  for (const F16 v : values<F16>(generate({(std::size_t{1} << 25) + 1}, DType::f16, Distribution::exact, 3)))
    magnitude += std::abs(to_float(v));
  CHECK(magnitude <= 0x1p24);
  CHECK(magnitude > 0);
  bool negative = false, positive = false;
  for (const float v : values<float>(generate({1000}, DType::f32, Distribution::exact, 3))) {
    REQUIRE(v == std::trunc(v));
    REQUIRE(std::abs(v) <= 100);
    negative = negative || v < 0;
    positive = positive || v > 0;
  }
  CHECK(negative);
  CHECK(positive);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128})
    CHECK(settled_by_exact_data(generate({5000}, dtype, Distribution::exact, 3)));
}

TEST_CASE("data are taken for exact only when they are") {
  CHECK(settled_by_exact_data(array_of<float>(DType::f32, {3}, {8388608, 8388607, 1})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {3}, {8388608, 8388607, 2})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {3}, {8388608, -8388607, 2})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, 0.5F})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, INFINITY})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, NAN})));
  CHECK(!settled_by_exact_data(array_of<float>(DType::f32, {2}, {1, 2}), Op::prod));
}

TEST_CASE("a seed names one array, and seeds differ") {
  for (const auto& row : dtype_table) {
    const auto a = generate({64}, row.dtype, Distribution::uniform, 7),
               b = generate({64}, row.dtype, Distribution::uniform, 7);
    const auto c = generate({64}, row.dtype, Distribution::uniform, 8);
    CHECK(std::memcmp(a.data.get(), b.data.get(), a.bytes()) == 0);
    CHECK(std::memcmp(a.data.get(), c.data.get(), a.bytes()) != 0);
  }
}
