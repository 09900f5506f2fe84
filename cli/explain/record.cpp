#include "record.hpp"

#include <algorithm>

namespace rung::cli {
namespace {

/// The simulator with this recorder, for as long as this lives.
class Watched {
 public:
  explicit Watched(sim::AccessRecorder& recorder) : saved_(sim::options()) {
    sim::options().check_shared = sim::options().check_global = true;
    sim::options().recorder = &recorder;
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { sim::options() = saved_; }

 private:
  sim::Options saved_;
};

/// Says after each block how far the launch is. Of several launches the first is the long one.
class Reporter final : public sim::Profiler {
 public:
  explicit Reporter(const Share& share) : share_(share) {}
  void begin_launch(const sim::LaunchEvent& launch) override {
    Profiler::begin_launch(launch);
    blocks_ = std::max<std::uint64_t>(launch.blocks(), 1);
    ended_ = 0;
  }
  void end_block() override {
    Profiler::end_block();
    furthest_ = std::max(furthest_, static_cast<double>(++ended_) / static_cast<double>(blocks_));
    if (share_) share_(furthest_);
  }

 private:
  const Share& share_;
  std::uint64_t blocks_ = 1, ended_ = 0;
  double furthest_ = 0;
};

}  // namespace

ExplainRow record(const Kernel& kernel, const Problem& problem, const Launch& launch, const DeviceProperties& device,
                  const Buffers& buffers, const Share& share) {
  Reporter profiler(share);
  const Watched watched(profiler);
  sim::take_findings();
  kernel.run(problem, launch, device, buffers, {});
  ExplainRow row;
  row.name = kernel.info().name;
  row.findings = sim::take_findings();
  row.profile = profiler.take();
  return row;
}

std::vector<std::string> faulty_kernels(const ExplainReport& report) {
  std::vector<std::string> names;
  for (const ExplainRow& row : report.rows)
    if (!row.findings.empty()) names.push_back(row.name);
  return names;
}

}  // namespace rung::cli
