// Samples on a GPU: a blocking kernel that hides launches, a flush of the L2, device events, captured batches.
#pragma once
#include "../device.hpp"
#include "check.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace rung {

/// The stream that samples run on, and all they need; one for a device.
class BenchStream {
 public:
  explicit BenchStream(std::size_t l2_bytes, unsigned multiprocessors);
  BenchStream(const BenchStream&) = delete;
  ~BenchStream();

  cudaStream_t stream() const { return stream_; }

  struct Steps {
    std::function<void()> before;  ///< enqueued ahead of the timed window
    std::function<void()> timed;
    bool flush = false;    ///< what stands in the L2 when the window opens is neither the run's nor dirty
    bool blocked = false;  ///< a kernel holds the stream until all is enqueued
  };
  /// Seconds between two events around `timed`; NaN when the blocking kernel gave up waiting.
  double time(const Steps& steps);

 private:
  void enqueue(const Steps& steps);

  std::size_t flush_lines_;
  unsigned flush_grid_;
  cudaStream_t stream_{};
  cudaEvent_t start_{}, stop_{};
  uint4* flush_ = nullptr;
  unsigned* sink_ = nullptr;
  // Host memory that the device sees: [0] the ticket up to which kernels may pass, [1] set by one that gave up.
  unsigned* gate_ = nullptr;
  unsigned ticket_ = 0;
};

std::unique_ptr<Batch> gpu_batch(BenchStream& stream, TurnRun run, const BatchShape& shape);

}  // namespace rung
