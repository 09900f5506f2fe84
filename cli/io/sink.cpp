// Sinks: a regular file is written beside and renamed on commit; all else is written in place.
#include "common.hpp"
#include "temporary.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <random>

namespace rung::io {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what, int error) {
  throw FileError((name == "-" ? "<stdout>" : name) + ": " + what + ": " + error_text(error));
}

/// Writes to a descriptor that it owns. Errors of a full disk or quota may come only at the close: it is checked.
class DescriptorSink : public Sink {
 public:
  DescriptorSink(std::string name, int fd) : name_(std::move(name)), fd_(fd), terminal_(::isatty(fd) == 1) {}
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;
  ~DescriptorSink() override {
    if (fd_ >= 0) ::close(fd_);
  }

  const std::string& name() const override { return name_; }
  bool is_terminal() const override { return terminal_; }

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
      if (count >= 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(count));
      } else if (errno == EPIPE) {
        throw Closed{};
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        pollfd wait{fd_, POLLOUT, 0};
        ::poll(&wait, 1, -1);
      } else if (errno != EINTR) {
        fail(name_, "cannot write", errno);
      }
    }
  }

  void finish() override {
    if (fd_ < 0) return;
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0 && errno != EINTR) fail(name_, "cannot write", errno);
  }

  void commit() override { finish(); }

 protected:
  int descriptor() const { return fd_; }

 private:
  std::string name_;
  int fd_;
  bool terminal_;
};

/// Where the bytes of a path will lie: through symlinks, dangling ones too.
std::string follow_links(const std::string& path) {
  constexpr int most = 40;  // as Linux
  std::string target = path;
  for (int i = 0; i < most; ++i) {
    char text[PATH_MAX];
    const ssize_t length = ::readlink(target.c_str(), text, sizeof text);
    if (length < 0) return target;
    const std::string link(text, static_cast<std::size_t>(length));
    const std::size_t slash = target.rfind('/');
    target.resize(link.starts_with('/') || slash == std::string::npos ? 0 : slash + 1);
    target += link;
  }
  fail(path, "cannot open", ELOOP);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// Finds a name beside the target that make(name) makes, and returns what that does: -1, with errno, for none.
template <class Make>
int make_beside(const std::string& target, std::string& temporary, const Make& make) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = folder_of(target) + ".rung-";
    for (int i = 0; i < 10; ++i) temporary += letters[random() % letters.size()];
    register_temporary(temporary);
    const int made = make(temporary.c_str());
    if (made >= 0) return made;
    const int error = errno;
    forget_temporary(temporary);
    errno = error;
    if (errno != EEXIST && errno != EINTR) break;
  }
  temporary.clear();
  return -1;
}

/// Files are opened by mode 0666 and not by mkstemp, so that the umask says what a new one may be.
constexpr mode_t file_mode = 0666;

int create_beside(const std::string& target, std::string& temporary) {
  return make_beside(target, temporary, [](const char* name) {
    return away_from_stdio(::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode));
  });
}

std::string standing_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

/// A file without a name, of which nothing is left when the command is killed. -1 where the file system has none such,
/// or no /proc is there to name it by.
int open_nameless(const std::string& target) {
  const std::string folder = folder_of(target);
  const int fd =
      away_from_stdio(::open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, file_mode));
  if (fd < 0 || ::access(standing_path(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

class ReplacingSink final : public DescriptorSink {
 public:
  ReplacingSink(std::string name, int fd, std::string temporary, std::string target)
      : DescriptorSink(std::move(name), fd), temporary_(std::move(temporary)), target_(std::move(target)) {}
  ~ReplacingSink() override {
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
    forget_temporary(temporary_);
  }

  void keep_owner_and_mode(const struct stat& old) {
    constexpr auto same = static_cast<uid_t>(-1);
    mode_t mode = old.st_mode & 07777;
    struct stat own {};
    if (::fstat(descriptor(), &own) == 0) {
      // The group by itself, and first: its members may give a file of their own to it, but root alone to another user.
      const bool keeps_group = own.st_gid == old.st_gid || ::fchown(descriptor(), same, old.st_gid) == 0;
      const bool keeps_owner = own.st_uid == old.st_uid || ::fchown(descriptor(), old.st_uid, same) == 0;
      if (!keeps_owner || !keeps_group) mode &= 0777;                      // set-user-ID would mean another user
      if (!keeps_group) mode &= ~mode_t{070} | (mode & mode_t{007}) << 3;  // another group is no more than others
    }
    if (::fchmod(descriptor(), mode) != 0) fail(name(), "cannot keep its mode", errno);
  }

  /// One without a name gets it now, before it is closed: a link replaces nothing, and a rename needs a name.
  void finish() override {
    if (temporary_.empty() && descriptor() >= 0 && make_beside(target_, temporary_, [this](const char* name) {
                                                     return ::linkat(AT_FDCWD, standing_path(descriptor()).c_str(),
                                                                     AT_FDCWD, name, AT_SYMLINK_FOLLOW);
                                                   }) < 0)
      fail(name(), "cannot create", errno);
    DescriptorSink::finish();
  }

  void commit() override {
    finish();
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(name(), "cannot replace", errno);
    forget_temporary(temporary_);
    temporary_.clear();
  }

 private:
  std::string temporary_;  ///< empty: it has no name yet, or no more
  std::string target_;
};

std::unique_ptr<Sink> replace_file(const std::string& path, const struct stat* old) {
  const std::string target = follow_links(path);
  // Renaming needs no leave to write to the old file; a read-only one is still not ours to replace.
  if (old && ::access(target.c_str(), W_OK) != 0) fail(path, "cannot write", errno);
  std::string temporary;
  int fd = open_nameless(target);
  if (fd < 0) fd = create_beside(target, temporary);
  if (fd < 0) fail(path, "cannot create", errno);
  auto sink = std::make_unique<ReplacingSink>(path, fd, temporary, target);
  if (old) sink->keep_owner_and_mode(*old);
  return sink;
}

}  // namespace

bool is_stdout(const std::string& path) { return path == "-" || standing_descriptor(path) == 1; }

std::unique_ptr<Sink> open_sink(const std::string& path) {
  if (const int standing = path == "-" ? 1 : standing_descriptor(path); standing >= 0) {
    const int fd = ::fcntl(standing, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) fail(path, "cannot write", errno);
    return std::make_unique<DescriptorSink>(path, fd);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, "cannot open", errno);
    return replace_file(path, nullptr);
  }
  if (S_ISDIR(status.st_mode)) fail(path, "cannot write", EISDIR);
  if (S_ISREG(status.st_mode)) return replace_file(path, &status);
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  fd = away_from_stdio(fd);
  if (fd < 0) fail(path, "cannot open", errno);
  return std::make_unique<DescriptorSink>(path, fd);
}

}  // namespace rung::io
