// The GPU as a Device, through the CUDA runtime.
#include "../ceiling.hpp"
#include "../device.hpp"
#include "batch.cuh"
#include "check.hpp"
#include "nvml.hpp"

#include <array>
#include <string>

namespace rung {
namespace {

class Gpu final : public Device {
 public:
  explicit Gpu(int ordinal) : ordinal_(ordinal) {
    check(cudaSetDevice(ordinal));
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, ordinal));
    int memory_khz = 0;
    check(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, ordinal));
    properties_ = {.name = p.name,
                   .multiprocessors = static_cast<unsigned>(p.multiProcessorCount),
                   .max_threads_per_block = static_cast<unsigned>(p.maxThreadsPerBlock),
                   .shared_per_block = p.sharedMemPerBlockOptin,
                   .l2_bytes = static_cast<std::size_t>(p.l2CacheSize),
                   .memory_bytes = p.totalGlobalMem,
                   .theoretical_bandwidth = 2e3 * memory_khz * p.memoryBusWidth / 8};
    check(cudaEventCreate(&start_));
    check(cudaEventCreate(&stop_));
  }
  ~Gpu() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Machine machine() const override { return Machine::gpu; }
  const DeviceProperties& properties() const override { return properties_; }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes ? bytes : 1);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw DeviceError("cannot allocate " + std::to_string(bytes) + " bytes on " + properties_.name + ": " +
                            std::to_string(free) + " bytes are free",
                        "-d cpu works in the memory of the host");
    }
    check(status);
    return memory;
  }
  void release(void* memory) noexcept override { cudaFree(memory); }
  void upload(void* device, const void* host, std::size_t bytes) override {
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  }
  void download(void* host, const void* device, std::size_t bytes) override {
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  }
  void fill(void* device, unsigned char byte, std::size_t bytes) override { check(cudaMemset(device, byte, bytes)); }
  bool uses_host_memory() const override { return false; }
  void synchronize() override { check(cudaDeviceSynchronize()); }

  double time(const std::function<void(Stream)>& run, unsigned count) override {
    check(cudaEventRecord(start_));
    for (unsigned k = 0; k < count; ++k) run(Stream{});
    check(cudaEventRecord(stop_));
    check(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_));
    synchronize();
    return milliseconds * 1e-3;
  }

  std::unique_ptr<Batch> batch(TurnRun run, const BatchShape& shape) override {
    if (!bench_) bench_ = std::make_unique<BenchStream>(properties_.l2_bytes, properties_.multiprocessors);
    return gpu_batch(*bench_, std::move(run), shape);
  }
  std::optional<Clock> clock() override {
    if (!monitor_) {
      std::array<char, 32> bus{};
      check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal_));
      monitor_ = std::make_unique<ClockMonitor>(bus.data());
    }
    return monitor_->read();
  }
  std::vector<const Runnable*> ceilings(Family family) const override { return gpu_ceilings(family != Family::reduce); }

 private:
  int ordinal_;
  std::unique_ptr<BenchStream> bench_;
  std::unique_ptr<ClockMonitor> monitor_;
  DeviceProperties properties_;
  cudaEvent_t start_{}, stop_{};
};

}  // namespace

int gpu_count(std::string* why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess) {
    if (count == 0 && why) *why = "the driver shows no device";
    return count;
  }
  cudaGetLastError();
  if (why)
    *why = status == cudaErrorInsufficientDriver ? "no NVIDIA driver, or one too old for this build"
                                                 : cudaGetErrorString(status);
  return 0;
}

std::unique_ptr<Device> open_gpu(int ordinal) { return std::make_unique<Gpu>(ordinal); }

}  // namespace rung
