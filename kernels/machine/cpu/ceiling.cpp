// ceiling-read and ceiling-copy on the host's cores. They take bytes, whatever the type, in whole vectors of the widest
// kind there is, and so wait for memory alone: no reduction, and no move, can do less. Shapes differ in how the array
// is cut, in how many places are read at a time, and in whether a copy goes through the cache; bench takes the fastest.
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine/cpu/ceiling.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace rung::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sum, modulo 2^64, of the words of 8 bytes and of the bytes that fill no word. The words are read in `streams`
/// places at a time, one behind the other in each.
template <std::size_t streams>
std::uint64_t fold(const std::byte* bytes, std::size_t count) {
  constexpr std::size_t vectors = 8 / streams;  // of the eight that a turn reads, in each stream
  const hn::ScalableTag<std::uint64_t> d;
  const std::size_t lanes = hn::Lanes(d), step = vectors * lanes;
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes);
  const std::size_t whole = count / sizeof(std::uint64_t), each = whole / streams / step * step;
  const auto at = [&](std::size_t k) { return words + k / vectors * each + k % vectors * lanes; };
  const auto* p0 = at(0);
  const auto* p1 = at(1);
  const auto* p2 = at(2);
  const auto* p3 = at(3);
  const auto* p4 = at(4);
  const auto* p5 = at(5);
  const auto* p6 = at(6);
  const auto* p7 = at(7);
  // By name, as an optimiser need not keep an array of them in registers.
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  for (std::size_t i = 0; i < each; i += step) {
    a0 = hn::Add(a0, hn::LoadU(d, p0 + i));
    a1 = hn::Add(a1, hn::LoadU(d, p1 + i));
    a2 = hn::Add(a2, hn::LoadU(d, p2 + i));
    a3 = hn::Add(a3, hn::LoadU(d, p3 + i));
    a4 = hn::Add(a4, hn::LoadU(d, p4 + i));
    a5 = hn::Add(a5, hn::LoadU(d, p5 + i));
    a6 = hn::Add(a6, hn::LoadU(d, p6 + i));
    a7 = hn::Add(a7, hn::LoadU(d, p7 + i));
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
  alignas(64) std::uint64_t sums[hn::MaxLanes(d)];
  hn::Store(sum, d, sums);
  std::uint64_t total = 0;
  for (std::size_t l = 0; l < lanes; ++l) total += sums[l];
  for (std::size_t i = streams * each; i < whole; ++i) total += words[i];
  for (std::size_t k = whole * sizeof(std::uint64_t); k < count; ++k) total += std::to_integer<unsigned>(bytes[k]);
  return total;
}

std::uint64_t fold_plain(const std::byte* bytes, std::size_t count) { return fold<1>(bytes, count); }

/// Four places that lie 16 KiB apart, as rows of a matrix do.
std::uint64_t fold_rows(const std::byte* bytes, std::size_t count) {
  constexpr std::size_t block = std::size_t{64} << 10;
  std::uint64_t total = 0;
  for (; count > block; bytes += block, count -= block) total += fold<4>(bytes, block);
  return total + fold<4>(bytes, count);
}

/// A copy past the cache, which spares the read of what is overwritten. `to` is aligned to a vector.
void stream(const std::byte* from, std::byte* to, std::size_t count) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d), whole = count / (4 * lanes) * (4 * lanes);
  const auto* in = reinterpret_cast<const std::uint8_t*>(from);
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < whole; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, in + i), v1 = hn::LoadU(d, in + i + lanes);
    const auto v2 = hn::LoadU(d, in + i + 2 * lanes), v3 = hn::LoadU(d, in + i + 3 * lanes);
    hn::Stream(v0, d, out + i);
    hn::Stream(v1, d, out + i + lanes);
    hn::Stream(v2, d, out + i + 2 * lanes);
    hn::Stream(v3, d, out + i + 3 * lanes);
  }
  std::memcpy(out + whole, in + whole, count - whole);
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace rung::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "../ceiling.hpp"
#include "cpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

