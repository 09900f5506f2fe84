// What happens when an access or a collective breaks a rule.
#include "access.hpp"
#include "engine.hpp"

extern "C" char end[];  // of the executable's data

namespace rung::sim {

void Engine::log(Fault what, Place place, Place other, std::uint32_t other_thread, const Thread* thread) {
  const InEngine inside;
  if (!thread) thread = current_;
  findings_.add({what,
                 place,
                 other,
                 {block_index_.x, block_index_.y, block_index_.z},
                 thread ? thread->id : Finding::none,
                 other_thread,
                 1});
}

void Engine::log(const Conflict& conflict, Place place) {
  log(conflict.fault, place, conflict.other_place, conflict.other_thread);
}

void Engine::fault(Fault what, Place place) {
  active = nullptr;
  log(what, place);
  stop(*current_);
}

void Engine::misaligned(Place place) { fault(Fault::misaligned, place); }

/// Stacks hold a thread's own variables; the executable holds constants and __device__ variables.
bool Engine::is_private(std::uintptr_t address) const {
  return fibers_.on_stack(address) || (address >= reinterpret_cast<std::uintptr_t>(__executable_start) &&
                                       address < reinterpret_cast<std::uintptr_t>(end));
}

void Engine::out_of_bounds(Access kind, std::uintptr_t address, Place place) {
  const bool write = kind != Access::load;
  if (address - memory_base_ < memory_bytes_)
    fault(write ? Fault::global_bounds_write : Fault::global_bounds_read, place);
  constexpr std::uintptr_t near = std::uintptr_t{1} << 20;
  if (address - (shared_base_ - near) < 2 * near + dynamic_shared_most)
    fault(write ? Fault::shared_bounds_write : Fault::shared_bounds_read, place);
  fault(write ? Fault::wild_write : Fault::wild_read, place);
}

/// Every steps_per_tick accesses: lets threads that a spinning one waits for run, and looks at the clock.
void Engine::tick(Place place) {
  const InEngine inside;
  steps_left_ = steps_per_tick;
  const auto now = std::chrono::steady_clock::now();
  if (!block_ticked_) {
    block_ticked_ = true;
    block_begin_ = last_progress_ = now;
  }
  if (progress_ != progress_seen_) {
    progress_seen_ = progress_;
    last_progress_ = now;
  }
  constexpr int longest = 10;  // a block that loops over barriers makes progress for ever
  if (now - last_progress_ > stall_ || now - block_begin_ > longest * stall_) give_up(place);
  if (launch_->stop) {
    given_up_ = true;
    dispatch();
  }
  yield();
}

void Engine::record(Space space, Access kind, std::uint64_t offset, std::size_t size, Place place) {
  const InEngine inside;
  recorder_->access({space, kind, static_cast<std::uint32_t>(size), current_->id, place, offset});
}

}  // namespace rung::sim
