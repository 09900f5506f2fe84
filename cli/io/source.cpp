// Sources: a regular file is mapped, everything else (pipes, FIFOs, terminals, /proc) is read.
#include "common.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

namespace rung::io {
namespace {

constexpr std::size_t peek_limit = std::size_t{64} << 10;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// The mapping is read-only and never registered with a driver. A file that another program cuts short while it is
/// mapped ends the command with SIGBUS; replacing it (as our own sinks do) is harmless.
class MappedSource final : public Source {
 public:
  MappedSource(std::string name, Bytes map, std::size_t size, std::size_t at)
      : name_(std::move(name)), map_(std::move(map)), size_(size), at_(at) {}

  const std::string& name() const override { return name_; }

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), size_ - at_);
    if (count > 0) std::memcpy(into.data(), map_.get() + at_, count);
    at_ += count;
    return count;
  }

  std::span<const std::byte> peek(std::size_t count) override {
    return {map_.get() + at_, std::min({count, size_ - at_, peek_limit})};
  }

  std::optional<std::uint64_t> remaining() const override { return size_ - at_; }

  Bytes take_mapped(std::size_t count) override {
    if (count > size_ - at_) return nullptr;
    Bytes bytes(map_, map_.get() + at_);
    at_ += count;
    return bytes;
  }

  bool maps(const void* memory) const override {
    const auto* const at = static_cast<const std::byte*>(memory);
    return !std::less<>()(at, map_.get()) && std::less<>()(at, map_.get() + size_);
  }

 private:
  std::string name_;
  Bytes map_;
  std::size_t size_, at_;
};

class StreamSource final : public Source {
 public:
  StreamSource(std::string name, FileDescriptor fd, const Interrupt* interrupt)
      : name_(std::move(name)), fd_(std::move(fd)), interrupt_(interrupt) {}

  const std::string& name() const override { return name_; }

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t held = std::min(into.size(), peeked_.size() - peeked_at_);
    if (held > 0) std::memcpy(into.data(), peeked_.data() + peeked_at_, held);
    peeked_at_ += held;
    return held + read_fully(into.subspan(held));
  }

  std::span<const std::byte> peek(std::size_t count) override {
    count = std::min(count, peek_limit);
    const std::size_t held = peeked_.size() - peeked_at_;
    if (held < count) {
      peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(peeked_at_));
      peeked_at_ = 0;
      peeked_.resize(count);
      peeked_.resize(held + read_fully(std::span(peeked_).subspan(held)));
    }
    return std::span(peeked_).subspan(peeked_at_, std::min(count, peeked_.size() - peeked_at_));
  }

  std::optional<std::uint64_t> remaining() const override { return std::nullopt; }
  Bytes take_mapped(std::size_t) override { return nullptr; }
  bool maps(const void*) const override { return false; }

 private:
  /// For bytes, the end, or the interrupt. A FIFO without a writer as yet has neither bytes nor an end.
  void wait() const {
    std::array<pollfd, 2> either{{{fd_.get(), POLLIN, 0}, {interrupt_ ? interrupt_->descriptor() : -1, POLLIN, 0}}};
    while (::poll(either.data(), either.size(), -1) < 0 && errno == EINTR) {
    }
    if (either[1].revents != 0) throw Interrupted{};
  }

  /// Until `into` is full or the data ends: pipes give what they hold, signals interrupt.
  std::size_t read_fully(std::span<std::byte> into) {
    std::size_t done = 0;
    while (done < into.size() && !ended_) {
      if (interrupt_) wait();
      const std::size_t want = std::min(into.size() - done, std::size_t{1} << 30);
      const ssize_t got = ::read(fd_.get(), into.data() + done, want);
      if (got > 0) {
        done += static_cast<std::size_t>(got);
      } else if (got == 0) {
        ended_ = true;  // a terminal would give more after the first end of file
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        wait();
      } else if (errno != EINTR) {
        throw FileError(shown(*this) + ": cannot read: " + error_text(errno));
      }
    }
    return done;
  }

  std::string name_;
  FileDescriptor fd_;
  const Interrupt* interrupt_;
  std::vector<std::byte> peeked_;
  std::size_t peeked_at_ = 0;
  bool ended_ = false;
};

/// Null when the file cannot be mapped (some file systems): it is read then.
Bytes map_file(int fd, std::size_t size) {
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED) return nullptr;
  ::madvise(start, size, MADV_SEQUENTIAL);
  return {static_cast<std::byte*>(start), [size](std::byte* p) { ::munmap(p, size); }};
}

}  // namespace

Interrupt::Interrupt() : descriptor_(away_from_stdio(::eventfd(0, EFD_CLOEXEC))) {
  if (descriptor_ < 0) throw FileError("cannot make an event: " + error_text(errno));
}
Interrupt::~Interrupt() { ::close(descriptor_); }
void Interrupt::raise() const { ::eventfd_write(descriptor_, 1); }

bool is_stream(const std::string& path) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(0, &status) : ::stat(path.c_str(), &status);
  return result == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::unique_ptr<Source> open_source(const std::string& path, const Interrupt* interrupt) {
  const int standing = path == "-" ? 0 : standing_descriptor(path);
  const std::string name = shown(path);
  if (path.empty()) throw FileError("\"\": not a file name");
  int opened = -1;
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (interrupt ? O_NONBLOCK : 0);
  do {
    opened = standing >= 0 ? ::fcntl(standing, F_DUPFD_CLOEXEC, 3) : ::open(path.c_str(), flags);
  } while (opened < 0 && errno == EINTR);
  FileDescriptor fd(away_from_stdio(opened));
  if (fd.get() < 0) throw FileError(name + ": " + error_text(errno));

  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw FileError(name + ": " + error_text(errno));
  if (S_ISDIR(status.st_mode)) throw FileError(name + ": is a directory");
  // Size 0 is also what /proc says of its files, which are full: read those.
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (Bytes map = map_file(fd.get(), size)) {
      if (::fstat(fd.get(), &status) != 0 || static_cast<std::size_t>(status.st_size) < size)
        throw FileError(name + ": became shorter while it was opened");
      const off_t at = standing >= 0 ? std::max<off_t>(::lseek(fd.get(), 0, SEEK_CUR), 0) : 0;
      return std::make_unique<MappedSource>(path, std::move(map), size, std::min(static_cast<std::size_t>(at), size));
    }
  }
  return std::make_unique<StreamSource>(path, std::move(fd), interrupt);
}

}  // namespace rung::io
