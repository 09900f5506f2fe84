#include "statistics.hpp"

#include "../commands/generate.hpp"

#include <algorithm>
#include <cmath>

namespace rung::cli {
namespace {

double median_of(std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The largest j with P(Binomial(n, 1/2) < j) <= tail, counted from 1; 0 where there is none.
std::size_t rank_below(std::size_t n, double tail) {
  const auto count = static_cast<double>(n);
  double below = 0;
  std::size_t j = 0;
  for (; j < n; ++j) {
    const auto k = static_cast<double>(j);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) - count * std::log(2.0));
    if (below > tail) break;
  }
  return j;
}

}  // namespace

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Interval median_interval(const std::vector<double>& sorted) {
  const std::size_t j = std::max<std::size_t>(rank_below(sorted.size(), 0.025), 1);
  return {sorted[j - 1], sorted[sorted.size() - j]};
}

Summary summarise(const std::vector<double>& samples) {
  std::vector<double> values;
  for (const double sample : samples)
    if (!std::isnan(sample)) values.push_back(sample);
  Summary s;
  s.n = values.size();
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  s.min = values.front();
  s.lower = quantile(values, 0.25);
  s.median = quantile(values, 0.5);
  s.upper = quantile(values, 0.75);
  s.interval = median_interval(values);
  for (double& value : values) value = std::fabs(value - s.median);
  s.mad = median_of(values);
  return s;
}

Ratio paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const double ratio = a[i] / b[i]; std::isfinite(ratio)) ratios.push_back(ratio);
  Ratio result;
  result.n = ratios.size();
  if (ratios.empty()) return result;
  constexpr std::size_t resamples = 1000;
  std::vector<double> medians, drawn(ratios.size());
  std::uint64_t counter = 0;
  for (std::size_t k = 0; k < resamples; ++k) {
    for (double& value : drawn)
      value = ratios[static_cast<std::size_t>((random_word(0, counter++) >> 32) * ratios.size() >> 32)];
    medians.push_back(median_of(drawn));
  }
  std::sort(medians.begin(), medians.end());
  result.interval = {quantile(medians, 0.025), quantile(medians, 0.975)};
  result.median = median_of(ratios);
  return result;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

}  // namespace rung::cli
