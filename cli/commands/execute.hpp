// One problem on one device: its buffers, runs, results and times.
#pragma once
#include "../../kernels/machine/device.hpp"

#include <memory>
#include <optional>

namespace rung::cli {

/// Seconds of each stage but the kernel's, for --time; of the downloads the last.
struct StageTimes {
  double read = 0, upload = 0, download = 0, write = 0;
};

class Execution {
 public:
  /// Uploads the input, unless the machine reads host memory. `host_input` must outlive this.
  Execution(Device& device, const Problem& problem, const void* host_input, StageTimes& times);
  /// Takes over an input that is on the device.
  Execution(Device& device, const Problem& problem, std::shared_ptr<DeviceBuffer> input, StageTimes& times);

  /// Fills the output with a sentinel: a kernel that then writes nothing is not taken for one that is right.
  void spoil_output();

  /// Runs once and waits. Returns seconds. A problem without results runs nothing.
  double run(const Runnable& what, const Plan& plan, const Launch& launch);

  /// Median seconds of one run, from batches of back-to-back runs: 5 of them, or fewer that took a second.
  /// The output is what the last run left.
  double measure(const Runnable& what, const Plan& plan, const Launch& launch);

  /// The output on the host. On machines that use host memory it is the output itself until the next run.
  Bytes result();

  /// The output where it is, for a problem that goes on from it.
  std::shared_ptr<DeviceBuffer> output() const { return output_; }
  const Problem& problem() const { return problem_; }
  bool simulated() const { return device_.machine() == Machine::sim; }

 private:
  void reserve(std::size_t workspace);
  double time(const Runnable& what, const Launch& launch, unsigned count);

  Device& device_;
  Problem problem_;
  StageTimes& times_;
  std::shared_ptr<DeviceBuffer> input_;
  const void* in_ = nullptr;
  std::shared_ptr<DeviceBuffer> output_;
  std::optional<DeviceBuffer> workspace_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace rung::cli
