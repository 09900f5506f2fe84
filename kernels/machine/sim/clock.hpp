// Time inside a launch. Epochs number the intervals between block barriers, through all blocks and launches of an OS
// thread; clocks order the lanes of a warp within an interval, by __syncwarp.
#pragma once
#include <cstdint>

namespace rung::sim {

class WarpClock {
 public:
  /// The clock that an access of this lane carries.
  std::uint32_t of(unsigned lane) const { return lanes_[lane] > all_ ? lanes_[lane] : all_; }
  /// Whether an access of `other` that carried `clock` happened before anything `lane` does from here on.
  bool ordered(unsigned lane, unsigned other, std::uint32_t clock) const {
    return clock < all_ || seen_[lane][other] > clock;
  }
  /// The lanes of the mask met. `whole`: they are all that the warp ever had, which costs nothing.
  void join(std::uint32_t mask, bool whole) {
    ++now_;
    if (whole) {
      all_ = now_;
      return;
    }
    std::uint32_t joined[32] = {};
    for (std::uint32_t m = mask; m; m &= m - 1)
      for (unsigned k = 0, lane = lowest(m); k < 32; ++k)
        if (seen_[lane][k] > joined[k]) joined[k] = seen_[lane][k];
    for (std::uint32_t m = mask; m; m &= m - 1) joined[lowest(m)] = now_;
    for (std::uint32_t m = mask; m; m &= m - 1) {
      const unsigned lane = lowest(m);
      lanes_[lane] = now_;
      for (unsigned k = 0; k < 32; ++k) seen_[lane][k] = joined[k];
    }
  }
  std::uint32_t now() const { return now_; }

 private:
  static unsigned lowest(std::uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }
  std::uint32_t now_ = 0, all_ = 0;  ///< now_ only grows, so that what older blocks left behind orders nothing
  std::uint32_t lanes_[32] = {};
  std::uint32_t seen_[32][32] = {};
};

struct Clock {
  std::uint32_t epoch = 1;         ///< the current interval
  std::uint32_t block_epoch = 1;   ///< the first of the current block
  std::uint32_t launch_epoch = 1;  ///< the first of the launch
  WarpClock warps[32];
};

}  // namespace rung::sim
