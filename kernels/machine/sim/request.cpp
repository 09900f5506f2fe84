#include "request.hpp"

#include <algorithm>
#include <bit>

namespace rung::sim {
namespace {

constexpr unsigned lanes_of_warp = 32, sector = 32, word = 4, banks = 32;

/// The addresses of the lanes that take part, in the order of the lanes.
struct Active {
  std::array<std::uint64_t, lanes_of_warp> at{};
  unsigned count = 0;
  explicit Active(const Request& r) {
    for (std::uint32_t m = r.mask; m != 0; m &= m - 1)
      at[count++] = r.offset[static_cast<unsigned>(std::countr_zero(m))];
  }
  auto begin() { return at.begin(); }
  auto end() { return at.begin() + count; }
};

/// Of sorted addresses, each the first of `size` bytes: how many pieces of `unit` aligned bytes they touch.
unsigned pieces(const Active& sorted, std::uint32_t size, unsigned unit) {
  unsigned count = 0;
  std::uint64_t next = 0;  // the first piece that is not counted
  for (unsigned k = 0; k < sorted.count; ++k) {
    const std::uint64_t first = std::max(sorted.at[k] / unit, next), past = (sorted.at[k] + size - 1) / unit + 1;
    if (past <= first) continue;
    count += static_cast<unsigned>(past - first);
    next = past;
  }
  return count;
}

/// Wavefronts of lanes [first, past), and the words in their busiest bank, which is the same number.
unsigned conflict(const Request& r, unsigned first, unsigned past) {
  std::array<std::uint64_t, 4 * lanes_of_warp> words;
  unsigned count = 0;
  for (unsigned lane = first; lane < past; ++lane) {
    if (!(r.mask >> lane & 1)) continue;
    for (std::uint64_t w = r.offset[lane] / word; w <= (r.offset[lane] + r.size - 1) / word && count < words.size();
         ++w)
      words[count++] = w;
  }
  std::sort(words.begin(), words.begin() + count);
  const auto end = std::unique(words.begin(), words.begin() + count);
  std::array<unsigned, banks> in_bank{};
  for (auto w = words.begin(); w != end; ++w) ++in_bank[*w % banks];
  return *std::max_element(in_bank.begin(), in_bank.end());
}

/// Lanes that shared memory serves together.
unsigned lanes_together(std::uint32_t size) {
  return size <= word ? lanes_of_warp : size <= 2 * word ? lanes_of_warp / 2 : lanes_of_warp / 4;
}

}  // namespace

Cost sectors(const Request& r) {
  Active lanes(r);
  std::sort(lanes.begin(), lanes.end());
  Cost cost{.lanes = lanes.count};
  cost.bytes = pieces(lanes, r.size, 1);
  cost.units = pieces(lanes, r.size, sector);
  cost.ideal = (cost.bytes + sector - 1) / sector;
  return cost;
}

Cost wavefronts(const Request& r) {
  Active lanes(r);
  std::sort(lanes.begin(), lanes.end());
  Cost cost{.lanes = lanes.count, .bytes = pieces(lanes, r.size, 1)};
  const unsigned together = lanes_together(r.size);
  for (unsigned first = 0; first < lanes_of_warp; first += together) {
    const unsigned passes = conflict(r, first, first + together);
    cost.units += passes;
    cost.ideal += passes != 0;
  }
  return cost;
}

Cost turns(const Request& r) {
  Active lanes(r);
  std::sort(lanes.begin(), lanes.end());
  Cost cost{.lanes = lanes.count, .bytes = pieces(lanes, r.size, 1), .ideal = 1};
  unsigned run = 0;
  for (unsigned k = 0; k < lanes.count; ++k) {
    run = k != 0 && lanes.at[k] == lanes.at[k - 1] ? run + 1 : 1;
    cost.units = std::max(cost.units, run);
  }
  return cost;
}

Pattern pattern_of(const Request& r, const Cost& cost) {
  const Active lanes(r);
  Pattern p{.lanes = lanes.count, .size = r.size, .bytes = cost.bytes, .units = cost.units, .ideal = cost.ideal};
  const auto step = [&](unsigned from, unsigned to) {
    return static_cast<std::int64_t>(lanes.at[to] - lanes.at[from]);
  };
  p.into = static_cast<unsigned>(*std::min_element(lanes.at.begin(), lanes.at.begin() + lanes.count) % sector);
  for (unsigned first = 0; first < lanes_of_warp; first += lanes_together(r.size))
    p.busiest = std::max(p.busiest, conflict(r, first, first + lanes_together(r.size)));
  p.inner = lanes.count > 1 ? step(0, 1) : 0;
  p.group = std::min(lanes.count, 2u);
  while (p.group < lanes.count && step(p.group - 1, p.group) == p.inner) ++p.group;
  p.outer = p.group < lanes.count ? step(0, p.group) : 0;
  p.regular = true;
  for (unsigned k = 0; k < lanes.count; ++k)
    p.regular = p.regular && step(0, k) == k % p.group * p.inner + k / p.group * p.outer;
  if (!p.regular) {
    p.group = 0;
    p.inner = p.outer = 0;
  }
  return p;
}

}  // namespace rung::sim
