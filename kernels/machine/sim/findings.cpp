#include "findings.hpp"

#include <mutex>
#include <utility>

namespace rung::sim {
namespace {

std::mutex published_mutex;
std::vector<RawFinding>& published() {
  static std::vector<RawFinding> list;
  return list;
}

void merge(std::vector<RawFinding>& list, const RawFinding& finding) {
  for (RawFinding& known : list)
    if (known.fault == finding.fault && known.place == finding.place && known.other_place == finding.other_place) {
      known.count += finding.count;
      return;
    }
  list.push_back(finding);
}

std::string coordinates(const std::array<std::uint32_t, 3>& c) {
  if (c[1] == 0 && c[2] == 0) return std::to_string(c[0]);
  return "(" + std::to_string(c[0]) + ", " + std::to_string(c[1]) + ", " + std::to_string(c[2]) + ")";
}

}  // namespace

void FindingLog::add(const RawFinding& finding) { merge(list_, finding); }

void FindingLog::publish() {
  if (list_.empty()) return;
  const std::lock_guard lock(published_mutex);
  for (const RawFinding& finding : list_) merge(published(), finding);
  list_.clear();
}

std::vector<Finding> take_findings() {
  std::vector<RawFinding> raw;
  {
    const std::lock_guard lock(published_mutex);
    raw = std::exchange(published(), {});
  }
  std::vector<Finding> findings;
  for (const RawFinding& r : raw)
    findings.push_back(
        {r.fault, text_of_place(r.place), text_of_place(r.other_place), r.block, r.thread, r.other_thread, r.count});
  return findings;
}

std::string_view text_of(Fault fault) {
  switch (fault) {
    case Fault::barrier_divergence:
      return "threads of a block wait at different barriers";
    case Fault::exit_before_barrier:
      return "barrier after some threads of the block have exited";
    case Fault::collective_mask:
      return "warp collective called by a lane outside its mask";
    case Fault::collective_exited:
      return "warp collective names a lane that has exited";
    case Fault::collective_divergence:
      return "lanes of one mask call different warp collectives";
    case Fault::shuffle_source:
      return "shuffle reads a lane outside its mask";
    case Fault::deadlock:
      return "deadlock: the block makes no progress";
    case Fault::global_bounds_read:
      return "global read out of bounds";
    case Fault::global_bounds_write:
      return "global write out of bounds";
    case Fault::shared_bounds_read:
      return "shared read out of bounds";
    case Fault::shared_bounds_write:
      return "shared write out of bounds";
    case Fault::wild_read:
      return "read of memory that is not the device's";
    case Fault::wild_write:
      return "write of memory that is not the device's";
    case Fault::misaligned:
      return "misaligned address";
    case Fault::early_access:
      return "global memory touched before the previous kernel has ended";
    case Fault::shared_uninitialised:
      return "read of uninitialised shared memory";
    case Fault::shared_race_read_after_write:
      return "shared race: read after write";
    case Fault::shared_race_write_after_write:
      return "shared race: write after write";
    case Fault::shared_race_write_after_read:
      return "shared race: write after read";
    case Fault::global_race_read_after_write:
      return "global race: read after write";
    case Fault::global_race_write_after_write:
      return "global race: write after write";
    case Fault::global_race_write_after_read:
      return "global race: write after read";
  }
  return "fault";
}

std::string to_string(const Finding& f) {
  std::string text(text_of(f.fault));
  if (!f.at.empty()) text += " at " + f.at;
  if (!f.other_at.empty()) text += " (against " + f.other_at + ")";
  text += ", block " + coordinates(f.block);
  if (f.thread != Finding::none) text += ", thread " + std::to_string(f.thread);
  if (f.other_thread != Finding::none) text += " and thread " + std::to_string(f.other_thread);
  if (f.count > 1) text += ", " + std::to_string(f.count) + " times";
  return text;
}

}  // namespace rung::sim
