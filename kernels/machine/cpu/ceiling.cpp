// ceiling-read and ceiling-copy on the host's cores: each core walks a contiguous part.
#include "../ceiling.hpp"
#include "cpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace rung {
namespace {

constexpr std::size_t page = 4096;

/// A sum of words in as many lanes as fit the vector registers of any x86-64: it waits for memory alone.
std::uint64_t fold(const std::byte* bytes, std::size_t count) {
  constexpr std::size_t lanes = 16;
  std::uint64_t sums[lanes] = {};
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes);
  const std::size_t whole = count / sizeof(std::uint64_t);
  std::size_t i = 0;
  for (; i + lanes <= whole; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += words[i + k];
  for (; i < whole; ++i) sums[0] += words[i];
  for (std::size_t k = whole * sizeof(std::uint64_t); k < count; ++k) sums[0] += std::to_integer<unsigned>(bytes[k]);
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  return total;
}

/// `parts` a core: few large ones cost the least to hand out, many even out cores that others use.
class Ceiling final : public Runnable {
 public:
  Ceiling(bool copies, unsigned parts) : copies_(copies), parts_(parts) {}

  Plan plan(const Problem&, const Launch&, const DeviceProperties& device) const override {
    Plan plan;
    plan.workspace = 256;
    plan.launch = std::to_string(device.multiprocessors * parts_) + " parts";
    return plan;
  }

  void run(const Problem& p, const Launch&, const DeviceProperties& device, const Buffers& b, Stream) const override {
    const auto* in = static_cast<const std::byte*>(b.in);
    auto* out = static_cast<std::byte*>(b.out);
    const std::size_t bytes = p.input_bytes(), pages = cpu::ceil_div(bytes, page);
    std::atomic<std::uint64_t> total{0};
    cpu::on_all_cores(pages, cpu::ceil_div(pages, std::size_t{device.multiprocessors} * parts_),
                      [&](std::size_t first, std::size_t last) {
                        const std::size_t from = first * page, to = std::min(last * page, bytes);
                        if (copies_)
                          std::memcpy(out + from, in + from, to - from);
                        else
                          total.fetch_add(fold(in + from, to - from), std::memory_order_relaxed);
                      });
    // The sum is a result, so that no compiler leaves the reads out.
    *static_cast<std::uint64_t*>(b.workspace) = total.load();
  }

 private:
  bool copies_;
  unsigned parts_;
};

}  // namespace

std::vector<const Runnable*> cpu_ceilings(bool copies) {
  static const Ceiling read[] = {{false, 1}, {false, 4}, {false, 16}, {false, 64}};
  static const Ceiling copy[] = {{true, 1}, {true, 4}, {true, 16}, {true, 64}};
  std::vector<const Runnable*> shapes;
  for (const Ceiling& ceiling : copies ? copy : read) shapes.push_back(&ceiling);
  return shapes;
}

}  // namespace rung
