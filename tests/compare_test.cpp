// The comparator must reject what a broken kernel gives: NaN, stale, short, shifted, one ulp too far.
#include "../reference/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using namespace rung;

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// A whole-array reduction of `in`, judged against `got`.
template <class T, class R>
Comparison judged(const std::vector<T>& in, Op op, R got, double chain = 10, Acc acc = Acc::wide, bool exact = false) {
  const Problem p = reduce_problem(dtype_of<T>, {in.size()}, {}, op, acc);
  REQUIRE(p.output_dtype() == dtype_of<R>);
  return compare(p, oracle(p, in.data()), &got, chain, exact);
}
template <class T, class R>
Verdict verdict(const std::vector<T>& in, Op op, R got, double chain = 10, Acc acc = Acc::wide, bool exact = false) {
  return judged(in, op, got, chain, acc, exact).verdict;
}

const std::vector<float> halves{0.5f, 1.5f, -3.0f, 8.0f};  // S = 7, A = 13
const std::vector<double> doubles{0.5, 1.5, -3.0, 8.0};

}  // namespace

TEST_CASE("compare: rows of results, stale, short and shifted by one") {
  constexpr std::size_t rows = 1000, n = 7;
  std::vector<float> in(rows * n);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<float>(k % 89) - 40.25f;
  const Problem p = reduce_problem(DType::f32, {rows, n}, {1}, Op::sum, Acc::wide);
  const Oracle o = oracle(p, in.data());
  std::vector<float> right(rows);
  std::memcpy(right.data(), o.want.data.get(), rows * sizeof(float));
  CHECK(compare(p, o, right.data(), 7).verdict == Verdict::pass);
  CHECK(compare(p, o, right.data(), 7).mismatches == 0);

  std::vector<float> stale(rows);
  std::memset(stale.data(), 0xa5, rows * sizeof(float));
  CHECK(compare(p, o, stale.data(), 7).mismatches == rows);
  std::memset(stale.data(), 0xff, rows * sizeof(float));  // NaN
  CHECK(compare(p, o, stale.data(), 7).mismatches == rows);

  std::vector<float> short_of = right;  // the last result was never written
  short_of.back() = -1.5e-16f;
  const Comparison last = compare(p, o, short_of.data(), 7);
  CHECK(last.verdict == Verdict::fail);
  CHECK(last.mismatches == 1);
  REQUIRE(last.first.size() == 1);
  CHECK(last.first[0].index == rows - 1);
  CHECK(last.first[0].got == "-1.5e-16");

  std::vector<float> shifted(right.begin() + 1, right.end());
  shifted.push_back(right.front());
  const Comparison moved = compare(p, o, shifted.data(), 7);
  CHECK(moved.verdict == Verdict::fail);
  CHECK(moved.mismatches > rows / 2);
  REQUIRE(moved.first.size() == 5);
  for (std::size_t k = 1; k < 5; ++k) CHECK(moved.first[k - 1].index < moved.first[k].index);
}

TEST_CASE("compare: mismatches are counted over all of a large result, and the first five are shown") {
  constexpr std::size_t n = 100'000;
  std::vector<std::int32_t> in(n), got(n);
  for (std::size_t k = 0; k < n; ++k) in[k] = static_cast<std::int32_t>(k);
  const Problem p = reverse_problem(DType::i32, {n}, {});
  for (std::size_t k = 0; k < n; ++k) got[k] = static_cast<std::int32_t>(n - 1 - k);
  CHECK(compare(p, oracle(p, in.data()), got.data(), 0).verdict == Verdict::pass);
  std::size_t wrong = 0;
  for (std::size_t k = 7; k < n; k += 9973, ++wrong) got[k] += 2;
  const Comparison c = compare(p, oracle(p, in.data()), got.data(), 0);
  CHECK(c.verdict == Verdict::fail);
  CHECK(c.mismatches == wrong);
  REQUIRE(c.first.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) CHECK(c.first[k].index == 7 + 9973 * k);
  CHECK(c.first[1].want == "90019");
  CHECK(c.first[1].got == "90021");
  CHECK(c.first[1].ulp == 2);
  CHECK(c.error == 2);
}

