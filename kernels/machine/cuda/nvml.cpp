#include "nvml.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace rung {
namespace {

// nvml.h, which has kept these values since its first versions.
constexpr int success = 0;
constexpr unsigned clock_sm = 1;
constexpr unsigned long long power_cap = 0x4;
constexpr unsigned long long slowdown =
    0x8 | 0x20 | 0x40 | 0x80;  // hardware, software thermal, hardware thermal, brake

template <class Function>
bool load(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace

ClockMonitor::ClockMonitor(const std::string& pci_bus_id) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  int (*init)() = nullptr;
  int (*handle)(const char*, void**) = nullptr;
  if (!load(library, init, "nvmlInit_v2") || !load(library, handle, "nvmlDeviceGetHandleByPciBusId_v2") ||
      !load(library, clock_, "nvmlDeviceGetClockInfo"))
    return;
  load(library, reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (init() != success || handle(pci_bus_id.c_str(), &device_) != success) device_ = nullptr;
}

std::optional<Clock> ClockMonitor::ask() {
  unsigned megahertz = 0;
  if (!device_ || clock_(device_, clock_sm, &megahertz) != success) return std::nullopt;
  unsigned long long reasons = 0;
  if (reasons_ && reasons_(device_, &reasons) != success) reasons = 0;
  highest_ = std::max(highest_, static_cast<double>(megahertz));
  // The power limit is named long before it costs anything.
  const bool capped = (reasons & power_cap) != 0 && megahertz < 0.9 * highest_;
  return Clock{static_cast<double>(megahertz), (reasons & slowdown) != 0 || capped};
}

std::optional<Clock> ClockMonitor::read() {
  constexpr auto fresh = std::chrono::milliseconds(5);
  const auto now = std::chrono::steady_clock::now();
  if (!last_ || now - asked_ > fresh) {
    last_ = ask();
    asked_ = std::chrono::steady_clock::now();
  }
  return last_;
}

}  // namespace rung
