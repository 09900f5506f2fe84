// The race rules, for shared and for global memory: two accesses of the same bytes, one of them a write, not both
// atomic, with neither a barrier nor (in one warp) a __syncwarp between them. Shuffles order nothing: CUDA says so.
#pragma once
#include "clock.hpp"
#include "recorder.hpp"
#include "releases.hpp"
#include "shadow.hpp"
#include "sim.hpp"

namespace rung::sim {

/// Who makes an access.
struct Accessor {
  std::uint16_t thread;
  std::uint8_t warp, lane;
  Place place;
};

/// The first rule that an access broke, if any.
struct Conflict {
  bool found = false;
  Fault fault{};
  Place other_place = nowhere;
  std::uint32_t other_thread = Finding::none;

  void set(Fault f, Place place, std::uint32_t thread) {
    if (found) return;
    found = true;
    fault = f;
    other_place = place;
    other_thread = thread;
  }
};

template <Space space>
struct RaceRules {
  static constexpr bool global = space == Space::global;
  static constexpr Fault read_after_write =
      global ? Fault::global_race_read_after_write : Fault::shared_race_read_after_write;
  static constexpr Fault write_after_write =
      global ? Fault::global_race_write_after_write : Fault::shared_race_write_after_write;
  static constexpr Fault write_after_read =
      global ? Fault::global_race_write_after_read : Fault::shared_race_write_after_read;

  const Clock& clock;
  const WarpClock& warp_clock;
  const Accessor& me;
  const Releases* releases;  ///< what earlier blocks published to this one; global memory only
  std::uint32_t my_clock = warp_clock.of(me.lane);

  bool of_earlier_block(std::uint32_t epoch) const {
    return global && epoch >= clock.launch_epoch && epoch < clock.block_epoch;
  }
  bool races_with_write(const Cell& cell, Access kind) const {
    if (kind == Access::atomic && (cell.writer & Cell::atomic)) return false;
    const unsigned writer = cell.writer & Cell::thread_bits;
    if (cell.write_epoch == clock.epoch)
      return writer != me.thread &&
             !(writer / 32 == me.warp && warp_clock.ordered(me.lane, writer % 32, cell.write_clock));
    return of_earlier_block(cell.write_epoch) && !releases->cover(cell.write_epoch, writer);
  }
  /// `reader`: one of the threads that read, where it is known.
  bool races_with_reads(const Cell& cell, std::uint32_t& reader) const {
    reader = Finding::none;
    if (cell.read_epoch == clock.epoch) {
      if (cell.reader_warp != me.warp) return true;
      const std::uint32_t others = cell.read_lanes & ~(1u << me.lane);
      for (std::uint32_t m = others; m; m &= m - 1) {
        const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
        if (warp_clock.ordered(me.lane, lane, cell.read_clock)) continue;
        reader = me.warp * 32u + lane;
        return true;
      }
      return false;
    }
    return read_by_other_block(cell);
  }
  /// Of the earlier blocks only the last that read is remembered, with a flag that there were others.
  bool read_by_other_block(const Cell& cell) const {
    if (!global || cell.read_epoch < clock.launch_epoch) return false;
    return (cell.reader_warp & Cell::many_blocks) ||
           (of_earlier_block(cell.read_epoch) && !releases->cover(cell.read_epoch, Cell::thread_bits));
  }
  void note_read(Cell& cell) const {
    const std::uint32_t bit = 1u << me.lane;
    if (cell.read_epoch != clock.epoch) {
      const bool earlier = read_by_other_block(cell);
      cell.read_epoch = clock.epoch;
      cell.reader_warp = static_cast<std::uint16_t>(me.warp | (earlier ? Cell::many_blocks : 0));
      cell.read_lanes = bit;
      cell.read_clock = my_clock;
    } else if (cell.reader_warp == me.warp) {
      if (cell.read_clock == my_clock) {
        cell.read_lanes |= bit;
      } else {
        // Lanes whose reads this one already follows need not be remembered: who follows it follows them.
        std::uint32_t left = 0;
        for (std::uint32_t m = cell.read_lanes & ~bit; m; m &= m - 1)
          if (const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
              !warp_clock.ordered(me.lane, lane, cell.read_clock))
            left |= 1u << lane;
        if (left == 0 || cell.read_clock > my_clock) cell.read_clock = my_clock;
        cell.read_lanes = left | bit;
      }
    } else {
      cell.reader_warp = static_cast<std::uint16_t>((cell.reader_warp & Cell::many_blocks) | Cell::many_warps);
    }
    cell.read_place = me.place;
  }
  template <Access kind>
  __attribute__((always_inline)) void touch(Cell& cell, Conflict& conflict) const {
    if constexpr (kind != Access::store) {
      if (!global && cell.write_epoch < clock.block_epoch) [[unlikely]]
        conflict.set(Fault::shared_uninitialised, nowhere, Finding::none);
    }
    if (races_with_write(cell, kind)) [[unlikely]]
      conflict.set(kind == Access::load ? read_after_write : write_after_write, cell.write_place,
                   cell.write_epoch == clock.epoch ? cell.writer & Cell::thread_bits : Finding::none);
    if constexpr (kind == Access::load) {
      note_read(cell);
    } else {
      if (std::uint32_t reader; races_with_reads(cell, reader)) [[unlikely]]
        conflict.set(write_after_read, cell.read_place, reader);
      cell.read_epoch = 0;  // who follows this write follows the reads before it
      cell.reader_warp = 0;
      cell.write_epoch = clock.epoch;
      cell.write_clock = my_clock;
      cell.write_place = me.place;
      cell.writer = static_cast<std::uint16_t>(me.thread | (kind == Access::atomic ? Cell::atomic : 0));
    }
  }
};

/// Checks an access against what the shadow remembers, and remembers it.
template <Space space, Access kind>
__attribute__((always_inline)) inline Conflict check_races(Shadow& shadow, const Clock& clock, const Accessor& me,
                                                           const Releases* releases, std::uint64_t offset,
                                                           std::uint64_t size) {
  Conflict conflict;
  const RaceRules<space> rules{clock, clock.warps[me.warp], me, releases};
  shadow.visit(
      offset, size, kind != Access::load, space == Space::global ? clock.launch_epoch : clock.block_epoch,
      clock.epoch, [&](Cell & cell) __attribute__((always_inline)) { rules.template touch<kind>(cell, conflict); });
  return conflict;
}

}  // namespace rung::sim
