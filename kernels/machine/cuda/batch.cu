#include "batch.cuh"

#include <limits>
#include <string>

namespace rung {
namespace {

constexpr unsigned flush_block = 512;
// Longer than any batch takes to enqueue, short enough not to be taken for a hang.
constexpr unsigned long long patience_ns = 500'000'000;
// A stream takes about a thousand launches ahead; a run of the ladder is up to four.
constexpr unsigned most_launched = 100;

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Holds the stream until the host lets `ticket` pass. A call in the window that waits for the stream would wait for
/// ever: hence the time-out.
__global__ void hold(volatile unsigned* gate, unsigned ticket) {
  const unsigned long long begin = nanoseconds();
  while (static_cast<int>(gate[0] - ticket) < 0)
    if (nanoseconds() - begin > patience_ns) {
      gate[1] = 1;
      return;
    }
}

/// Reads lines that nobody writes: they take the places of all that stands in the L2, and what was dirty there is
/// written back before this ends.
__global__ void read_clean(const uint4* lines, std::size_t count, unsigned* sink) {
  unsigned all = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const uint4 v = __ldcg(lines + i);
    all |= v.x | v.y | v.z | v.w;
  }
  if (all != 0) *sink = all;
}

class GpuBatch final : public Batch {
 public:
  GpuBatch(BenchStream& stream, TurnRun run, const BatchShape& shape)
      : stream_(stream), run_(std::move(run)), shape_(shape), blocked_(!shape.waits) {
    if (shape_.waits)
      remark_ = "waits for the device in each call, which is part of its time";
    else if (shape_.mode == Mode::graph)
      capture();
    if (!graph_ && blocked_ && shape_.count > most_launched) shape_.count = most_launched;
  }
  ~GpuBatch() override {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  GpuBatch(const GpuBatch&) = delete;

  double sample() override {
    BenchStream::Steps steps;
    steps.flush = shape_.mode != Mode::hot;
    steps.blocked = blocked_;
    if (shape_.mode == Mode::hot) steps.before = [this] { enqueue(); };
    steps.timed = [this] {
      if (graph_)
        check(cudaGraphLaunch(graph_, stream_.stream()));
      else
        for (unsigned k = 0; k < shape_.count; ++k) enqueue();
    };
    const double seconds = stream_.time(steps) / shape_.count;
    if (seconds != seconds) {
      blocked_ = false;
      remark_ = "waits for the device in each call, which is part of its time";
    }
    return seconds;
  }
  std::string remark() const override { return remark_; }

 private:
  void enqueue() { run_(Stream{stream_.stream()}, turn_++); }

  /// A call that cannot be captured is launched instead.
  void capture() {
    check(cudaStreamBeginCapture(stream_.stream(), cudaStreamCaptureModeRelaxed));
    cudaGraph_t graph = nullptr;
    std::string reason;
    try {
      for (unsigned k = 0; k < shape_.count; ++k) enqueue();
    } catch (const Error& error) {
      reason = error.what();
    }
    const cudaError_t ended = cudaStreamEndCapture(stream_.stream(), &graph);
    cudaError_t status = ended;
    if (ended == cudaSuccess && reason.empty()) status = cudaGraphInstantiate(&graph_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    turn_ = 0;
    if (status == cudaSuccess && reason.empty()) {
      check(cudaGraphUpload(graph_, stream_.stream()));
      check(cudaStreamSynchronize(stream_.stream()));
      return;
    }
    graph_ = nullptr;
    remark_ =
        "launched one by one, as it cannot be captured: " + (reason.empty() ? cudaGetErrorString(status) : reason);
  }

  BenchStream& stream_;
  TurnRun run_;
  BatchShape shape_;
  bool blocked_;
  std::string remark_;
  cudaGraphExec_t graph_ = nullptr;
  std::size_t turn_ = 0;
};

}  // namespace

BenchStream::BenchStream(std::size_t l2_bytes, unsigned multiprocessors)
    : flush_lines_(2 * l2_bytes / sizeof(uint4)), flush_grid_(4 * multiprocessors) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  check(cudaEventCreate(&start_));
  check(cudaEventCreate(&stop_));
  check(cudaMalloc(&flush_, flush_lines_ * sizeof(uint4) + 1));
  check(cudaMalloc(&sink_, sizeof(unsigned)));
  check(cudaMemset(flush_, 0, flush_lines_ * sizeof(uint4)));
  check(cudaHostAlloc(&gate_, 2 * sizeof(unsigned), cudaHostAllocMapped));
  gate_[0] = gate_[1] = 0;
  check(cudaDeviceSynchronize());
  // A kernel is loaded when it is first launched, and loading may wait for the device: not behind a blocking kernel.
  time({{}, [] {}, true, false});
  time({{}, [] {}, true, true});
}

BenchStream::~BenchStream() {
  cudaStreamDestroy(stream_);
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  cudaFree(flush_);
  cudaFree(sink_);
  cudaFreeHost(gate_);
}

void BenchStream::enqueue(const Steps& steps) {
  if (steps.blocked) {
    hold<<<1, 1, 0, stream_>>>(gate_, ticket_);
    check(cudaGetLastError());
  }
  if (steps.before) steps.before();
  if (steps.flush) {
    read_clean<<<flush_grid_, flush_block, 0, stream_>>>(flush_, flush_lines_, sink_);
    check(cudaGetLastError());
  }
  check(cudaEventRecord(start_, stream_));
  steps.timed();
  check(cudaEventRecord(stop_, stream_));
}

double BenchStream::time(const Steps& steps) {
  /// Lets the kernel pass, also when something was thrown.
  struct Pass {
    volatile unsigned* gate;
    unsigned ticket;
    ~Pass() { *gate = ticket; }
  };
  ++ticket_;
  {
    const Pass pass{gate_, ticket_};
    enqueue(steps);
  }
  check(cudaStreamSynchronize(stream_));
  if (gate_[1] != 0) {
    gate_[1] = 0;
    return std::numeric_limits<double>::quiet_NaN();
  }
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_));
  return milliseconds * 1e-3;
}

std::unique_ptr<Batch> gpu_batch(BenchStream& stream, TurnRun run, const BatchShape& shape) {
  return std::make_unique<GpuBatch>(stream, std::move(run), shape);
}

}  // namespace rung
