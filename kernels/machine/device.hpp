// A machine as the command sees it: memory, copies, time. Plain C++: no CUDA header.
#pragma once
#include "../kernel.hpp"
#include "batch.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rung {

class Device {
 public:
  virtual ~Device() = default;
  virtual Machine machine() const = 0;
  virtual const DeviceProperties& properties() const = 0;

  /// Memory that kernels of this machine may use, aligned to 256 bytes; never null, also for 0 bytes.
  /// Throws DeviceError when there is not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* device, const void* host, std::size_t bytes) = 0;
  virtual void download(void* host, const void* device, std::size_t bytes) = 0;
  virtual void fill(void* device, unsigned char byte, std::size_t bytes) = 0;
  /// True where kernels read host memory as it is (cpu), so that nothing need be uploaded.
  virtual bool uses_host_memory() const = 0;

  /// Waits for all that was enqueued. Throws DeviceError for a failed launch, and on sim for every fault that
  /// the checkers found since the last call.
  virtual void synchronize() = 0;
  /// Seconds that `count` calls of `run`, enqueued one behind the other, took together: device events on gpu,
  /// the steady clock elsewhere. Synchronizes.
  virtual double time(const std::function<void(Stream)>& run, unsigned count) = 0;

  /// Prepares samples of `run`, which has run before. On the host's clock there is neither flush nor graph: who
  /// wants cold runs rotates through more buffers than the cache holds.
  virtual std::unique_ptr<Batch> batch(TurnRun run, const BatchShape& shape);
  /// Nothing where it cannot be told. A reading may be some milliseconds old: asking costs as much as a short run.
  virtual std::optional<Clock> clock() { return std::nullopt; }
  /// The fixed kernel that only reads (reduce) or only copies (the others), in each of its launch shapes: the fastest
  /// is the ceiling. Any problem is planned; a copy leaves the input in `out`. Empty where there is none (sim).
  virtual std::vector<const Runnable*> ceilings(Family) const { return {}; }
};

/// Device memory with an owner.
class DeviceBuffer {
 public:
  DeviceBuffer(Device& device, std::size_t bytes) : device_(&device), memory_(device.allocate(bytes)) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(other.device_), memory_(std::exchange(other.memory_, nullptr)) {}
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;
  ~DeviceBuffer() {
    if (memory_) device_->release(memory_);
  }
  void* get() const { return memory_; }

 private:
  Device* device_;
  void* memory_;
};

/// How many GPUs there are; 0 with the reason in `why` (no driver, no device, built without CUDA).
int gpu_count(std::string* why = nullptr);

/// Throws DeviceError when there is no such device. `ordinal` counts GPUs; the other machines are one each.
std::unique_ptr<Device> open_device(Machine machine, int ordinal = 0);

// Implementations, each in its folder; open_gpu exists in builds with CUDA only.
std::unique_ptr<Device> open_gpu(int ordinal);
std::unique_ptr<Device> open_cpu();
std::unique_ptr<Device> open_sim();

}  // namespace rung