TEST_CASE("compare: a float sum one ulp beyond its bound fails, on it passes") {
  // f32 `same`, d = 10: bound = γ_10 · 13 + 2^-24 · 7, γ_10 = 10u / (1 − 10u): 8.16e-6, and an ulp of 7 is 4.77e-7.
  const double u = 0x1p-24, bound = 10 * u / (1 - 10 * u) * 13 + u * 7;
  float on = 7, beyond = 7;
  while (static_cast<double>(std::nextafter(on, 8.0f)) - 7 <= bound) on = std::nextafter(on, 8.0f);
  beyond = std::nextafter(on, 8.0f);
  CHECK(on > 7);
  CHECK(verdict(halves, Op::sum, on, 10, Acc::same) == Verdict::pass);
  const Comparison c = judged(halves, Op::sum, beyond, 10, Acc::same);
  CHECK(c.verdict == Verdict::fail);
  CHECK(c.error == static_cast<double>(beyond) - 7);
  CHECK(c.bound == doctest::Approx(bound).epsilon(1e-6));
  REQUIRE(c.first.size() == 1);
  CHECK(c.first[0].want == "7");
  CHECK(c.first[0].ulp == std::round((static_cast<double>(beyond) - 7) / 0x1p-21));
  // The wide accumulator leaves the rounding of the result alone: u_out · 7 is less than an ulp of 7.
  CHECK(verdict(halves, Op::sum, std::nextafter(7.0f, 8.0f)) == Verdict::fail);
  CHECK(verdict(halves, Op::sum, 7.0f) == Verdict::pass);
  CHECK(verdict(doubles, Op::sum, 7 + 8 * 0x1p-50) == Verdict::pass);  // γ_10·13 = 1.44e-14 = 16 · 2^-50
  CHECK(verdict(doubles, Op::sum, 7 + 18 * 0x1p-50) == Verdict::fail);
  CHECK(verdict(doubles, Op::mean, 1.75 + 2 * 0x1p-50) == Verdict::pass);
  CHECK(verdict(doubles, Op::mean, 1.75 + 8 * 0x1p-50) == Verdict::fail);
}

TEST_CASE("compare: NaN and infinities of sums") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  CHECK(verdict(halves, Op::sum, nan) == Verdict::fail);
  CHECK(verdict(halves, Op::sum, infinity) == Verdict::fail);
  CHECK(verdict(halves, Op::mean, nan) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, nan}, Op::sum, nan) == Verdict::pass);
  CHECK(verdict(std::vector<float>{1, nan}, Op::sum, 1.0f) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, nan}, Op::sum, infinity) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, infinity}, Op::sum, infinity) == Verdict::pass);
  CHECK(verdict(std::vector<float>{1, infinity}, Op::sum, -infinity) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, infinity}, Op::sum, nan) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, infinity}, Op::sum, std::numeric_limits<float>::max()) == Verdict::fail);
  CHECK(verdict(std::vector<float>{-infinity, infinity}, Op::sum, nan) == Verdict::pass);
  CHECK(verdict(std::vector<float>{-infinity, infinity}, Op::sum, 0.0f) == Verdict::fail);
}

