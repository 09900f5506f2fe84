// The payload of npy and raw: sizes checked, then bytes to C order and native byte order.
#include "common.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace rung::io {
namespace {

constexpr std::size_t parallel_grain = std::size_t{1} << 20;  // bytes; below that a task costs more than it saves

template <class Work>
void in_parallel(std::size_t count, std::size_t grain, const Work& work) {
  if (count <= grain) return work(std::size_t{0}, count);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const auto& range) { work(range.begin(), range.end()); });
}

template <class Word>
void swap_words(std::byte* data, std::size_t count) {
  in_parallel(count, parallel_grain / sizeof(Word), [&](std::size_t first, std::size_t last) {
    for (std::byte* p = data + first * sizeof(Word); p != data + last * sizeof(Word); p += sizeof(Word)) {
      Word word;
      std::memcpy(&word, p, sizeof(Word));
      if constexpr (sizeof(Word) == 2) word = __builtin_bswap16(word);
      if constexpr (sizeof(Word) == 4) word = __builtin_bswap32(word);
      if constexpr (sizeof(Word) == 8) word = __builtin_bswap64(word);
      std::memcpy(p, &word, sizeof(Word));
    }
  });
}

/// Extents of 1 move nothing, so without them the two orders may prove to be one.
Shape without_ones(const Shape& shape) {
  Shape kept;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(kept), [](std::size_t extent) { return extent != 1; });
  return kept;
}

template <std::size_t Size>
struct Block {
  std::byte bytes[Size];
};

/// The first axis is the fastest in `from`, the last in `to`: tiles over those two keep both sides in cache.
template <std::size_t Size>
void transpose_tiles(const std::byte* from, std::byte* to, const Shape& shape) {
  constexpr std::size_t tile = 32;
  const std::size_t rows = shape.front(), cols = shape.back();
  std::size_t middle = 1;
  for (std::size_t k = 1; k + 1 < shape.size(); ++k) middle *= shape[k];
  const std::size_t row_tiles = (rows + tile - 1) / tile;
  const std::size_t grain = std::max<std::size_t>(1, parallel_grain / (tile * cols * Size + 1));

  in_parallel(middle * row_tiles, grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t item = first; item < last; ++item) {
      // The middle axes count up in opposite orders on the two sides.
      std::size_t rest = item / row_tiles, from_middle = 0, stride = 1;
      for (std::size_t k = 1; k + 1 < shape.size(); ++k) stride *= shape[k];
      const std::size_t to_middle = rest;
      for (std::size_t k = shape.size() - 2; k >= 1; --k) {
        stride /= shape[k];
        from_middle += rest % shape[k] * stride;
        rest /= shape[k];
      }
      const std::size_t row0 = item % row_tiles * tile, row1 = std::min(row0 + tile, rows);
      for (std::size_t col0 = 0; col0 < cols; col0 += tile) {
        const std::size_t col1 = std::min(col0 + tile, cols);
        for (std::size_t row = row0; row < row1; ++row)
          for (std::size_t col = col0; col < col1; ++col)
            std::memcpy(to + ((row * middle + to_middle) * cols + col) * Size,
                        from + ((col * middle + from_middle) * rows + row) * Size, Size);
      }
    }
  });
}

}  // namespace

void copy_bytes(const std::byte* from, std::byte* to, std::size_t count) {
  in_parallel(count, parallel_grain,
              [&](std::size_t first, std::size_t last) { std::memcpy(to + first, from + first, last - first); });
}

void swap_bytes(std::byte* data, std::size_t count, DType dtype) {
  const bool complex = info(dtype).kind == Kind::complex;
  const std::size_t words = complex ? 2 * count : count;
  switch (size_of(dtype) / (complex ? 2 : 1)) {
    case 2:
      return swap_words<std::uint16_t>(data, words);
    case 4:
      return swap_words<std::uint32_t>(data, words);
    case 8:
      return swap_words<std::uint64_t>(data, words);
  }
}

void fortran_to_c(const std::byte* from, std::byte* to, const Shape& shape, std::size_t element_size) {
  const Shape axes = without_ones(shape);
  const std::size_t count = element_count(shape);
  if (count == 0) return;
  if (axes.size() < 2) return copy_bytes(from, to, count * element_size);
  switch (element_size) {
    case 1:
      return transpose_tiles<1>(from, to, axes);
    case 2:
      return transpose_tiles<2>(from, to, axes);
    case 4:
      return transpose_tiles<4>(from, to, axes);
    case 8:
      return transpose_tiles<8>(from, to, axes);
    case 16:
      return transpose_tiles<16>(from, to, axes);
  }
}

namespace {

std::string declared(const Header& header, std::size_t bytes) {
  return (header.format == Format::npy ? "the header declares " : "--shape declares ") + std::to_string(bytes) +
         " bytes of data (" + std::string(name_of(header.dtype)) + ", " + to_string(header.shape) + ")";
}

void check_present(const Source& source, const Header& header, std::size_t bytes, std::uint64_t present) {
  if (present < bytes)
    throw FileError(shown(source) + ": truncated: " + declared(header, bytes) + ", " + std::to_string(present) +
                    " are there");
}

std::size_t checked_bytes(const Source& source, const Header& header) {
  try {
    return byte_count(header.shape, header.dtype);
  } catch (const FileError& error) {
    throw FileError(shown(source) + ": " + error.what(), error.hint());
  }
}

}  // namespace

void check_size(const Source& source, const Header& header, const Warn& warn) {
  const std::size_t bytes = checked_bytes(source, header);
  const std::optional<std::uint64_t> present = source.remaining();
  if (!present) return;
  check_present(source, header, bytes, *present);
  if (*present > bytes && warn)
    warn(shown(source) + ": " + std::to_string(*present - bytes) + " bytes after the array are ignored");
}

HostArray read_elements(Source& source, const Header& header, const Warn& warn, const Progress& progress) {
  HostArray array{header.dtype, header.shape, nullptr};
  const std::size_t bytes = array.bytes();
  const std::size_t size = size_of(header.dtype);
  const Held held = read_up_to(source, bytes, progress);
  check_present(source, header, bytes, held.size);
  if (!source.remaining() && !source.peek(1).empty() && warn)
    warn(shown(source) + ": bytes after the array are ignored");
  if (bytes == 0) return array;

  const bool reorder = header.fortran_order && without_ones(header.shape).size() > 1;
  const bool swap = header.endian == Endian::big && size > 1;
  const bool misaligned = reinterpret_cast<std::uintptr_t>(held.data.get()) % size != 0;
  if (reorder || misaligned || (swap && held.mapped)) {
    array.data = allocate_bytes(bytes);
    if (reorder)
      fortran_to_c(held.data.get(), array.data.get(), header.shape, size);
    else
      copy_bytes(held.data.get(), array.data.get(), bytes);
  } else {
    array.data = held.data;
  }
  if (swap) swap_bytes(array.data.get(), array.size(), header.dtype);
  return array;
}

}  // namespace rung::io
