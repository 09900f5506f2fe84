// One host thread's share of the machine: runs the CUDA threads of a block as fibers, makes them meet at barriers and
// warp collectives, and checks what they access. Pinned to its host thread, reused by all launches.
#pragma once
#include "fiber.hpp"
#include "findings.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "place.hpp"
#include "races.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace rung::sim {

inline constexpr unsigned most_threads = 1024, warp_lanes = 32;

enum class Collective : std::uint8_t { barrier, shuffle, ballot, match, reduce };
enum class Wait : std::uint8_t { none, block_barrier, warp_collective };

struct Thread {
  uint3 index{};
  std::uint16_t id = 0;
  std::uint8_t warp = 0, lane = 0;
  bool done = false, fenced = false;
  bool early = false;  ///< has not waited for the previous kernel, as its own asks for
  Wait wait = Wait::none;
  Fiber* fiber = nullptr;
  std::uint64_t result = 0;
};

struct Warp {
  /// Lanes that were named together and have not all come.
  struct Meeting {
    std::uint32_t mask = 0, arrived = 0;
    Collective kind{};
    std::uint8_t operation = 0;
    Place place = nowhere;
    std::uint64_t values[warp_lanes];
    std::uint8_t sources[warp_lanes];
  };
  std::uint32_t all = 0, alive = 0, stopped = 0;  ///< stopped: by a checker, so that their absence is no fault
  unsigned meetings_used = 0;
  Meeting meetings[warp_lanes];  ///< disjoint masks can be in flight at once
};

/// An asynchronous copy that its thread has not waited for.
struct PendingCopy {
  void* to;
  const void* from;
  const void* at;
  std::uint16_t thread = 0;
};

class Engine {
 public:
  static Engine& of_this_thread();
  Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// Runs blocks of the launch until none is left, and reports what it found.
  void work(Launch& launch);

  // What kernels call; the thread is current().
  const Thread& current() const { return *current_; }
  uint3 block_index() const { return block_index_; }
  uint3 block_dim() const { return launch_->grid.block_dim(); }
  uint3 grid_dim() const { return launch_->grid.grid_dim(); }
  void* dynamic_shared() const { return reinterpret_cast<void*>(shared_base_); }
  unsigned barrier(bool predicate, Place place);
  std::uint64_t meet(Collective kind, unsigned operation, std::uint32_t mask, std::uint64_t value, unsigned source,
                     Place place);
  std::uint32_t alive_lanes() const { return warps_[current_->warp].alive; }
  void fence() { current_->fenced = true; }
  void wait_for_previous_kernel() { current_->early = false; }
  void yield();
  void add_copy(PendingCopy copy) {
    copy.thread = current_->id;
    copies_.push_back(copy);
  }
  /// Takes the current thread's oldest pending copy. False when there is none.
  bool next_copy(PendingCopy& copy);
  template <Access kind>
  __attribute__((always_inline)) void access(std::uintptr_t address, std::size_t size, Place place);
  [[noreturn]] void misaligned(Place place);

 private:
  static void fiber_main(boost::context::detail::transfer_t transfer);
  void find_static_shared();
  void begin(Launch& launch);
  void run_block(std::uint64_t number);
  void end_block();
  void run_thread(Thread& thread);
  void leave_thread(Thread& thread);
  void make_ready(Thread& thread);
  Thread& next_ready();
  bool any_ready() const { return ready_first_ != ready_last_; }
  void dispatch();
  void wait(Thread& me, Wait reason);
  void release_barrier();
  void complete(unsigned warp, Warp::Meeting& meeting, const Thread* last);
  void lane_left(Thread& thread);
  [[noreturn]] void stop(Thread& thread);
  [[noreturn]] void give_up(Place place);
  [[noreturn]] void fault(Fault what, Place place);
  [[noreturn]] void out_of_bounds(Access kind, std::uintptr_t address, Place place);
  void log(Fault what, Place place, Place other = nowhere, std::uint32_t other_thread = Finding::none,
           const Thread* thread = nullptr);
  void log(const Conflict& conflict, Place place);
  void tick(Place place);
  template <Space space, Access kind>
  void check(std::uint64_t offset, std::size_t size, Place place);
  void record(Space space, Access kind, std::uint64_t offset, std::size_t size, Place place);
  bool is_private(std::uintptr_t address) const;

  static constexpr std::uint32_t steps_per_tick = 1u << 16;

  // The access path reads these.
  Thread* current_ = nullptr;
  std::uint32_t steps_left_ = steps_per_tick;
  bool check_shared_ = false, check_global_ = false;
  AccessRecorder* recorder_ = nullptr;
  std::uintptr_t shared_base_ = 0, static_base_ = 0, memory_base_ = 0;
  std::size_t shared_bytes_ = 0, static_bytes_ = 0, memory_bytes_ = 0;
  const Memory* memory_ = nullptr;
  Clock clock_;
  Shadow shared_shadow_;

  Launch* launch_ = nullptr;
  uint3 block_index_{}, indexed_for_{};
  unsigned threads_in_block_ = 0, next_thread_ = 0, alive_ = 0, exited_ = 0;
  bool given_up_ = false;

  unsigned waiting_ = 0;  ///< at the block barrier
  std::array<std::uint16_t, most_threads> waiters_;
  Place barrier_place_ = nowhere;
  unsigned barrier_count_ = 0, barrier_result_ = 0;

  unsigned ready_first_ = 0, ready_last_ = 0;
  std::array<std::uint16_t, 2 * most_threads> ready_;

  std::uint64_t progress_ = 0, progress_seen_ = 0;
  bool block_ticked_ = false;
  std::chrono::steady_clock::time_point block_begin_, last_progress_;

  std::array<Thread, most_threads> threads_;
  std::array<Warp, most_threads / warp_lanes> warps_;
  Fibers fibers_;
  std::vector<Fiber*> stopped_fibers_;
  std::vector<PendingCopy> copies_;
  FindingLog findings_;
  std::chrono::duration<double> stall_{};
};

inline void Engine::make_ready(Thread& thread) {
  ready_[ready_last_] = thread.id;
  ready_last_ = (ready_last_ + 1) % ready_.size();
}

inline Thread& Engine::next_ready() {
  Thread& thread = threads_[ready_[ready_first_]];
  ready_first_ = (ready_first_ + 1) % static_cast<unsigned>(ready_.size());
  return thread;
}

/// Leaves the running fiber for whatever can run.
inline void Engine::dispatch() {
  Fiber* to = fibers_.host();
  if (!given_up_) {
    if (any_ready())
      to = next_ready().fiber;
    else if (next_thread_ < threads_in_block_)
      to = fibers_.take();
  }
  if (to != fibers_.running()) fibers_.switch_to(to, this);
}

inline void Engine::wait(Thread& me, Wait reason) {
  me.wait = reason;
  dispatch();
  me.wait = Wait::none;
  current_ = &me;
}

/// The engine whose CUDA thread is running on this host thread; null outside kernel code, and while the engine itself
/// works, so that hooks reached from library code do nothing there.
extern thread_local constinit Engine* active __attribute__((tls_model("initial-exec")));

/// For the duration of a call from a kernel into the engine.
class InEngine {
 public:
  InEngine() : engine_(active) { active = nullptr; }
  InEngine(const InEngine&) = delete;
  InEngine& operator=(const InEngine&) = delete;
  ~InEngine() { active = engine_; }
  Engine* operator->() const { return engine_; }

 private:
  Engine* engine_;
};

}  // namespace rung::sim
