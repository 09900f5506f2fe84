// The oracle against answers by hand arithmetic, and by Python's fractions where that is too long by hand.
#include "../reference/oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "../kernels/problem.hpp"

namespace {

using namespace rung;

constexpr float nanf_ = std::numeric_limits<float>::quiet_NaN();
constexpr float inff = std::numeric_limits<float>::infinity();

template <class T>
Oracle reduced(const std::vector<T>& in, Op op, Acc acc = Acc::wide, Shape shape = {},
               std::vector<std::size_t> axes = {}) {
  if (shape.empty()) shape = {in.size()};
  return oracle(reduce_problem(dtype_of<T>, shape, std::move(axes), op, acc), in.data());
}

template <class R>
R at(const Oracle& o, std::size_t index = 0) {
  CHECK(o.want.dtype == dtype_of<R>);
  R value;
  std::memcpy(&value, o.want.data.get() + index * sizeof(R), sizeof(R));
  return value;
}

template <class R>
std::vector<R> all(const Oracle& o) {
  std::vector<R> values(o.want.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = at<R>(o, k);
  return values;
}

std::vector<std::int8_t> bytes_from(int first, int last) {
  std::vector<std::int8_t> v;
  for (int x = first; x <= last; ++x) v.push_back(static_cast<std::int8_t>(x));
  return v;
}

}  // namespace

TEST_CASE("oracle: integer sums are 64 bits wide, or wrap at the element's width") {
  CHECK(at<std::int64_t>(reduced(bytes_from(-100, 27), Op::sum)) == -4672);
  CHECK(at<std::int64_t>(reduced(bytes_from(-100, 27), Op::sum, Acc::same)) == -64);  // -4672 mod 256 = 192
  const std::vector<std::uint8_t> bytes(300, 200);
  CHECK(at<std::uint64_t>(reduced(bytes, Op::sum)) == 60000);
  CHECK(at<std::uint64_t>(reduced(bytes, Op::sum, Acc::same)) == 60000 % 256);
  const std::vector<std::uint32_t> large(2, 0xffffffffu);
  CHECK(at<std::uint64_t>(reduced(large, Op::sum)) == 0x1fffffffeull);
  CHECK(at<std::uint64_t>(reduced(large, Op::sum, Acc::same)) == 0xfffffffeull);
  const std::vector<std::int32_t> negative(3, std::numeric_limits<std::int32_t>::min());
  CHECK(at<std::int64_t>(reduced(negative, Op::sum)) == -3 * (std::int64_t{1} << 31));
  CHECK(at<std::int64_t>(reduced(negative, Op::sum, Acc::same)) == std::numeric_limits<std::int32_t>::min());
  const std::vector<std::int64_t> wraps{std::numeric_limits<std::int64_t>::max(), 1};
  CHECK(at<std::int64_t>(reduced(wraps, Op::sum)) == std::numeric_limits<std::int64_t>::min());
  const std::vector<std::uint64_t> wraps_too{~std::uint64_t{0}, 5};
  CHECK(at<std::uint64_t>(reduced(wraps_too, Op::sum)) == 4);
  const std::vector<std::int16_t> words{32767, 2};
  CHECK(at<std::int64_t>(reduced(words, Op::sum, Acc::same)) == -32767);
}

TEST_CASE("oracle: integer products") {
  std::vector<std::int64_t> factorial(30);
  std::iota(factorial.begin(), factorial.end(), 1);
  CHECK(at<std::int64_t>(reduced(factorial, Op::prod)) == -8764578968847253504);  // 30! mod 2^64, by Python
  std::vector<std::int32_t> narrow(factorial.begin(), factorial.end());
  CHECK(at<std::int64_t>(reduced(narrow, Op::prod, Acc::same)) == 1409286144);  // 30! mod 2^32
  std::vector<std::uint8_t> small{3, 4, 5, 6, 7, 8, 9, 10, 11};
  CHECK(at<std::uint64_t>(reduced(small, Op::prod)) == 19958400);
  CHECK(at<std::uint64_t>(reduced(small, Op::prod, Acc::same)) == 128);
  CHECK(at<std::int64_t>(reduced(std::vector<Bool>{{1}, {2}, {255}}, Op::prod)) == 1);
  CHECK(at<std::int64_t>(reduced(std::vector<Bool>{{1}, {0}}, Op::prod)) == 0);
}

TEST_CASE("oracle: bool counts what is not zero") {
  std::vector<Bool> flags(1000);
  for (std::size_t k = 0; k < flags.size(); ++k) flags[k].byte = k % 3 == 0 ? static_cast<std::uint8_t>(1 + k % 7) : 0;
  CHECK(at<std::int64_t>(reduced(flags, Op::sum)) == 334);
  CHECK(at<std::int64_t>(reduced(flags, Op::sum, Acc::same)) == 334 - 256);
  CHECK(at<double>(reduced(flags, Op::mean)) == 0.334);
  CHECK(at<double>(reduced(flags, Op::mean, Acc::same)) == 0.334);
  CHECK(at<Bool>(reduced(flags, Op::max)).byte == 1);
  CHECK(at<Bool>(reduced(std::vector<Bool>{{8}, {4}}, Op::min)).byte == 1);
  CHECK(at<Bool>(reduced(flags, Op::min)).byte == 0);
  CHECK(at<std::int64_t>(reduced(flags, Op::argmin)) == 1);
  CHECK(at<std::int64_t>(reduced(std::vector<Bool>{{0}, {1}, {7}}, Op::argmax)) == 1);
}

TEST_CASE("oracle: float sums are good far beyond the element type") {
  std::vector<float> floats;
  for (int i = 0; i < 5000; ++i) floats.push_back(static_cast<float>((i * 7919 % 1009 - 504) / 97.0));
  const Oracle f = reduced(floats, Op::sum);
  CHECK(at<float>(f) == 0x1.6449e8p2f);
  CHECK(static_cast<double>(f.exact[0]) == 0x1.6449e7d8p2);
  CHECK(static_cast<double>(f.magnitude[0]) == doctest::Approx(0x1.966a6440fbcp13).epsilon(1e-14));

  // The decimal exponents of Python's 10.0**k, which are the nearest doubles.
  const double powers[] = {1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10,
                           1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,
                           1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,
                           1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20};
  std::vector<double> doubles;
  for (std::int64_t i = 0; i < 3000; ++i)
    doubles.push_back(static_cast<double>(i * 104729 % 100003 - 50001) / 7.0 * powers[i % 41]);
  const Oracle d = reduced(doubles, Op::sum);
  CHECK(at<double>(d) == 0x1.7ffaa6102f43cp79);
  // What the nearest double leaves of S: only a sum much finer than double knows it.
  CHECK(std::fabs(d.exact[0] - 0x1.7ffaa6102f43cp79L + 0x1.2be0313c5959fp24L) <= 0x1p16L);
  CHECK(static_cast<double>(d.magnitude[0]) == doctest::Approx(0x1.71245cd2041c6p84).epsilon(1e-14));
  CHECK(at<double>(reduced(doubles, Op::mean)) == 0x1.062135f94ca3bp68);

  const std::vector<double> cancels{1e300, 1.0, -1e300, 0x1p-60};
  CHECK(at<double>(reduced(cancels, Op::sum)) == 1);
  CHECK(reduced(cancels, Op::sum).exact[0] == 1.0L + 0x1p-60L);
}

TEST_CASE("oracle: sums beyond the range of double, infinities and NaN") {
  const double big = 1.5e308;
  const Oracle back = reduced(std::vector<double>{big, big, -big}, Op::sum);
  CHECK(at<double>(back) == big);
  CHECK(back.magnitude[0] == 3.0L * big);
  CHECK(at<double>(reduced(std::vector<double>{big, big}, Op::sum)) == HUGE_VAL);
  CHECK(at<float>(reduced(std::vector<float>{3e38f, 3e38f}, Op::sum)) == inff);
  CHECK(at<float>(reduced(std::vector<float>{1, -inff, 2}, Op::sum)) == -inff);
  CHECK(std::isnan(at<float>(reduced(std::vector<float>{inff, 1, -inff}, Op::sum))));
  CHECK(std::isnan(at<float>(reduced(std::vector<float>{1, nanf_, inff}, Op::sum))));
  CHECK(reduced(std::vector<float>{1, -inff, 2}, Op::sum).magnitude[0] == 3);
}

TEST_CASE("oracle: signs of zero and empty sums") {
  CHECK(std::signbit(at<float>(reduced(std::vector<float>(70, -0.0f), Op::sum))));
  CHECK(std::signbit(at<double>(reduced(std::vector<double>(1, -0.0), Op::mean))));
  CHECK_FALSE(std::signbit(at<float>(reduced(std::vector<float>{-0.0f, 0.0f}, Op::sum))));
  CHECK_FALSE(std::signbit(at<float>(reduced(std::vector<float>{1.0f, -1.0f}, Op::sum))));
  CHECK_FALSE(std::signbit(at<float>(reduced(std::vector<float>{}, Op::sum))));
  CHECK(at<float>(reduced(std::vector<float>{}, Op::prod)) == 1);
  CHECK(at<std::int64_t>(reduced(std::vector<std::int32_t>{}, Op::prod)) == 1);
  CHECK(all<double>(reduced(std::vector<double>{}, Op::sum, Acc::wide, {3, 0}, {1})) == std::vector<double>{0, 0, 0});
}

TEST_CASE("oracle: 16-bit floats are decoded exactly") {
  // IEEE 754 binary16, by Python's struct: smallest and largest subnormal, smallest normal, 1/3, largest, -2.
  const std::uint16_t bits[] = {0x0001, 0x03ff, 0x0400, 0x3555, 0x7bff, 0xc000, 0x7c00, 0x8000};
  const float values[] = {0x1p-24f, 0x1.ff8p-15f, 0x1p-14f, 0x1.554p-2f, 65504, -2, inff, -0.0f};
  for (std::size_t k = 0; k < std::size(bits); ++k)
    CHECK(at<float>(reduced(std::vector<F16>{{bits[k]}}, Op::sum)) == values[k]);
  CHECK(std::isnan(at<float>(reduced(std::vector<F16>{{0x7c01}}, Op::sum))));
  CHECK(at<float>(reduced(std::vector<BF16>{{0x3fc0}, {0x0001}}, Op::sum)) == 1.5f);
  CHECK(at<float>(reduced(std::vector<BF16>{{0x0001}}, Op::sum)) == 0x1p-133f);
  CHECK(at<float>(reduced(std::vector<BF16>{{0xff80}}, Op::sum)) == -inff);
  // 4096 times 65504 passes f16, not the f32 result.
  CHECK(at<float>(reduced(std::vector<F16>(4096, F16{0x7bff}), Op::sum)) == 4096.0f * 65504.0f);
  CHECK(at<F16>(reduced(std::vector<F16>{{0x3c00}, {0xc000}, {0x4000}}, Op::max)).bits == 0x4000);
}

TEST_CASE("oracle: products are scaled") {
  std::vector<double> factors;
  for (int i = 0; i < 60; ++i) factors.push_back(1 + (i * 37 % 101 - 50) / 64.0);
  const Oracle o = reduced(factors, Op::prod);
  CHECK(at<double>(o) == 0x1.968020d7f0f10p-13);
  CHECK(at<float>(reduced(std::vector<float>(factors.begin(), factors.end()), Op::prod)) == 0x1.968020d7f0f10p-13f);

  const Oracle big = reduced(std::vector<double>(2000, 1.5), Op::prod);  // 1.5^2000 = 0.94934307004… · 2^1170
  CHECK(at<double>(big) == HUGE_VAL);
  CHECK(big.exponent[0] == 1170);
  CHECK(static_cast<double>(big.exact[0]) == doctest::Approx(0.9493430700412995).epsilon(1e-15));
  CHECK(big.log2_largest[0] == doctest::Approx(1169.9250014423124));
  CHECK(big.log2_smallest[0] == 0);

  std::vector<double> mixed(4000, 1e200);
  for (std::size_t k = 0; k < mixed.size(); k += 2) mixed[k] = -1e-200;
  mixed.push_back(3);
  CHECK(at<double>(reduced(mixed, Op::prod)) == doctest::Approx(3).epsilon(1e-11));
  // Up to 2^200000 and back, in stretches that are multiplied apart.
  std::vector<double> steep(400'001, 2.0);
  std::fill(steep.begin() + 200'000, steep.end() - 1, 0.5);
  steep.back() = 3;
  const Oracle peak = reduced(steep, Op::prod);
  CHECK(at<double>(peak) == 3);
  CHECK(peak.log2_largest[0] == doctest::Approx(200'000 + std::log2(3.0)));
  CHECK(peak.log2_smallest[0] == -200'000);
  CHECK(at<float>(reduced(std::vector<float>{0x1p-100f, -0x1p-49f}, Op::prod)) == -0x1p-149f);
  CHECK(std::signbit(at<float>(reduced(std::vector<float>{-0x1p-100f, 0x1p-60f}, Op::prod))));
  CHECK(std::signbit(at<float>(reduced(std::vector<float>{-2, 0, 5}, Op::prod))));
  CHECK(at<float>(reduced(std::vector<float>{-2, inff}, Op::prod)) == -inff);
  CHECK(std::isnan(at<float>(reduced(std::vector<float>{0, inff}, Op::prod))));
  CHECK(std::isnan(at<float>(reduced(std::vector<float>{0, nanf_}, Op::prod))));
}

TEST_CASE("oracle: min, max and their first places") {
  const std::vector<float> v{3, -7, 9, -7, 9};
  CHECK(at<float>(reduced(v, Op::min)) == -7);
  CHECK(at<float>(reduced(v, Op::max)) == 9);
  CHECK(at<std::int64_t>(reduced(v, Op::argmin)) == 1);
  CHECK(at<std::int64_t>(reduced(v, Op::argmax)) == 2);
  const std::vector<float> w{3, nanf_, 9, nanf_, -inff};
  CHECK(std::isnan(at<float>(reduced(w, Op::min))));
  CHECK(std::isnan(at<float>(reduced(w, Op::max))));
  CHECK(at<std::int64_t>(reduced(w, Op::argmin)) == 1);
  CHECK(at<std::int64_t>(reduced(w, Op::argmax)) == 1);
  CHECK(at<std::int64_t>(reduced(std::vector<float>{-inff, -inff}, Op::argmax)) == 0);
  CHECK(at<std::int64_t>(reduced(std::vector<double>{-0.0, 0.0}, Op::argmax)) == 0);
  CHECK(at<std::uint64_t>(reduced(std::vector<std::uint64_t>{1, ~std::uint64_t{0}, 2}, Op::max)) == ~std::uint64_t{0});
  CHECK(at<std::int64_t>(reduced(std::vector<std::int64_t>{1, std::numeric_limits<std::int64_t>::min()}, Op::argmin)) ==
        1);

  // Places far apart, so that they lie in different chunks.
  std::vector<std::int32_t> far(3'000'001, 5);
  far[2'999'999] = far[1'500'000] = 6;
  CHECK(at<std::int64_t>(reduced(far, Op::argmax)) == 1'500'000);
  CHECK(at<std::int64_t>(reduced(far, Op::argmin)) == 0);
  far[3'000'000] = 4;
  CHECK(at<std::int64_t>(reduced(far, Op::argmin)) == 3'000'000);
}

TEST_CASE("oracle: mean of integers is exact before it is rounded") {
  const std::vector<std::int64_t> v{(1ll << 62) + 3,
                                    (1ll << 62) + 8,
                                    -5,
                                    std::numeric_limits<std::int64_t>::max(),
                                    -std::numeric_limits<std::int64_t>::max(),
                                    77};
  const Oracle o = reduced(v, Op::mean, Acc::same);
  CHECK(at<double>(o) == 0x1.5555555555555p60);
  CHECK(o.exact[0] == (9223372036854775891.0L) / 6);
  CHECK(at<double>(reduced(std::vector<std::uint64_t>(4, ~std::uint64_t{0}), Op::mean)) == 0x1p64);
}

TEST_CASE("oracle: complex sums and products") {
  std::vector<Complex<float>> z;
  for (int k = 0; k < 1001; ++k) z.push_back({static_cast<float>(k), static_cast<float>(-2 * k)});
  const Oracle sum = reduced(z, Op::sum);
  CHECK(at<Complex<float>>(sum).re == 500500);
  CHECK(at<Complex<float>>(sum).im == -1001000);
  CHECK(static_cast<double>(sum.magnitude[0]) == doctest::Approx(500500 * std::sqrt(5.0)).epsilon(1e-14));
  CHECK(at<Complex<float>>(reduced(z, Op::mean)).im == -1000);
  std::vector<Complex<double>> factors;
  for (int i = 0; i < 20; ++i) factors.push_back({i % 5 - 2 + 0.25, i % 3 - 1 + 0.5});
  const Oracle product = reduced(factors, Op::prod);
  CHECK(at<Complex<double>>(product).re == -0x1.8a430f07f2a78p9);  // exact in double's 53 bits, by Python
  CHECK(at<Complex<double>>(product).im == 0x1.bcb7f40c8009p10);
}
