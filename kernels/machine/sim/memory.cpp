#include "memory.hpp"

#include "../../error.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <string>

namespace rung::sim {

void* reserve(std::size_t bytes, bool accessible) {
  void* memory = mmap(nullptr, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

Memory& Memory::instance() {
  static Memory memory;
  return memory;
}

Memory::Memory() {
  constexpr std::size_t most = std::size_t{64} << 30, least = std::size_t{1} << 28;
  for (size_ = most; size_ >= least && !base_; size_ /= 2) base_ = static_cast<char*>(reserve(size_));
  if (!base_) throw DeviceError("sim: cannot reserve address space for device memory", "is there a limit: ulimit -v?");
  size_ *= 2;
  owner_ = static_cast<std::uint32_t*>(reserve(size_ / page * sizeof(std::uint32_t)));
  extents_ = static_cast<Extent*>(reserve((size_ / page / 2 + 1) * sizeof(Extent)));
  if (!owner_ || !extents_) throw DeviceError("sim: cannot reserve address space for the tables of device memory");
  free_pages_[1] = size_ / page - 1;  // page 0 stays unallocated: a run below the first buffer is seen too
}

std::uint64_t Memory::take_pages(std::uint64_t count) {
  for (auto run = free_pages_.begin(); run != free_pages_.end(); ++run) {
    const auto [first, length] = *run;
    if (length < count) continue;
    free_pages_.erase(run);
    if (length > count) free_pages_[first + count] = length - count;
    return first;
  }
  return 0;
}

void Memory::give_pages(std::uint64_t first, std::uint64_t count) {
  const auto after = free_pages_.lower_bound(first);
  if (after != free_pages_.end() && after->first == first + count) {
    count += after->second;
    free_pages_.erase(after);
  }
  const auto next = free_pages_.lower_bound(first);
  if (next != free_pages_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += count;
      return;
    }
  }
  free_pages_[first] = count;
}

void* Memory::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t pages = bytes / page + (bytes % page != 0);
  const std::uint64_t first = bytes < size_ ? take_pages(std::max<std::uint64_t>(pages, 1) + 1) : 0;
  if (first == 0)
    throw DeviceError(
        "cannot allocate " + std::to_string(bytes) + " bytes on sim: its memory is " + std::to_string(size_) + " bytes",
        "-d cpu works in the memory of the host");
  std::uint32_t index = next_extent_;
  if (free_extents_.empty()) {
    ++next_extent_;
  } else {
    index = free_extents_.back();
    free_extents_.pop_back();
  }
  extents_[index] = {first * page, first * page + bytes};
  std::fill_n(owner_ + first, std::max<std::uint64_t>(pages, 1), index);
  return base_ + first * page;
}

void Memory::release(void* memory) noexcept {
  if (!memory) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t first = offset_of(memory) / page;
  const std::uint32_t index = owner_[first];
  if (index == 0 || extents_[index].begin != offset_of(memory)) return;
  const std::uint64_t bytes = extents_[index].end - extents_[index].begin;
  const std::uint64_t pages = std::max<std::uint64_t>(bytes / page + (bytes % page != 0), 1);
  // Small buffers keep their pages: giving them back would cost a fault a page at the next use.
  if (bytes > (std::size_t{1} << 20)) madvise(memory, pages * page, MADV_DONTNEED);
  std::fill_n(owner_ + first, pages, 0u);
  extents_[index] = {0, 0};
  free_extents_.push_back(index);
  give_pages(first, pages + 1);
}

bool Memory::owns(const void* memory, std::size_t bytes) const {
  const std::uint64_t offset = offset_of(memory);
  if (offset >= size_) return false;
  const Extent& extent = extent_at(offset);
  return offset >= extent.begin && offset <= extent.end && bytes <= extent.end - offset && owner_[offset / page] != 0;
}

}  // namespace rung::sim