TEST_CASE("compare: sums that overflow") {
  const float big = 3e38f, infinity = std::numeric_limits<float>::infinity();
  // All of one sign: every order overflows.
  CHECK(verdict(std::vector<float>{big, big}, Op::sum, infinity, 1, Acc::same) == Verdict::pass);
  CHECK(verdict(std::vector<float>{big, big}, Op::sum, infinity, 1, Acc::wide) == Verdict::pass);
  CHECK(verdict(std::vector<float>{big, big}, Op::sum, -infinity, 1, Acc::wide) == Verdict::fail);
  CHECK(verdict(std::vector<float>{big, big}, Op::sum, std::numeric_limits<float>::max(), 1) == Verdict::fail);
  // Of both signs, S finite: the f32 accumulator may overflow on the way, the f64 one does not.
  CHECK(verdict(std::vector<float>{big, big, -big}, Op::sum, big, 2, Acc::same) == Verdict::unverifiable);
  CHECK(verdict(std::vector<float>{big, big, -big}, Op::sum, infinity, 2, Acc::same) == Verdict::unverifiable);
  CHECK(verdict(std::vector<float>{big, big, -big}, Op::sum, infinity, 2, Acc::wide) == Verdict::fail);
  CHECK(verdict(std::vector<float>{big, big, -big}, Op::sum, big, 2, Acc::wide) == Verdict::pass);
  CHECK(verdict(std::vector<double>{1e308, 1e308}, Op::mean, inf, 1) == Verdict::unverifiable);
  CHECK(verdict(std::vector<float>{-infinity, big, big}, Op::sum, -infinity, 2, Acc::same) == Verdict::unverifiable);
  CHECK_FALSE(judged(std::vector<double>{1e308, 1e308}, Op::mean, inf, 1).note.empty());
}

TEST_CASE("compare: a chain too long for its bound is unverifiable, and exact data settles it") {
  const double chain = 0.01 * 0x1p24;
  CHECK(verdict(halves, Op::sum, 7.0f, chain - 1, Acc::same) == Verdict::pass);
  CHECK(verdict(halves, Op::sum, 7.0f, chain + 1, Acc::same) == Verdict::unverifiable);
  CHECK(verdict(halves, Op::sum, 7.0f, chain + 1, Acc::wide) == Verdict::pass);
  const std::vector<float> integers{3, -5, 9, 100};
  CHECK(verdict(integers, Op::sum, 107.0f, chain + 1, Acc::same, true) == Verdict::pass);
  CHECK(verdict(integers, Op::sum, std::nextafter(107.0f, 0.0f), chain + 1, Acc::same, true) == Verdict::fail);
  CHECK(verdict(integers, Op::mean, 26.75f, chain + 1, Acc::same, true) == Verdict::pass);
  CHECK(verdict(integers, Op::mean, 26.7501f, chain + 1, Acc::same, true) == Verdict::fail);
  // Sums beyond 2^24 are not exact in an f32 accumulator, whatever the caller says.
  CHECK(verdict(std::vector<float>(3, 0x1p23f), Op::sum, 3 * 0x1p23f, chain + 1, Acc::same, true) ==
        Verdict::unverifiable);
}

TEST_CASE("compare: zeros") {
  CHECK(verdict(std::vector<float>{1, -1}, Op::sum, -0.0f) == Verdict::pass);
  CHECK(verdict(std::vector<float>{-0.0f, -0.0f}, Op::sum, 0.0f) == Verdict::pass);
  CHECK(verdict(std::vector<float>{-0.0f, -0.0f}, Op::sum, 0.0f, 1, Acc::wide, true) == Verdict::fail);
  CHECK(verdict(std::vector<float>{-0.0f, -0.0f}, Op::sum, -0.0f, 1, Acc::wide, true) == Verdict::pass);
  CHECK(verdict(std::vector<float>{0, 0}, Op::sum, 1e-45f) == Verdict::fail);
  CHECK(verdict(std::vector<float>{-0.0f, 0.0f}, Op::max, -0.0f) == Verdict::pass);
  CHECK(verdict(std::vector<float>{-2, 0}, Op::prod, 0.0f) == Verdict::pass);
  CHECK(verdict(std::vector<float>{}, Op::sum, 0.0f) == Verdict::pass);
  CHECK(verdict(std::vector<float>{}, Op::sum, 1.0f) == Verdict::fail);
  const float a = 0.0f, b = -0.0f;
  const Problem p = reverse_problem(DType::f32, {1}, {});
  CHECK(compare(p, oracle(p, &a), &b, 0).verdict == Verdict::fail);
}

