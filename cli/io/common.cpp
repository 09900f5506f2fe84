#include "common.hpp"

#include "../text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace rung::io {
namespace {

constexpr std::size_t first_capacity = std::size_t{1} << 20;
constexpr std::size_t read_step = std::size_t{16} << 20;

/// Anonymous memory that grows without a copy (mremap moves pages, not bytes); untouched pages cost nothing.
class GrowingBuffer {
 public:
  GrowingBuffer() = default;
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;
  ~GrowingBuffer() {
    if (data_) ::munmap(data_, capacity_);
  }

  std::size_t capacity() const { return capacity_; }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

  void grow(std::size_t capacity) {
    void* grown = data_ ? ::mremap(data_, capacity_, capacity, MREMAP_MAYMOVE)
                        : ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (grown == MAP_FAILED) throw FileError("cannot allocate " + std::to_string(capacity) + " bytes of memory");
    ::madvise(grown, capacity, MADV_HUGEPAGE);
    data_ = grown;
    capacity_ = capacity;
  }

  Bytes release() {
    const std::size_t capacity = capacity_;
    Bytes bytes(data(), [capacity](std::byte* p) { ::munmap(p, capacity); });
    data_ = nullptr;
    return bytes;
  }

 private:
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace

std::string shown(const std::string& name) { return cli::shown_name(name); }
std::string shown(const Source& source) { return shown(source.name()); }

std::string empty_hint(const Source& source) {
  return source.name() == "-" ? "where a pipe ends here, the command before it may have failed" : "";
}

std::string error_text(int error) { return std::generic_category().message(error); }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  const bool cut = text.size() > longest;
  const std::string_view whole = text;
  if (cut) {
    text = text.substr(0, longest);
    // Not inside a character: what is left out starts with none of its later bytes.
    const auto continues = [&](std::size_t k) { return (static_cast<unsigned char>(whole[k]) & 0xc0) == 0x80; };
    for (int back = 0; back < 3 && continues(text.size()); ++back) text.remove_suffix(1);
  }
  return "'" + cli::printable(text) + (cut ? "...'" : "'");
}

int standing_descriptor(const std::string& path) {
  if (path == "/dev/stdin") return 0;
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string digits = path.substr(folder.size());
    if (!digits.empty() && digits.size() < 9 && digits.find_first_not_of("0123456789") == std::string::npos)
      return std::atoi(digits.c_str());
  }
  return -1;
}

int away_from_stdio(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  const int error = errno;
  ::close(fd);
  errno = error;
  return moved;
}

Held read_up_to(Source& source, std::size_t limit, const Progress& progress) {
  const std::optional<std::uint64_t> remaining = source.remaining();
  if (remaining) limit = static_cast<std::size_t>(std::min<std::uint64_t>(limit, *remaining));
  if (limit == 0) return {};
  if (Bytes mapped = source.take_mapped(limit)) return {std::move(mapped), limit, true};

  GrowingBuffer buffer;
  buffer.grow(remaining ? limit : std::min(limit, first_capacity));
  std::size_t size = 0;
  for (;;) {
    const std::size_t want = std::min(buffer.capacity() - size, read_step);
    const std::size_t got = source.read({buffer.data() + size, want});
    size += got;
    if (progress) progress(size, limit == SIZE_MAX ? 0 : limit);
    if (got < want || size == limit) break;
    if (size == buffer.capacity()) buffer.grow(size > limit / 2 ? limit : size * 2);
  }
  return {buffer.release(), size, false};
}

}  // namespace rung::io
