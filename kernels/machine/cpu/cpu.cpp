// The host's cores as a Device: kernels read host memory as it is, and time is the steady clock's.
#include "../../error.hpp"
#include "../ceiling.hpp"
#include "../device.hpp"

#include <sys/mman.h>
#include <tbb/info.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace rung {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// "model name" of the first core; other architectures than x86 have no such line.
std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return "CPU";
}

/// Bytes of the last-level cache of the first core, from sysfs ("2048K"); 0 where it does not tell.
std::size_t last_level_cache() {
  std::size_t largest = 0;
  for (int index = 0;; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t size = 0;
    char unit = ' ';
    if (!(file >> size)) return largest;
    file >> unit;
    largest = std::max(largest, size << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0));
  }
}

std::size_t pages(int name) {
  const long count = sysconf(name), size = sysconf(_SC_PAGESIZE);
  return count > 0 && size > 0 ? static_cast<std::size_t>(count) * static_cast<std::size_t>(size) : 0;
}

class Cpu final : public Device {
 public:
  Cpu()
      : properties_{.name = model_name(),
                    .multiprocessors = static_cast<unsigned>(std::max(1, tbb::info::default_concurrency())),
                    .max_threads_per_block = 1,
                    .shared_per_block = 0,
                    .l2_bytes = last_level_cache(),
                    .memory_bytes = pages(_SC_PHYS_PAGES),
                    .theoretical_bandwidth = 0} {}
  Machine machine() const override { return Machine::cpu; }
  const DeviceProperties& properties() const override { return properties_; }

  // Linux promises memory that it does not have: more than the machine holds is refused here, before the
  // kernel kills the process for touching it.
  void* allocate(std::size_t bytes) override {
    const std::size_t unit = bytes >= 4 * huge_page ? huge_page : alignment;
    void* memory = nullptr;
    if (properties_.memory_bytes == 0 || bytes <= properties_.memory_bytes)
      memory = std::aligned_alloc(unit, (bytes / unit + 1) * unit);
    if (!memory)
      throw DeviceError("cannot allocate " + std::to_string(bytes) + " bytes on " + properties_.name + ": " +
                        std::to_string(pages(_SC_AVPHYS_PAGES)) + " bytes are free");
    // A transpose walks one page a row: large pages keep its walks inside the TLB. A wish; refusal costs nothing.
    if (unit == huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }
  void upload(void* device, const void* host, std::size_t bytes) override { copy(device, host, bytes); }
  void download(void* host, const void* device, std::size_t bytes) override { copy(host, device, bytes); }
  void fill(void* device, unsigned char byte, std::size_t bytes) override {
    if (bytes) std::memset(device, byte, bytes);
  }
  bool uses_host_memory() const override { return true; }
  std::vector<const Runnable*> ceilings(Family family) const override { return cpu_ceilings(family != Family::reduce); }
  void synchronize() override {}

  double time(const std::function<void(Stream)>& run, unsigned count) override {
    const auto start = std::chrono::steady_clock::now();
    for (unsigned k = 0; k < count; ++k) run(Stream{});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  // Null pointers come with 0 bytes, and memcpy may not see them.
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes && to != from) std::memcpy(to, from, bytes);
  }

  DeviceProperties properties_;
};

}  // namespace

std::unique_ptr<Device> open_cpu() { return std::make_unique<Cpu>(); }

}  // namespace rung
