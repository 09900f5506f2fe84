// The order of samples, dropping and stopping, with made-up samples.
#include "../cli/bench/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

using namespace rung::cli;

namespace {

/// Each sample takes a second of a clock that only samples move.
class Script final : public Sampler {
 public:
  Script(std::size_t subjects, std::function<Sample(std::size_t subject, std::size_t round)> samples)
      : subjects_(subjects), samples_(std::move(samples)) {}
  std::size_t subjects() const override { return subjects_; }
  Sample sample(std::size_t subject) override {
    order += static_cast<char>('A' + subject);
    return samples_(subject, taken_++ / subjects_);
  }
  bool decides(std::size_t subject) const override { return static_cast<int>(subject) != bystander; }
  double elapsed() const override { return static_cast<double>(taken_); }
  int bystander = -1;
  std::string order;

 private:
  std::size_t subjects_;
  std::function<Sample(std::size_t, std::size_t)> samples_;
  std::size_t taken_ = 0;
};

Sample steady(std::size_t, std::size_t) { return {2.0, false, 1980}; }

/// Between 1 and 3: no median of it is ever known to half a per cent.
Sample noisy(std::size_t, std::size_t round) { return {round % 2 ? 1.0 : 3.0, false, std::nullopt}; }

}  // namespace

TEST_CASE("bench schedule: in turn, at least so many, then by precision") {
  Script script(3, steady);
  const auto series = run_rounds(script, {0.005, 20, 2000, 1e9});
  REQUIRE(series.size() == 3);
  CHECK(script.order.substr(0, 9) == "ABCABCABC");
  for (const Series& s : series) {
    CHECK(s.seconds.size() == 20);
    CHECK(s.stopped == Stopped::precision);
    CHECK(s.dropped == 0);
    CHECK(s.megahertz.size() == 20);
  }
}

TEST_CASE("bench schedule: who is noisy goes on until the time is over, and the others with it") {
  Script script(2, [](std::size_t subject, std::size_t round) {
    return subject == 0 ? steady(subject, round) : noisy(subject, round);
  });
  const auto series = run_rounds(script, {0.005, 20, 2000, 100});
  CHECK(series[0].seconds.size() == 50);
  CHECK(series[1].seconds.size() == 50);
  CHECK(series[0].stopped == Stopped::precision);
  CHECK(series[1].stopped == Stopped::max_time);
}

TEST_CASE("bench schedule: nobody goes on for one that does not decide") {
  Script script(2, [](std::size_t subject, std::size_t round) {
    return subject == 0 ? steady(subject, round) : noisy(subject, round);
  });
  script.bystander = 1;
  const auto series = run_rounds(script, {0.005, 20, 2000, 1e9});
  CHECK(series[1].seconds.size() == 20);
  CHECK(series[0].stopped == Stopped::precision);
  CHECK(series[1].stopped == Stopped::others);
}

TEST_CASE("bench schedule: the time ends it before there are enough") {
  Script script(1, steady);
  const auto series = run_rounds(script, {0.005, 20, 2000, 4});
  CHECK(series[0].seconds.size() == 4);
  CHECK(series[0].stopped == Stopped::max_time);
}

TEST_CASE("bench schedule: one sample is never precise") {
  Script script(1, steady);
  CHECK(run_rounds(script, {0.005, 1, 2000, 1e9})[0].seconds.size() == 2);
  Script short_of_time(1, steady);
  const auto series = run_rounds(short_of_time, {0.005, 1, 2000, 0});
  CHECK(series[0].seconds.size() == 1);
  CHECK(series[0].stopped == Stopped::max_time);
}

TEST_CASE("bench schedule: at most so many") {
  Script script(1, noisy);
  const auto series = run_rounds(script, {0.005, 20, 200, 1e9});
  CHECK(series[0].seconds.size() == 200);
  CHECK(series[0].stopped == Stopped::most_samples);
}

TEST_CASE("bench schedule: throttled and invalid samples are dropped, counted, and keep the pairs") {
  Script script(2, [](std::size_t subject, std::size_t round) {
    Sample s{2.0, false, std::nullopt};
    if (subject == 1 && round % 4 == 1) s = {9.0, true, std::nullopt};
    if (subject == 1 && round == 2) s.seconds = std::nan("");
    return s;
  });
  const auto series = run_rounds(script, {0.005, 20, 2000, 1e9});
  // 20 good samples of B take 20 + 1 + a quarter of all rounds.
  CHECK(series[1].seconds.size() == series[0].seconds.size());
  CHECK(series[1].seconds.size() - series[1].dropped >= 20);
  CHECK(series[1].dropped >= 7);
  CHECK(series[0].dropped == 0);
  CHECK(std::isnan(series[1].seconds[1]));
  CHECK(std::isnan(series[1].seconds[2]));
  CHECK(series[1].seconds[0] == 2.0);
}

TEST_CASE("bench schedule: nobody to sample") {
  Script script(0, steady);
  CHECK(run_rounds(script, {}).empty());
}