TEST_CASE("compare: integers, min, max and places are exact") {
  const std::vector<std::int32_t> v{5, -7, 9};
  CHECK(verdict(v, Op::sum, std::int64_t{7}) == Verdict::pass);
  CHECK(verdict(v, Op::sum, std::int64_t{8}) == Verdict::fail);
  CHECK(judged(v, Op::sum, std::int64_t{9}).first[0].ulp == 2);
  CHECK(verdict(v, Op::argmax, std::int64_t{2}) == Verdict::pass);
  CHECK(verdict(v, Op::argmax, std::int64_t{1}) == Verdict::fail);
  CHECK(verdict(v, Op::min, std::int32_t{-7}) == Verdict::pass);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(verdict(std::vector<float>{1, nan, 3}, Op::max, nan) == Verdict::pass);
  CHECK(verdict(std::vector<float>{1, nan, 3}, Op::max, -nan) == Verdict::pass);
  CHECK(verdict(std::vector<float>{1, nan, 3}, Op::max, 3.0f) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, 2, 3}, Op::max, nan) == Verdict::fail);
  CHECK(verdict(std::vector<float>{1, 2, 3}, Op::max, std::nextafter(3.0f, 4.0f)) == Verdict::fail);
  CHECK(verdict(std::vector<Bool>{{0}, {9}}, Op::max, Bool{1}) == Verdict::pass);
  CHECK(verdict(std::vector<Bool>{{0}, {9}}, Op::max, Bool{0}) == Verdict::fail);
  CHECK(verdict(std::vector<Bool>{{0}, {9}}, Op::max, Bool{9}) == Verdict::fail);
  CHECK(verdict(std::vector<F16>{{0x3c00}, {0x4000}}, Op::max, F16{0x4001}) == Verdict::fail);
  CHECK(judged(std::vector<F16>{{0x3c00}, {0x2e66}}, Op::min, F16{0x2e67}).first[0].want == "0.1");
}

TEST_CASE("compare: mean of integers accumulates in f64") {
  const std::vector<std::int32_t> v{1, 2, 4};
  CHECK(verdict(v, Op::mean, 7.0 / 3, 2, Acc::same) == Verdict::pass);
  CHECK(verdict(v, Op::mean, 7.0 / 3 + 4 * 0x1p-51, 2, Acc::same) == Verdict::fail);
  CHECK(verdict(v, Op::mean, nan_, 2, Acc::same) == Verdict::fail);
}

