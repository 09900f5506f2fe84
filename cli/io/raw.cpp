#include "common.hpp"

#include <algorithm>
#include <vector>

namespace rung::io {
namespace {

void skip(Source& source, std::size_t offset) {
  std::vector<std::byte> scratch(std::min<std::size_t>(offset, 1 << 20));
  for (std::size_t done = 0; done < offset;) {
    const std::size_t want = std::min(scratch.size(), offset - done);
    const std::size_t got = source.read(std::span(scratch).first(want));
    done += got;
    if (got < want)
      throw FileError(shown(source) + ": --offset " + std::to_string(offset) +
                      " is past the end: " + std::to_string(done) + " bytes are there");
  }
}

/// Without --shape the size of what is there decides: the header's shape is left empty when that is not known yet.
Header raw_header(Source& source, const ReadOptions& options) {
  if (!options.dtype) throw UsageError(shown(source) + ": raw input needs --dtype", "rung list dtypes shows them");
  if (options.offset > 0 && !source.take_mapped(options.offset)) skip(source, options.offset);
  return {.format = Format::raw,
          .dtype = *options.dtype,
          .shape = options.shape.value_or(Shape{}),
          .endian = options.endian,
          .data_offset = options.offset,
          .note = "raw"};
}

/// An array of no elements is what was asked for, and yet a command before in a pipe that failed looks the same.
void warn_of_nothing(const Source& source, const Header& header, const Warn& warn) {
  if (header.shape != Shape{0} || !warn) return;
  const std::string offset = header.data_offset > 0 ? " after --offset " + std::to_string(header.data_offset) : "";
  const std::string hint = empty_hint(source);
  warn(shown(source) + ": the input is empty" + offset + ": an array of no elements" +
       (hint.empty() ? "" : "; " + hint));
}

std::size_t whole_elements(const Source& source, std::uint64_t bytes, DType dtype) {
  if (bytes % size_of(dtype) != 0)
    throw FileError(shown(source) + ": " + std::to_string(bytes) + (bytes == 1 ? " byte is" : " bytes are") +
                    " not a whole number of " + std::string(name_of(dtype)) + " elements");
  return static_cast<std::size_t>(bytes / size_of(dtype));
}

}  // namespace

HostArray read_raw_to_end(Source& source, const ReadOptions& options, const Warn& warn, const Progress& progress) {
  Header header = raw_header(source, options);
  const Held held = read_up_to(source, SIZE_MAX, progress);
  header.shape = {whole_elements(source, held.size, header.dtype)};
  warn_of_nothing(source, header, warn);
  HostArray array{header.dtype, header.shape, held.data};
  if (header.endian == Endian::big) swap_bytes(array.data.get(), array.size(), array.dtype);
  return array;
}

Header inspect_raw(Source& source, const ReadOptions& options, const Warn& warn) {
  Header header = raw_header(source, options);
  if (!options.shape) {
    const std::optional<std::uint64_t> present = source.remaining();
    header.shape = {whole_elements(source, present ? *present : read_up_to(source, SIZE_MAX).size, header.dtype)};
    warn_of_nothing(source, header, warn);
    if (!present) return header;
  }
  check_size(source, header, warn);
  return header;
}

}  // namespace rung::io
