// Device memory of the simulator: one reserved range, so that an address says which buffer it is in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace rung::sim {

/// Anonymous memory that costs nothing until touched. Null when the address space is refused.
void* reserve(std::size_t bytes, bool accessible = true);

class Memory {
 public:
  static Memory& instance();

  static constexpr std::size_t page = 4096;
  struct Extent {
    std::uint64_t begin, end;  ///< offsets of the bytes that were asked for; 0, 0 where nothing is allocated
  };

  char* base() const { return base_; }
  std::size_t size() const { return size_; }
  /// The buffer whose pages hold this offset (< size()); bytes outside [begin, end) belong to nobody.
  const Extent& extent_at(std::uint64_t offset) const { return extents_[owner_[offset / page]]; }

  /// Aligned to a page, with an unallocated page behind it, so that a run past the end is seen however it
  /// is rounded. Contents are undefined, as after cudaMalloc. Throws DeviceError when the reservation is used up.
  void* allocate(std::size_t bytes);
  void release(void* memory) noexcept;
  /// True when [memory, memory + bytes) lies in one buffer.
  bool owns(const void* memory, std::size_t bytes) const;

 private:
  Memory();
  std::uint64_t offset_of(const void* memory) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(memory) - base_);
  }
  std::uint64_t take_pages(std::uint64_t count);
  void give_pages(std::uint64_t first, std::uint64_t count);

  char* base_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t* owner_ = nullptr;  ///< by page: index into extents_, 0 for none
  Extent* extents_ = nullptr;       ///< reserved for the most there can be, so that it never moves under a launch
  std::uint32_t next_extent_ = 1;
  std::vector<std::uint32_t> free_extents_;
  std::map<std::uint64_t, std::uint64_t> free_pages_;  ///< first page and count, neighbours merged
  std::mutex mutex_;
};

}  // namespace rung::sim
