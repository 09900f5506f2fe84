// The calls of kernel code (machine.hpp), handed to the engine whose thread makes them.
#include "machine.hpp"

#include "access.hpp"

namespace rung::sim {

uint3 thread_idx() noexcept { return active->current().index; }
uint3 block_idx() noexcept { return active->block_index(); }
uint3 block_dim() noexcept { return active->block_dim(); }
uint3 grid_dim() noexcept { return active->grid_dim(); }
void* dynamic_shared() noexcept { return active->dynamic_shared(); }

void warp_barrier(unsigned mask, const void* at) {
  const InEngine engine;
  engine->meet(Collective::barrier, 0, mask, 0, engine->current().lane, record_place(at));
}

/// The lane that a shuffle reads; its own where the source is outside the segment of `width` lanes
/// (PTX ISA, shfl.sync: exclusive-or may reach into earlier segments, not into later ones).
static unsigned source_lane(Shuffle mode, unsigned lane, unsigned operand, int width) {
  const unsigned segment = static_cast<unsigned>(width), first = lane & ~(segment - 1), past = first + segment;
  switch (mode) {
    case Shuffle::index:
      return first + (operand & (segment - 1));
    case Shuffle::up:
      return operand <= lane - first ? lane - operand : lane;
    case Shuffle::down:
      return operand < past - lane ? lane + operand : lane;
    case Shuffle::exclusive_or:
      break;
  }
  return (lane ^ operand) < past ? lane ^ operand : lane;
}

std::uint64_t shuffle(Shuffle mode, unsigned mask, std::uint64_t bits, unsigned operand, int width, const void* at) {
  const InEngine engine;
  const unsigned source = source_lane(mode, engine->current().lane, operand, width);
  return engine->meet(Collective::shuffle, 0, mask, bits, source, record_place(at));
}
unsigned ballot(unsigned mask, bool predicate, const void* at) {
  return static_cast<unsigned>(InEngine()->meet(Collective::ballot, 0, mask, predicate, 0, record_place(at)));
}
unsigned match_any(unsigned mask, std::uint64_t bits, const void* at) {
  return static_cast<unsigned>(InEngine()->meet(Collective::match, 0, mask, bits, 0, record_place(at)));
}
std::int64_t warp_reduce(Reduce operation, unsigned mask, std::int64_t value, const void* at) {
  return static_cast<std::int64_t>(InEngine()->meet(Collective::reduce, static_cast<unsigned>(operation), mask,
                                                    static_cast<std::uint64_t>(value), 0, record_place(at)));
}
unsigned alive_lanes() { return active->alive_lanes(); }
void fence(bool device) {
  if (device && active) active->fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void wait_for_previous_kernel() { active->wait_for_previous_kernel(); }
void pause() { InEngine()->yield(); }

namespace {

template <Access kind>
void access16(const void* p, const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  if (address % 16 != 0) active->misaligned(record_place(at));
  active->access<kind>(address, 16, record_place(at));
}

}  // namespace

void load16(void* to, const void* from, const void* at) {
  access16<Access::load>(from, at);
  __builtin_memcpy(to, from, 16);
}
void store16(void* to, const void* from, const void* at) {
  access16<Access::store>(to, at);
  __builtin_memcpy(to, from, 16);
}
void copy16_async(void* to, const void* from, const void* at) {
  access16<Access::load>(from, at);
  InEngine()->add_copy({to, from, at});
}
void wait_for_copies() {
  PendingCopy copy;
  while (InEngine()->next_copy(copy)) store16(copy.to, copy.from, copy.at);
}

}  // namespace rung::sim
