// The clock of a GPU through NVML, which comes with the driver: looked for as the program runs.
#pragma once
#include "../batch.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace rung {

class ClockMonitor {
 public:
  /// pci_bus_id: as cudaDeviceGetPCIBusId writes it.
  explicit ClockMonitor(const std::string& pci_bus_id);
  /// Nothing where there is no NVML, or it does not answer. A reading is kept for some milliseconds.
  std::optional<Clock> read();

 private:
  std::optional<Clock> ask();

  void* device_ = nullptr;
  int (*clock_)(void*, unsigned, unsigned*) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
  double highest_ = 0;
  std::optional<Clock> last_;
  std::chrono::steady_clock::time_point asked_{};
};

}  // namespace rung
