// The simulator as a Device. It reports the limits of the GPU that it stands for.
#include "../device.hpp"

#include "../../error.hpp"
#include "launch.hpp"
#include "memory.hpp"
#include "sim.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace rung {
namespace {

/// One line for the command: the first findings, and how many more there are.
void throw_findings(const std::vector<sim::Finding>& findings) {
  constexpr std::size_t shown = 5;
  std::string text = "sim: " + std::to_string(findings.size()) +
                     (findings.size() == 1 ? " fault in a kernel: " : " faults in kernels: ");
  for (std::size_t k = 0; k < std::min(shown, findings.size()); ++k) text += (k ? "; " : "") + to_string(findings[k]);
  if (findings.size() > shown) text += "; and " + std::to_string(findings.size() - shown) + " more";
  throw DeviceError(text);
}

class Sim final : public Device {
 public:
  Sim() : memory_(sim::Memory::instance()) {
    const auto physical =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    properties_ = {.name = "CPU machine for CUDA kernels",
                   .multiprocessors = 132,
                   .max_threads_per_block = 1024,
                   .shared_per_block = sim::shared_limit,
                   .l2_bytes = std::size_t{50} << 20,
                   .memory_bytes = std::min(memory_.size(), physical)};
  }
  Machine machine() const override { return Machine::sim; }
  const DeviceProperties& properties() const override { return properties_; }

  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void release(void* memory) noexcept override { memory_.release(memory); }
  void upload(void* device, const void* host, std::size_t bytes) override {
    if (owned(device, bytes)) std::memcpy(device, host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) override {
    if (owned(device, bytes)) std::memcpy(host, device, bytes);
  }
  void fill(void* device, unsigned char byte, std::size_t bytes) override {
    if (owned(device, bytes)) std::memset(device, byte, bytes);
  }
  bool uses_host_memory() const override { return false; }

  void synchronize() override {
    if (const auto findings = sim::take_findings(); !findings.empty()) throw_findings(findings);
  }
  double time(const std::function<void(Stream)>& run, unsigned count) override {
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned k = 0; k < count; ++k) run(Stream{});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    synchronize();
    return taken.count();
  }

 private:
  /// False when there is nothing to do.
  bool owned(const void* device, std::size_t bytes) const {
    if (bytes == 0) return false;
    if (!memory_.owns(device, bytes))
      throw DeviceError("sim: invalid argument: " + std::to_string(bytes) + " bytes that are not of one buffer");
    return true;
  }

  sim::Memory& memory_;
  DeviceProperties properties_;
};

}  // namespace

std::unique_ptr<Device> open_sim() { return std::make_unique<Sim>(); }

}  // namespace rung
