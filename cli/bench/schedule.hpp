// The order of samples and when to stop. Knows no device: a Sampler is a kernel on a machine, or a test's numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rung::cli {

struct Sample {
  double seconds = 0;               ///< NaN: not to be used
  bool throttled = false;           ///< the clock was held back before or after: not to be used
  std::optional<double> megahertz;  ///< where it can be told
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::size_t subjects() const = 0;
  virtual Sample sample(std::size_t subject) = 0;
  /// Whether others go on for the sake of this one's precision.
  virtual bool decides(std::size_t) const { return true; }
  /// Seconds since sampling began.
  virtual double elapsed() const = 0;
};

struct StopRule {
  double precision = 0.005;  ///< of the median: its 95 % interval lies within ± this share of it
  std::size_t least = 20, most = 2000;
  double max_seconds = 5;
};

enum class Stopped : std::uint8_t { precision, max_time, most_samples, others };  ///< others: those that decide
std::string_view name_of(Stopped stopped);

/// One subject's samples, one a round; NaN where one was dropped, so that rounds stay paired.
struct Series {
  std::vector<double> seconds;
  std::size_t dropped = 0;
  std::vector<double> megahertz;
  Stopped stopped = Stopped::max_time;
};

/// Samples all subjects in turn, A B C A B C, until the median of each that decides is known to the precision, or the
/// time is over.
std::vector<Series> run_rounds(Sampler& sampler, const StopRule& rule);

}  // namespace rung::cli
