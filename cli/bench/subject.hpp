// One of those that a point times: a kernel, a library call, a ceiling.
#pragma once
#include "data.hpp"
#include "report.hpp"
#include "schedule.hpp"

#include <memory>
#include <optional>

namespace rung::cli {

/// What the subjects of a point share.
struct Stage {
  Device& device;
  const Problem& problem;
  BenchSets& sets;
  Mode mode = Mode::cold;
  std::optional<DeviceBuffer> workspace{};  ///< one for all: where it lies in the cache has a say in short times
  std::size_t next_set = 0;  ///< host machines: who comes next does not find warm what the one before read
};

class Subject {
 public:
  Subject(Stage& stage, const Runnable& what, Plan plan, const Launch& launch, bool waits);
  Subject(const Subject&) = delete;

  /// One run, alone. Also what loads a kernel's code.
  void run_once();
  /// Prepares sample(): measures roughly how long a run takes.
  void prepare();
  /// Shares the batch's shape with another: for the same kernel against itself.
  void prepare_like(const Subject& other);
  Sample sample();

  /// The output that the last run left.
  const std::byte* output() const { return stage_.sets.output(last_set_); }
  double chain() const { return plan_.chain; }
  std::size_t workspace_bytes() const { return plan_.workspace; }
  unsigned runs_a_sample() const { return shape_.count; }
  std::string remark() const { return batch_ ? batch_->remark() : std::string(); }

  BenchRow row;

 private:
  void enqueue(Stream stream, std::size_t turn);
  double estimate();
  unsigned batch_count(double seconds) const;

  Stage& stage_;
  const Runnable& what_;
  Plan plan_;
  Launch launch_;
  BatchShape shape_;
  std::unique_ptr<Batch> batch_;
  std::size_t last_set_ = 0;
};

}  // namespace rung::cli
