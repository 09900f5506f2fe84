// Order between blocks: a fence, then an atomic, publishes what a block did; a later atomic on the same address by
// another block receives it (the "last block done" pattern). Blocks run one after another where this is used.
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rung::sim {

class Releases {
 public:
  void begin_launch() {
    published_.clear();
    received_.clear();
  }
  void begin_block() { received_.clear(); }

  /// An atomic on device memory. `fenced`: the thread has executed __threadfence in this block.
  void atomic(std::uint64_t offset, bool fenced, std::uint32_t block_epoch, std::uint32_t epoch, std::uint32_t thread) {
    if (!fenced && published_.empty()) return;
    auto& list = published_[offset];
    if (!list.empty()) {
      if (received_.empty() || received_.back().first != &list) received_.emplace_back(&list, 0);
      received_.back().second = list.size();
    }
    if (fenced) list.push_back({block_epoch, epoch, thread});
  }

  /// Whether an access of an earlier block, in `epoch` by `thread`, happened before what this block does next.
  /// A thread's fence covers what its whole block did before the last barrier, and what it did itself since.
  bool cover(std::uint32_t epoch, std::uint32_t thread) const {
    for (const auto& [list, count] : received_) {
      // Epochs grow along a list: skip what was published before the access.
      std::size_t low = 0, high = count;
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if ((*list)[middle].epoch < epoch)
          low = middle + 1;
        else
          high = middle;
      }
      for (; low < count && (*list)[low].block_epoch <= epoch; ++low)
        if (epoch < (*list)[low].epoch || thread == (*list)[low].thread || thread == any_thread) return true;
    }
    return false;
  }

  static constexpr std::uint32_t any_thread = 0x3fff;  ///< of reads, whose thread is not remembered

 private:
  struct Release {
    std::uint32_t block_epoch, epoch, thread;
  };
  // Node-based: lists stay where they are while received_ points at them.
  std::unordered_map<std::uint64_t, std::vector<Release>> published_;
  std::vector<std::pair<const std::vector<Release>*, std::size_t>> received_;
};

}  // namespace rung::sim
