#include "subject.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rung::cli {

Subject::Subject(Stage& stage, const Runnable& what, Plan plan, const Launch& launch, bool waits)
    : stage_(stage), what_(what), plan_(std::move(plan)), launch_(launch), shape_{stage.mode, 1, waits} {
  row.launch = plan_.launch;
  row.waits = waits;
}

void Subject::enqueue(Stream stream, std::size_t turn) {
  // On a GPU a flush, or the batch itself, sees to it that a set is cold.
  const bool shared = stage_.device.machine() != Machine::gpu;
  last_set_ = (shared ? stage_.next_set++ : turn) % stage_.sets.plan().count;
  Buffers buffers = stage_.sets.buffers(last_set_);
  buffers.workspace = stage_.workspace->get();
  what_.run(stage_.problem, launch_, stage_.device.properties(), buffers, stream);
}

void Subject::run_once() {
  stage_.device.time([this](Stream stream) { enqueue(stream, 0); }, 1);
  stage_.device.synchronize();
}

double Subject::estimate() {
  constexpr double short_run = 1e-3;
  constexpr unsigned several = 16;
  std::size_t turn = 0;
  const auto run = [&](Stream stream) { enqueue(stream, turn++); };
  const double once = stage_.device.time(run, 1);
  return once < short_run ? stage_.device.time(run, several) / several : once;
}

/// A sample is long beside what a clock or a graph's start costs, and ends in good time.
unsigned Subject::batch_count(double seconds) const {
  const Machine machine = stage_.device.machine();
  const auto in = [seconds](double wanted) {
    return static_cast<std::size_t>(std::clamp(std::ceil(wanted / std::max(seconds, 1e-9)), 1.0, 1024.0));
  };
  if (machine == Machine::sim || (machine == Machine::gpu && shape_.mode == Mode::cold)) return 1;
  if (machine == Machine::cpu) return static_cast<unsigned>(in(200e-6));
  if (shape_.mode == Mode::hot) return static_cast<unsigned>(std::min<std::size_t>(in(100e-6), 50));
  // Every set in turn, as long as that takes no more than 50 ms.
  return static_cast<unsigned>(std::max(in(1e-3), std::min(stage_.sets.plan().count, in(50e-3))));
}

void Subject::prepare() {
  shape_.count = stage_.device.machine() == Machine::sim ? 1 : batch_count(estimate());
  batch_ = stage_.device.batch([this](Stream stream, std::size_t turn) { enqueue(stream, turn); }, shape_);
}

void Subject::prepare_like(const Subject& other) {
  shape_ = other.shape_;
  batch_ = stage_.device.batch([this](Stream stream, std::size_t turn) { enqueue(stream, turn); }, shape_);
}

Sample Subject::sample() {
  Sample sample;
  const auto before = stage_.device.clock();
  sample.seconds = batch_->sample();
  const auto after = stage_.device.clock();
  sample.throttled = (before && before->throttled) || (after && after->throttled);
  if (after) sample.megahertz = after->megahertz;
  return sample;
}

}  // namespace rung::cli
