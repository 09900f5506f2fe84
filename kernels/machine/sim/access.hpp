// The path of every memory access of a kernel. Plain code on purpose: a library template called from here might, after
// the linker merged its copies, be one compiled with hooks, and call back into this.
#pragma once
#include "engine.hpp"

namespace rung::sim {

inline constexpr std::size_t dynamic_shared_most = std::size_t{256} << 10;  ///< above CUDA's limit; static ones follow

template <Access kind>
inline void Engine::access(std::uintptr_t address, std::size_t size, Place place) {
  if (--steps_left_ == 0) [[unlikely]]
    tick(place);
  if (const std::uint64_t offset = address - memory_base_; offset < memory_bytes_) {
    const Memory::Extent& extent = memory_->extent_at(offset);
    if (offset + size > extent.end) [[unlikely]]  // buffers begin at a page, so none is passed below
      out_of_bounds(kind, address, place);
    if (current_->early) [[unlikely]]
      log(Fault::early_access, place);
    if (check_global_) [[unlikely]]
      check<Space::global, kind>(offset, size, place);
    if (recorder_) [[unlikely]]
      record(Space::global, kind, offset, size, place);
  } else if (const std::uint64_t in_dynamic = address - shared_base_; in_dynamic < shared_bytes_) {
    if (in_dynamic + size > shared_bytes_) [[unlikely]]
      out_of_bounds(kind, address, place);
    if (check_shared_) check<Space::shared, kind>(in_dynamic, size, place);
    if (recorder_) [[unlikely]]
      record(Space::shared, kind, in_dynamic, size, place);
  } else if (const std::uint64_t in_static = address - static_base_; in_static < static_bytes_) {
    if (check_shared_) check<Space::shared, kind>(dynamic_shared_most + in_static, size, place);
    if (recorder_) [[unlikely]]
      record(Space::shared, kind, dynamic_shared_most + in_static, size, place);
  } else if (!is_private(address)) [[unlikely]] {
    out_of_bounds(kind, address, place);
  }
}

template <Space space, Access kind>
inline void Engine::check(std::uint64_t offset, std::size_t size, Place place) {
  const Thread& t = *current_;
  const Accessor me{t.id, t.warp, t.lane, place};
  if constexpr (space == Space::global) {
    const InEngine inside;
    GlobalState& global = *launch_->global;
    if constexpr (kind == Access::atomic)
      global.releases.atomic(offset, t.fenced, clock_.block_epoch, clock_.epoch, t.id);
    const Conflict conflict = check_races<space, kind>(global.shadow, clock_, me, &global.releases, offset, size);
    if (conflict.found) log(conflict, place);
  } else {
    const Conflict conflict = check_races<space, kind>(shared_shadow_, clock_, me, nullptr, offset, size);
    if (conflict.found) [[unlikely]]
      log(conflict, place);
  }
}

}  // namespace rung::sim
