#include "standard_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rung::cli {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
using Start = std::array<char, npy_magic.size()>;

/// tee(2) copies from pipe to pipe what the first one keeps.
ssize_t copy_of_pipe(Start& start) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  const ssize_t copied = ::tee(STDIN_FILENO, ends[1], start.size(), SPLICE_F_NONBLOCK);
  const ssize_t got = copied > 0 ? ::read(ends[0], start.data(), start.size()) : -1;
  for (const int end : ends) ::close(end);
  return got;
}

}  // namespace

bool array_waits_on_stdin() {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0) return false;
  Start start{};
  ssize_t got = -1;
  if (S_ISFIFO(status.st_mode))
    got = copy_of_pipe(start);
  else if (S_ISREG(status.st_mode))
    got = ::pread(STDIN_FILENO, start.data(), start.size(), std::max<off_t>(::lseek(STDIN_FILENO, 0, SEEK_CUR), 0));
  return got == static_cast<ssize_t>(start.size()) && std::string_view(start.data(), start.size()) == npy_magic;
}

void UnreadInput::look() {
  if (said_ || !options_.files.empty() || !array_waits_on_stdin()) return;
  said_ = true;
  console_.warn("the input is made: the array on standard input is not read; - as FILE reads it");
}

}  // namespace rung::cli