TEST_CASE("compare: products") {
  const std::vector<double> v{1.1, 1.3, -1.7};
  const double want = 1.1 * 1.3 * -1.7;
  CHECK(verdict(v, Op::prod, want) == Verdict::pass);
  CHECK(verdict(v, Op::prod, want * (1 + 8 * 0x1p-52)) == Verdict::fail);
  CHECK(verdict(v, Op::prod, nan_) == Verdict::fail);
  CHECK(verdict(v, Op::prod, -want) == Verdict::fail);
  // All above 1: every order overflows.
  const std::vector<double> grows(2000, 1.5);
  CHECK(verdict(grows, Op::prod, inf) == Verdict::pass);
  CHECK(verdict(grows, Op::prod, -inf) == Verdict::fail);
  CHECK(verdict(grows, Op::prod, 1e308) == Verdict::fail);
  // All below 1: every order underflows to nothing or next to it.
  const std::vector<double> shrinks(3000, 0.5);
  CHECK(verdict(shrinks, Op::prod, 0.0) == Verdict::pass);
  CHECK(verdict(shrinks, Op::prod, 1e-300) == Verdict::fail);
  CHECK(verdict(std::vector<double>{0x1p-1000, 0x1p-60}, Op::prod, 0x1p-1060) == Verdict::pass);
  CHECK(verdict(std::vector<double>{0x1p-1000, 0x1p-60}, Op::prod, 0x1.1p-1060) == Verdict::fail);
  // Both: 1e200 · 1e200 · 1e-200 · 1e-200 is 1, infinite, or nothing, by its order.
  const std::vector<double> both{1e200, 1e200, 1e-200, 1e-200};
  CHECK(verdict(both, Op::prod, 1.0) == Verdict::unverifiable);
  CHECK(verdict(both, Op::prod, inf) == Verdict::unverifiable);
  CHECK(verdict(std::vector<double>{1e-200, 1e-200, 1e200}, Op::prod, 0.0) == Verdict::unverifiable);
  CHECK(verdict(std::vector<double>{1e200, 1e200, 0}, Op::prod, nan_) == Verdict::unverifiable);
  CHECK(verdict(std::vector<double>{1e200, 0}, Op::prod, nan_) == Verdict::fail);
  // f32 elements in an f64 accumulator pass 2^128 and come back.
  const std::vector<float> floats{0x1p100f, 0x1p100f, 0x1p-120f};
  CHECK(verdict(floats, Op::prod, 0x1p80f, 1, Acc::wide) == Verdict::pass);
  CHECK(verdict(floats, Op::prod, 0x1p80f, 1, Acc::same) == Verdict::unverifiable);
  CHECK(verdict(std::vector<float>(2, 0x1p100f), Op::prod, std::numeric_limits<float>::infinity()) == Verdict::pass);
  CHECK(verdict(std::vector<float>(200'000, 1.0f), Op::prod, 1.0f, 1, Acc::same) == Verdict::unverifiable);
  CHECK(verdict(std::vector<double>{inf, -2}, Op::prod, -inf) == Verdict::pass);
  CHECK(verdict(std::vector<double>{inf, -2}, Op::prod, inf) == Verdict::fail);
  CHECK(verdict(std::vector<double>{inf, 0}, Op::prod, nan_) == Verdict::pass);
  CHECK(verdict(std::vector<double>{inf, 1e-200, 1e-200}, Op::prod, nan_) == Verdict::unverifiable);
}

TEST_CASE("compare: complex numbers by modulus") {
  const std::vector<Complex<double>> z{{3, 4}, {5, -12}};  // sum 8 - 8i, product 63 - 16i
  using C = Complex<double>;
  CHECK(verdict(z, Op::sum, C{8, -8}, 1) == Verdict::pass);
  CHECK(verdict(z, Op::sum, C{8 + 64 * 0x1p-50, -8}, 1) == Verdict::fail);
  CHECK(verdict(z, Op::sum, C{8, 8}, 1) == Verdict::fail);
  CHECK(verdict(z, Op::sum, C{8, nan_}, 1) == Verdict::fail);
  CHECK(verdict(z, Op::prod, C{63, -16}) == Verdict::pass);
  CHECK(verdict(z, Op::prod, C{63, -16 + 0x1p-44}) == Verdict::fail);
  const std::vector<C> w{{inf, 1}, {2, 3}};
  CHECK(verdict(w, Op::sum, C{inf, 4}, 1) == Verdict::pass);
  CHECK(verdict(w, Op::sum, C{inf, 5}, 1) == Verdict::fail);
  CHECK(verdict(w, Op::sum, C{inf, inf}, 1) == Verdict::fail);
  CHECK(verdict(w, Op::sum, C{-inf, 4}, 1) == Verdict::fail);
  CHECK(verdict(w, Op::prod, C{inf, nan_}) == Verdict::pass);
  CHECK(verdict(w, Op::prod, C{1, 2}) == Verdict::fail);
}

TEST_CASE("compare: one part of a complex sum overflows, the other is NaN or infinite") {
  using C = Complex<float>;
  const float big = 3e38f, nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float other : {nan, infinity}) {
    // The f64 accumulator holds 6e38, which is infinite as f32; an f32 one may overflow on its way.
    const std::vector<C> z{{other, big}, {1, big}};
    CHECK(verdict(z, Op::sum, C{other, infinity}, 1, Acc::wide) == Verdict::pass);
    CHECK(verdict(z, Op::sum, C{other, -infinity}, 1, Acc::wide) == Verdict::fail);
    CHECK(verdict(z, Op::sum, C{other, big}, 1, Acc::wide) == Verdict::fail);
    CHECK(verdict(z, Op::sum, C{0, infinity}, 1, Acc::wide) == Verdict::fail);
    CHECK(verdict(z, Op::mean, C{other, big}, 1, Acc::wide) == Verdict::pass);
    CHECK(verdict(z, Op::mean, C{other, infinity}, 1, Acc::wide) == Verdict::fail);
    CHECK(verdict(z, Op::sum, C{other, infinity}, 1, Acc::same) == Verdict::unverifiable);
    CHECK(verdict(z, Op::mean, C{other, infinity}, 1, Acc::same) == Verdict::unverifiable);
    CHECK(verdict(std::vector<C>{{other, 1}, {1, 2}}, Op::sum, C{other, 3}, 0x1p24, Acc::same) ==
          Verdict::unverifiable);
  }
  // No order of additions undoes a NaN: what is no NaN is wrong, whatever cannot be said of the other part.
  CHECK(verdict(std::vector<C>{{nan, big}, {1, big}}, Op::sum, C{1, infinity}, 1, Acc::same) == Verdict::fail);
  CHECK(verdict(std::vector<C>{{nan, 1}, {1, 2}}, Op::sum, C{1, 3}, 0x1p24, Acc::same) == Verdict::fail);
}

TEST_CASE("compare: arrays for diff, in ulp") {
  const auto array = [](DType dtype, Shape shape, std::vector<float> values) {
    HostArray a{dtype, std::move(shape), allocate_bytes(values.size() * sizeof(float))};
    std::memcpy(a.data.get(), values.data(), values.size() * sizeof(float));
    return a;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), next = std::nextafter(1.0f, 2.0f);
  const float top = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  const auto a = array(DType::f32, {4}, {1, nan, 3, -0.0f});
  CHECK(compare_arrays(a, a, {0}).verdict == Verdict::pass);
  CHECK(compare_arrays(a, array(DType::f32, {4}, {1, -nan, 3, -0.0f}), {0}).verdict == Verdict::pass);
  CHECK(compare_arrays(a, array(DType::f32, {4}, {1, nan, 3, 0.0f}), {0}).verdict == Verdict::fail);
  CHECK(compare_arrays(a, array(DType::f32, {4}, {1, nan, 3, 0.0f}), {1}).verdict == Verdict::pass);
  const auto b = array(DType::f32, {4}, {next, nan, 3, -0.0f});
  CHECK(compare_arrays(a, b, {0}).verdict == Verdict::fail);
  CHECK(compare_arrays(a, b, {0}).first[0].ulp == 1);
  CHECK(compare_arrays(a, b, {1}).verdict == Verdict::pass);
  CHECK(compare_arrays(a, array(DType::f32, {4}, {1, 2, 3, -0.0f}), {std::numeric_limits<std::uint64_t>::max()})
            .verdict == Verdict::fail);
  CHECK(compare_arrays(array(DType::f32, {1}, {top}), array(DType::f32, {1}, {infinity}), {4}).verdict ==
        Verdict::fail);
  for (const std::uint64_t ulp : {std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()}) {
    const auto above = array(DType::f32, {1}, {infinity});
    CHECK(compare_arrays(above, above, {ulp}).verdict == Verdict::pass);
    CHECK(compare_arrays(above, array(DType::f32, {1}, {-infinity}), {ulp}).verdict == Verdict::fail);
    CHECK(compare_arrays(above, array(DType::f32, {1}, {top}), {ulp}).verdict == Verdict::fail);
  }
  // A tolerance is for floats: neighbours among integers are different numbers.
  for (const DType dtype : {DType::i32, DType::u32}) {
    const auto whole = array(dtype, {4}, {1, 2, 3, 4}), other = array(dtype, {4}, {next, 2, 3, 4});
    CHECK(compare_arrays(whole, whole, {1}).verdict == Verdict::pass);
    CHECK(compare_arrays(whole, other, {1}).mismatches == 1);
  }
  CHECK(compare_arrays(a, array(DType::f32, {2, 2}, {1, nan, 3, -0.0f}), {0}).verdict == Verdict::fail);
  CHECK(compare_arrays(a, array(DType::i32, {4}, {1, nan, 3, -0.0f}), {0}).verdict == Verdict::fail);
  CHECK(compare_arrays(a, array(DType::i32, {4}, {1, nan, 3, -0.0f}), {0}).note == "dtype f32 against i32");
}
