// What samples of a time say: order statistics, and intervals that assume no distribution.
#pragma once
#include <cstddef>
#include <vector>

namespace rung::cli {

struct Interval {
  double low = 0, high = 0;
};

/// Of one subject's samples, in seconds.
struct Summary {
  std::size_t n = 0;
  double min = 0, lower = 0, median = 0, upper = 0;  ///< lower, upper: quartiles
  double mad = 0;                                    ///< median of |sample - median|
  Interval interval;                                 ///< of the median, 95 %
};

/// Linear between the two nearest ranks, as NumPy's default. `sorted` has at least one value.
double quantile(const std::vector<double>& sorted, double p);

/// The 95 % interval of the median from the ranks alone: the widest pair of ranks j, n + 1 - j whose binomial tails
/// leave out at most 2.5 % each (Conover, Practical Nonparametric Statistics, 3.2). Fewer than 6 values cannot give
/// 95 %: least and greatest.
Interval median_interval(const std::vector<double>& sorted);

/// NaN stands for a dropped sample. No sample: n is 0.
Summary summarise(const std::vector<double>& samples);

/// The median of a / b, pair by pair, with its 95 % bootstrap interval.
struct Ratio {
  double median = 0;
  Interval interval;
  std::size_t n = 0;  ///< pairs of which neither was dropped
  bool no_difference() const { return interval.low <= 1 && 1 <= interval.high; }
};

/// a[i] and b[i] were sampled one right after the other. Percentile bootstrap, the same for the same samples.
Ratio paired_ratio(const std::vector<double>& a, const std::vector<double>& b);

/// Of positive values; 0 for none.
double geometric_mean(const std::vector<double>& values);

}  // namespace rung::cli
