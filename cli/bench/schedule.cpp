#include "schedule.hpp"

#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rung::cli {
namespace {

bool precise(const Series& series, const StopRule& rule) {
  const Summary s = summarise(series.seconds);
  // One sample is no interval, and so as precise as nothing.
  return s.n >= std::max<std::size_t>(rule.least, 2) && s.interval.low >= s.median * (1 - rule.precision) &&
         s.interval.high <= s.median * (1 + rule.precision);
}

void add(Series& series, const Sample& sample) {
  const bool dropped = sample.throttled || std::isnan(sample.seconds);
  series.dropped += dropped;
  series.seconds.push_back(dropped ? std::numeric_limits<double>::quiet_NaN() : sample.seconds);
  if (sample.megahertz) series.megahertz.push_back(*sample.megahertz);
}

/// Says of each why it would stop here; `otherwise` where it is not precise. Returns whether all that decide are.
bool mark(std::vector<Series>& all, const Sampler& sampler, const StopRule& rule, Stopped otherwise) {
  bool done = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool is_precise = precise(all[k], rule);
    all[k].stopped = is_precise ? Stopped::precision : otherwise;
    done = done && (is_precise || !sampler.decides(k));
  }
  return done;
}

}  // namespace

std::string_view name_of(Stopped stopped) {
  static constexpr std::array<std::string_view, 4> names{"precision", "max-time", "most-samples", "others"};
  return names[static_cast<std::size_t>(stopped)];
}

std::vector<Series> run_rounds(Sampler& sampler, const StopRule& rule) {
  std::vector<Series> all(sampler.subjects());
  std::size_t next_look = rule.least;
  for (std::size_t round = 1; !all.empty() && round <= rule.most; ++round) {
    for (std::size_t subject = 0; subject < all.size(); ++subject) add(all[subject], sampler.sample(subject));
    const bool out_of_time = sampler.elapsed() >= rule.max_seconds;
    // Looking sorts every sample: it is done each time a twentieth more are there.
    if (!out_of_time && round < next_look) continue;
    next_look = round + 1 + round / 20;
    const bool done = mark(all, sampler, rule, out_of_time ? Stopped::max_time : Stopped::others);
    if (out_of_time || done) return all;
  }
  mark(all, sampler, rule, Stopped::most_samples);
  return all;
}

}  // namespace rung::cli
