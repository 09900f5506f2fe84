// Statistics against NumPy's figures, tables of the sign test, and cases that can be counted by hand.
#include "../cli/bench/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

using namespace rung::cli;

namespace {

const double dropped = std::numeric_limits<double>::quiet_NaN();

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

}  // namespace

TEST_CASE("bench statistics: quartiles, median and MAD are NumPy's") {
  const Summary s = summarise({3.1, 2.9, dropped, 3.3, 3.0, 10.0, 2.8, 3.05, 3.2, dropped, 2.95, 3.15});
  CHECK(s.n == 10);
  CHECK(s.min == 2.8);
  CHECK(s.lower == doctest::Approx(2.9625));
  CHECK(s.median == doctest::Approx(3.075));
  CHECK(s.upper == doctest::Approx(3.1875));
  CHECK(s.mad == doctest::Approx(0.125));
}

TEST_CASE("bench statistics: the median's interval has the ranks of the sign test") {
  // Conover's tables: the largest r with P(Binomial(n, 1/2) < r) <= 0.025.
  struct Row {
    std::size_t n;
    double low, high;
  };
  for (const Row& row : {Row{6, 1, 6}, Row{10, 2, 9}, Row{20, 6, 15}, Row{50, 18, 33}, Row{100, 40, 61}}) {
    CAPTURE(row.n);
    const Interval interval = median_interval(one_to(row.n));
    CHECK(interval.low == row.low);
    CHECK(interval.high == row.high);
  }
  const Interval few = median_interval({2, 3, 7});
  CHECK(few.low == 2);
  CHECK(few.high == 7);
}

TEST_CASE("bench statistics: no samples and one") {
  CHECK(summarise({}).n == 0);
  CHECK(summarise({dropped}).n == 0);
  const Summary one = summarise({4});
  CHECK(one.n == 1);
  CHECK(one.median == 4);
  CHECK(one.mad == 0);
  CHECK(one.interval.low == 4);
  CHECK(one.interval.high == 4);
}

TEST_CASE("bench statistics: a ratio is of pairs, so that drift cancels") {
  // Both slow down threefold on the way, and the first is always 1.25 times the second.
  std::vector<double> a, b;
  for (int k = 0; k < 30; ++k) {
    b.push_back(1 + 0.07 * k);
    a.push_back(1.25 * b.back());
  }
  a[7] = dropped;
  const Ratio ratio = paired_ratio(a, b);
  CHECK(ratio.n == 29);
  CHECK(ratio.median == doctest::Approx(1.25));
  CHECK(ratio.interval.low == doctest::Approx(1.25));
  CHECK(ratio.interval.high == doctest::Approx(1.25));
  CHECK_FALSE(ratio.no_difference());
}

TEST_CASE("bench statistics: the bootstrap interval holds the median and is near that of the ranks") {
  std::vector<double> a, b;
  for (int k = 0; k < 101; ++k) {
    a.push_back(1 + 0.002 * ((k * 37) % 101 - 50));
    b.push_back(1);
  }
  const Ratio ratio = paired_ratio(a, b);
  CHECK(ratio.median == doctest::Approx(1));
  CHECK(ratio.no_difference());
  // Ranks 41 and 61 of 101: a tenth of the range to either side of the median.
  CHECK(ratio.interval.low == doctest::Approx(0.98).epsilon(0.005));
  CHECK(ratio.interval.high == doctest::Approx(1.02).epsilon(0.005));
  CHECK(ratio.interval.low < ratio.interval.high);
}

TEST_CASE("bench statistics: no pairs, and pairs without a quotient") {
  CHECK(paired_ratio({}, {}).n == 0);
  CHECK(paired_ratio({1, 2}, {0, 1}).n == 1);
}

TEST_CASE("bench statistics: geometric mean") {
  CHECK(geometric_mean({1, 10, 100}) == doctest::Approx(10));
  CHECK(geometric_mean({}) == 0);
}
