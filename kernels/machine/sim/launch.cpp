// A launch: CUDA's limits, and the host threads that share its blocks.
#include "launch.hpp"

#include "../../error.hpp"
#include "engine.hpp"
#include "recorder.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace rung::sim {
namespace {

/// Host threads that wait for launches; made when first wanted, kept, each with its engine.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  /// Runs the launch on the calling thread and on up to `helpers` others.
  void run(Launch& launch, unsigned helpers) {
    if (helpers != 0) {
      const std::lock_guard lock(mutex_);
      while (workers_.size() < helpers) workers_.emplace_back([this] { serve(); });
      launch_ = &launch;
      wanted_ = helpers;
      wake_.notify_all();
    }
    Engine::of_this_thread().work(launch);
    if (helpers != 0) {
      std::unique_lock lock(mutex_);
      wanted_ = 0;  // who has not woken yet need not
      done_.wait(lock, [this] { return working_ == 0; });
    }
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ending_ || wanted_ != 0; });
      if (ending_) return;
      --wanted_;
      ++working_;
      lock.unlock();
      Engine::of_this_thread().work(*launch_);
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  Launch* launch_ = nullptr;
  unsigned wanted_ = 0, working_ = 0;
  bool ending_ = false;
};

std::string text_of(dim3 d) { return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z); }

/// The limits of compute capability 9.0 (Programming Guide, "Technical Specifications per Compute Capability").
void check_limits(const Grid& g) {
  const auto refuse = [](const std::string& why) { throw DeviceError("sim: invalid configuration argument: " + why); };
  const std::uint64_t threads = std::uint64_t{g.block.x} * g.block.y * g.block.z;
  if (threads == 0 || g.block.x > 1024 || g.block.y > 1024 || g.block.z > 64 || threads > most_threads)
    refuse("a block of " + text_of(g.block) + " threads; 1 to 1024 can be, at most 1024x1024x64");
  if (g.grid.x == 0 || g.grid.y == 0 || g.grid.z == 0 || g.grid.x > 0x7fffffffu || g.grid.y > 65535 || g.grid.z > 65535)
    refuse("a grid of " + text_of(g.grid) + " blocks; 1 to 2147483647x65535x65535 can be");
  if (g.shared > shared_limit)
    refuse(std::to_string(g.shared) + " bytes of shared memory; at most " + std::to_string(shared_limit) + " can be");
}

unsigned host_threads(const Launch& launch) {
  if (launch.global || launch.options.recorder) return 1;
  unsigned threads = launch.options.os_threads;
  if (threads == 0) {
    // Waking another thread costs as much as running a few thousand CUDA threads.
    constexpr std::uint64_t small = 16384;
    static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    threads = launch.grid.blocks() * launch.grid.threads() < small ? 1 : cores;
  }
  return static_cast<unsigned>(std::min<std::uint64_t>(threads, launch.grid.blocks()));
}

}  // namespace

Options& options() {
  static Options options;
  return options;
}

void run(const Grid& grid, void (*enter)(const void*), const void* argument) {
  check_limits(grid);
  static std::mutex one_at_a_time;  // launches of one stream follow each other
  static Pool pool;
  static GlobalState global;
  const std::lock_guard lock(one_at_a_time);
  Launch launch{.grid = {grid}, .enter = enter, .argument = argument, .options = options()};
  if (launch.options.check_global) {
    if (!global.shadow.cover(Memory::instance().size()))
      throw DeviceError("sim: cannot reserve address space to look for global races", "is there a limit: ulimit -v?");
    global.releases.begin_launch();
    launch.global = &global;
  }
  if (launch.options.recorder) {
    const dim3 g = grid.grid, b = grid.block;
    launch.options.recorder->begin_launch({{g.x, g.y, g.z}, {b.x, b.y, b.z}, grid.shared});
  }
  const unsigned threads = host_threads(launch);
  launch.chunk = std::clamp<std::uint64_t>(launch.grid.blocks() / (threads * 8), 1, 64);
  pool.run(launch, threads - 1);
}

}  // namespace rung::sim