namespace rung {
namespace cpu {
namespace {

HWY_EXPORT(fold_plain);
HWY_EXPORT(fold_rows);
HWY_EXPORT(stream);

std::uint64_t read(const std::byte* bytes, std::size_t count, bool rows) {
  return rows ? HWY_DYNAMIC_DISPATCH(fold_rows)(bytes, count) : HWY_DYNAMIC_DISPATCH(fold_plain)(bytes, count);
}

void copy(const std::byte* from, std::byte* to, std::size_t count, bool past_cache) {
  constexpr std::uintptr_t widest_vector = 64;
  if (past_cache && reinterpret_cast<std::uintptr_t>(to) % widest_vector == 0)
    HWY_DYNAMIC_DISPATCH(stream)(from, to, count);
  else
    std::memcpy(to, from, count);
}

}  // namespace
}  // namespace cpu

namespace {

constexpr std::size_t page = 4096;

enum class Way : std::uint8_t { plain, rows, past_cache };

/// How the array is cut into tasks, and each of them read or copied.
struct Cut {
  unsigned parts = 0;     ///< tasks a core: few cost the least to hand out, many even out cores that others use; else
  std::size_t bytes = 0;  ///< of a task: in any size of array, as the reductions cut theirs
  Way way = Way::plain;   ///< rows: of reads; past_cache: of copies
};

class Ceiling final : public Runnable {
 public:
  Ceiling(bool copies, Cut cut) : copies_(copies), cut_(cut) {}

  Plan plan(const Problem&, const Launch&, const DeviceProperties& device) const override {
    Plan plan;
    plan.workspace = 256;
    plan.launch = cut_.parts ? std::to_string(device.multiprocessors * cut_.parts) + " parts"
                             : "parts of " + std::to_string(cut_.bytes >> 10) + " KiB";
    if (cut_.way != Way::plain) plan.launch += cut_.way == Way::rows ? ", four rows at a time" : ", past the cache";
    return plan;
  }

  void run(const Problem& p, const Launch&, const DeviceProperties& device, const Buffers& b, Stream) const override {
    const auto* in = static_cast<const std::byte*>(b.in);
    auto* out = static_cast<std::byte*>(b.out);
    const std::size_t bytes = p.input_bytes(), pages = cpu::ceil_div(bytes, page);
    const std::size_t grain =
        cut_.parts ? cpu::ceil_div(pages, std::size_t{device.multiprocessors} * cut_.parts) : cut_.bytes / page;
    std::atomic<std::uint64_t> total{0};
    const auto task = [&](std::size_t first, std::size_t last) {
      const std::size_t from = first * page, to = std::min(last * page, bytes);
      if (copies_)
        cpu::copy(in + from, out + from, to - from, cut_.way == Way::past_cache);
      else
        total.fetch_add(cpu::read(in + from, to - from, cut_.way == Way::rows), std::memory_order_relaxed);
    };
    // What one task does is not worth a word to the scheduler.
    if (pages <= grain)
      task(0, pages);
    else
      cpu::on_all_cores(pages, grain, task);
    // The sum is a result, so that no compiler leaves the reads out.
    *static_cast<std::uint64_t*>(b.workspace) = total.load();
  }

 private:
  bool copies_;
  Cut cut_;
};

}  // namespace

std::vector<const Runnable*> cpu_ceilings(bool copies) {
  constexpr std::size_t small = std::size_t{64} << 10, large = std::size_t{512} << 10;
  static const Ceiling read[] = {{false, {.parts = 1}},
                                 {false, {.parts = 16}},
                                 {false, {.bytes = large}},
                                 {false, {.parts = 1, .way = Way::rows}},
                                 {false, {.parts = 16, .way = Way::rows}},
                                 {false, {.bytes = small, .way = Way::rows}},
                                 {false, {.bytes = large, .way = Way::rows}}};
  static const Ceiling copy[] = {{true, {.parts = 1}},
                                 {true, {.bytes = large}},
                                 {true, {.parts = 16}},
                                 {true, {.parts = 64}},
                                 {true, {.parts = 1, .way = Way::past_cache}},
                                 {true, {.parts = 16, .way = Way::past_cache}},
                                 {true, {.bytes = large, .way = Way::past_cache}}};
  std::vector<const Runnable*> shapes;
  for (const Ceiling& ceiling : copies ? std::span<const Ceiling>(copy) : std::span<const Ceiling>(read))
    shapes.push_back(&ceiling);
  return shapes;
}

}  // namespace rung
#endif
