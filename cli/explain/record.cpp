#include "record.hpp"

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

}  // namespace

ExplainRow record(const Kernel& kernel, const Problem& problem, const Launch& launch, const DeviceProperties& device,
                  const Buffers& buffers) {
  sim::Profiler profiler;
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
