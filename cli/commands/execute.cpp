#include "execute.hpp"

#include "../console.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rung::cli {
Execution::Execution(Device& device, const Problem& problem, const void* host_input, StageTimes& times)
    : device_(device),
      problem_(problem),
      times_(times),
      output_(std::make_shared<DeviceBuffer>(device, problem.output_bytes())) {
  const std::size_t bytes = problem.input_bytes();
  in_ = host_input;
  if (device.uses_host_memory() && bytes != 0) return;
  Stopwatch watch;
  input_ = std::make_shared<DeviceBuffer>(device, bytes);
  if (bytes != 0) device.upload(input_->get(), host_input, bytes);
  device.synchronize();
  in_ = input_->get();
  times_.upload += watch.lap();
}

Execution::Execution(Device& device, const Problem& problem, std::shared_ptr<DeviceBuffer> input, StageTimes& times)
    : device_(device),
      problem_(problem),
      times_(times),
      input_(std::move(input)),
      in_(input_->get()),
      output_(std::make_shared<DeviceBuffer>(device, problem.output_bytes())) {}

void Execution::reserve(std::size_t workspace) {
  if (workspace_ && workspace <= workspace_bytes_) return;
  workspace_.reset();
  workspace_.emplace(device_, workspace);
  workspace_bytes_ = workspace;
}

double Execution::time(const Runnable& what, const Launch& launch, unsigned count) {
  const Buffers buffers{in_, output_->get(), workspace_->get()};
  const double seconds =
      device_.time([&](Stream stream) { what.run(problem_, launch, device_.properties(), buffers, stream); }, count);
  device_.synchronize();
  return seconds;
}

void Execution::spoil_output() {
  constexpr unsigned char sentinel = 0xa5;
  if (problem_.output_bytes() != 0) device_.fill(output_->get(), sentinel, problem_.output_bytes());
}

double Execution::run(const Runnable& what, const Plan& plan, const Launch& launch) {
  if (problem_.output_elements() == 0) return 0;
  reserve(plan.workspace);
  return time(what, launch, 1);
}

double Execution::measure(const Runnable& what, const Plan& plan, const Launch& launch) {
  if (problem_.output_elements() == 0) return 0;
  reserve(plan.workspace);
  const double once = time(what, launch, 1);
  constexpr double batch_seconds = 0.01, enough_seconds = 1.0;
  constexpr std::size_t batches = 5;
  const auto count = static_cast<unsigned>(std::clamp(std::ceil(batch_seconds / std::max(once, 1e-9)), 1.0, 10000.0));
  std::vector<double> samples;
  for (double spent = 0; samples.size() < batches && (samples.empty() || spent < enough_seconds);) {
    const double seconds = time(what, launch, count);
    spent += seconds;
    samples.push_back(seconds / count);
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

Bytes Execution::result() {
  if (device_.uses_host_memory()) return {output_, static_cast<std::byte*>(output_->get())};
  Stopwatch watch;
  const std::size_t bytes = problem_.output_bytes();
  Bytes host = allocate_bytes(bytes);
  if (bytes != 0) device_.download(host.get(), output_->get(), bytes);
  device_.synchronize();
  times_.download = watch.lap();
  return host;
}

}  // namespace rung::cli
