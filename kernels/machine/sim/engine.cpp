#include "engine.hpp"

#include "../../error.hpp"
#include "access.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>

namespace rung::sim {

thread_local constinit Engine* active = nullptr;

namespace {
constexpr std::size_t shared_gap = std::size_t{1} << 20;  // reserved on both sides, so that overruns are seen as such
constexpr std::uint32_t last_epoch = 0xf0000000u;
}  // namespace

Engine& Engine::of_this_thread() {
  static thread_local std::unique_ptr<Engine> engine;
  if (!engine) engine = std::make_unique<Engine>();
  return *engine;
}

Engine::Engine() : fibers_(most_threads + 1, &Engine::fiber_main) {
  char* low = static_cast<char*>(reserve(2 * shared_gap + dynamic_shared_most));
  find_static_shared();
  if (!low || !shared_shadow_.cover(dynamic_shared_most + static_bytes_))
    throw DeviceError("sim: cannot reserve address space for shared memory");
  shared_base_ = reinterpret_cast<std::uintptr_t>(low) + shared_gap;
}

Engine::~Engine() { munmap(reinterpret_cast<void*>(shared_base_ - shared_gap), 2 * shared_gap + dynamic_shared_most); }

/// Static __shared__ arrays are thread-local: they lie in this thread's TLS block of the executable.
void Engine::find_static_shared() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* self) {
        auto* engine = static_cast<Engine*>(self);
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          if (info->dlpi_phdr[k].p_type != PT_TLS || !info->dlpi_tls_data) continue;
          // Rounded, so that words of the shadow are words of memory.
          const auto begin = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
          engine->static_base_ = begin & ~std::uintptr_t{127};
          engine->static_bytes_ = (begin + info->dlpi_phdr[k].p_memsz - engine->static_base_ + 127) & ~std::size_t{127};
        }
        return 1;  // the first object is the executable
      },
      this);
}

void Engine::begin(Launch& launch) {
  launch_ = &launch;
  memory_ = &Memory::instance();
  memory_base_ = reinterpret_cast<std::uintptr_t>(memory_->base());
  memory_bytes_ = memory_->size();
  shared_bytes_ = launch.grid.grid.shared;
  check_shared_ = launch.options.check_shared;
  check_global_ = launch.global != nullptr;
  recorder_ = launch.options.recorder;
  stall_ = std::chrono::duration<double>(launch.options.stall_seconds);
  if (launch.global) clock_.epoch = std::max(clock_.epoch, launch.global->last_epoch);
  clock_.launch_epoch = clock_.epoch + 1;

  threads_in_block_ = launch.grid.threads();
  const uint3 dim = launch.grid.block_dim();
  if (dim.x == indexed_for_.x && dim.y == indexed_for_.y && dim.z == indexed_for_.z) return;
  indexed_for_ = dim;
  for (unsigned i = 0; i < threads_in_block_; ++i) {
    Thread& t = threads_[i];
    t.index = {i % dim.x, i / dim.x % dim.y, i / (dim.x * dim.y)};
    t.id = static_cast<std::uint16_t>(i);
    t.warp = static_cast<std::uint8_t>(i / warp_lanes);
    t.lane = static_cast<std::uint8_t>(i % warp_lanes);
  }
}

void Engine::work(Launch& launch) {
  begin(launch);
  const std::uint64_t blocks = launch.grid.blocks();
  for (std::uint64_t first; (first = launch.next_block.fetch_add(launch.chunk)) < blocks;)
    for (std::uint64_t b = first; b < std::min(blocks, first + launch.chunk) && !launch.stop; ++b) run_block(b);
  if (launch.global) launch.global->last_epoch = clock_.epoch;
  findings_.publish();
  launch_ = nullptr;
}

