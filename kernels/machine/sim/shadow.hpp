// What the race checkers remember of memory: a cell for each 4-byte word, and for each byte of the words that were
// accessed in smaller pieces. Nothing is ever cleared: cells carry the epoch they were written in, and epochs only
// grow.
#pragma once
#include "memory.hpp"
#include "place.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace rung::sim {

struct Cell {
  // The last write. `write_clock` orders it against __syncwarp.
  std::uint32_t write_epoch, write_clock;
  Place write_place;
  // The reads since, of one barrier interval: lanes of one warp, or many warps.
  std::uint32_t read_epoch, read_clock, read_lanes;
  Place read_place;
  std::uint16_t writer;  ///< thread, below bits
  std::uint16_t reader_warp;

  static constexpr std::uint16_t atomic = 0x8000, split = 0x4000, thread_bits = 0x3fff;
  static constexpr std::uint16_t many_warps = 0x00ff, many_blocks = 0x8000;
};
static_assert(sizeof(Cell) == 32);

class Shadow {
 public:
  /// Cells for `bytes` bytes of memory. False when the address space is refused.
  bool cover(std::size_t bytes) {
    if (bytes <= covered_) return true;
    release();
    words_ = static_cast<Cell*>(reserve(bytes / 4 * sizeof(Cell) + sizeof(Cell)));
    bytes_ = static_cast<Cell*>(reserve(bytes * sizeof(Cell) + 4 * sizeof(Cell)));
    covered_ = words_ && bytes_ ? bytes : 0;
    return covered_ != 0;
  }
  /// Back to untouched; for when epochs start again.
  void forget() {
    if (!covered_) return;
    madvise(words_, covered_ / 4 * sizeof(Cell), MADV_DONTNEED);
    madvise(bytes_, covered_ * sizeof(Cell), MADV_DONTNEED);
  }
  Shadow() = default;
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;
  ~Shadow() { release(); }

  /// Calls touch(cell) for every cell of [offset, offset + size). `oldest`: the epoch before which cells are history;
  /// `store`: the access replaces the bytes, so that words written whole are words again.
  template <class Touch>
  __attribute__((always_inline)) void visit(std::uint64_t offset, std::uint64_t size, bool store, std::uint32_t oldest,
                                            std::uint32_t epoch, Touch&& touch) {
    if (((offset | size) & 3) == 0) [[likely]] {
      for (std::uint64_t word = offset / 4, last = (offset + size) / 4; word < last; ++word) {
        Cell& cell = words_[word];
        if (cell.writer & Cell::split) [[unlikely]]
          visit_split(word, store, oldest, touch);
        else
          touch(cell);
      }
      return;
    }
    for (std::uint64_t byte = offset; byte < offset + size; ++byte) {
      make_split(byte / 4, oldest, epoch);
      touch(bytes_[byte]);
    }
  }

 private:
  template <class Touch>
  __attribute__((noinline)) void visit_split(std::uint64_t word, bool store, std::uint32_t oldest, Touch&& touch) {
    Cell& cell = words_[word];
    Cell* bytes = bytes_ + 4 * word;
    if (cell.write_epoch < oldest) {  // split in an earlier block: whole, and history
      cell = Cell{};
      touch(cell);
      return;
    }
    for (int k = 0; k < 4; ++k) touch(bytes[k]);
    if (store) cell = bytes[0];
  }
  /// From here the word's state is in its four bytes; its own cell keeps the epoch of the split.
  void make_split(std::uint64_t word, std::uint32_t oldest, std::uint32_t epoch) {
    Cell& cell = words_[word];
    if ((cell.writer & Cell::split) && cell.write_epoch >= oldest) return;
    Cell whole = cell;
    if (cell.writer & Cell::split) whole = Cell{};
    for (int k = 0; k < 4; ++k) bytes_[4 * word + static_cast<std::uint64_t>(k)] = whole;
    cell = Cell{};
    cell.write_epoch = epoch;
    cell.writer = Cell::split;
  }
  void release() {
    if (words_) munmap(words_, covered_ / 4 * sizeof(Cell) + sizeof(Cell));
    if (bytes_) munmap(bytes_, covered_ * sizeof(Cell) + 4 * sizeof(Cell));
    words_ = bytes_ = nullptr;
    covered_ = 0;
  }

  Cell *words_ = nullptr, *bytes_ = nullptr;
  std::size_t covered_ = 0;
};

}  // namespace rung::sim