void Engine::run_block(std::uint64_t number) {
  if (clock_.epoch > last_epoch || clock_.warps[0].now() > last_epoch) {
    clock_ = Clock{};
    shared_shadow_.forget();
    if (launch_->global) launch_->global->shadow.forget();
  }
  const dim3 grid = launch_->grid.grid.grid;
  block_index_ = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                  static_cast<unsigned>(number / grid.x / grid.y)};
  next_thread_ = exited_ = waiting_ = barrier_count_ = ready_first_ = ready_last_ = 0;
  alive_ = threads_in_block_;
  given_up_ = block_ticked_ = false;
  clock_.block_epoch = ++clock_.epoch;
  if (launch_->global) launch_->global->releases.begin_block();
  for (unsigned i = 0; i < threads_in_block_; ++i) {
    threads_[i].done = threads_[i].fenced = false;
    threads_[i].early = launch_->grid.grid.overlapping;
  }
  for (unsigned w = 0; w * warp_lanes < threads_in_block_; ++w) {
    const unsigned lanes = threads_in_block_ - w * warp_lanes;
    warps_[w].all = warps_[w].alive = lanes >= warp_lanes ? ~0u : (1u << lanes) - 1;
    warps_[w].stopped = 0;
  }
  if (recorder_) recorder_->begin_block(threads_in_block_);
  while (!given_up_ && (any_ready() || next_thread_ < threads_in_block_))
    fibers_.switch_to(any_ready() ? next_ready().fiber : fibers_.take(), this);
  end_block();
}

/// Threads that are left wait for each other at different places, or the block was given up.
void Engine::end_block() {
  current_ = nullptr;
  if (alive_ != 0) {
    if (!given_up_) {
      Place at = waiting_ ? barrier_place_ : nowhere, other = nowhere;
      for (unsigned w = 0; w * warp_lanes < threads_in_block_; ++w)
        for (const Warp::Meeting& m : warps_[w].meetings)
          if (m.mask && other == nowhere) other = m.place;
      log(Fault::deadlock, at == nowhere ? other : at, at == nowhere ? nowhere : other);
    }
    for (unsigned i = 0; i < next_thread_; ++i)
      if (!threads_[i].done) fibers_.put_back_fresh(threads_[i].fiber);
    for (Warp& w : warps_) {
      for (Warp::Meeting& m : w.meetings) m.mask = m.arrived = 0;
      w.meetings_used = 0;
    }
  }
  for (Fiber* fiber : stopped_fibers_) fibers_.put_back_fresh(fiber);
  stopped_fibers_.clear();
  copies_.clear();  // nobody waited for these: what they would have brought was not to be relied on
  if (recorder_) recorder_->end_block();
}

/// A fiber runs threads back to back for as long as none has to wait: without barriers, a block takes one fiber.
void Engine::fiber_main(boost::context::detail::transfer_t transfer) {
  auto& engine = *static_cast<Engine*>(transfer.data);
  engine.fibers_.arrive(transfer);
  for (;;) {
    while (engine.next_thread_ < engine.threads_in_block_ && !engine.given_up_) {
      engine.run_thread(engine.threads_[engine.next_thread_++]);
      if (engine.any_ready()) break;
    }
    engine.fibers_.put_back(engine.fibers_.running());
    engine.dispatch();
  }
}

void Engine::run_thread(Thread& thread) {
  thread.fiber = fibers_.running();
  current_ = &thread;
  active = this;
  launch_->enter(launch_->argument);
  active = nullptr;
  ++exited_;
  leave_thread(thread);
}

void Engine::leave_thread(Thread& thread) {
  thread.done = true;
  --alive_;
  ++progress_;
  current_ = &thread;
  lane_left(thread);
  if (waiting_ != 0 && waiting_ == alive_) release_barrier();
}

void Engine::yield() {
  Thread& me = *current_;
  if (!any_ready() && next_thread_ == threads_in_block_) return;
  Fiber* to = next_thread_ < threads_in_block_ ? fibers_.take() : next_ready().fiber;
  make_ready(me);
  if (to != fibers_.running()) fibers_.switch_to(to, this);
  current_ = &me;
}

bool Engine::next_copy(PendingCopy& copy) {
  const auto mine =
      std::find_if(copies_.begin(), copies_.end(), [this](const PendingCopy& c) { return c.thread == current_->id; });
  if (mine == copies_.end()) return false;
  copy = *mine;
  copies_.erase(mine);
  return true;
}

/// Ends a thread in the middle of its kernel; its frames are abandoned. Kernels own nothing that needs destruction.
void Engine::stop(Thread& thread) {
  warps_[thread.warp].stopped |= 1u << thread.lane;
  leave_thread(thread);
  stopped_fibers_.push_back(fibers_.running());  // not idle before the block ends: this code runs on it
  dispatch();
  __builtin_unreachable();
}

void Engine::give_up(Place place) {
  log(Fault::deadlock, place);
  given_up_ = true;
  launch_->stop = true;
  dispatch();
  __builtin_unreachable();
}

}  // namespace rung::sim
