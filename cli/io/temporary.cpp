#include "temporary.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>

namespace rung::io {
namespace {

/// A handler may not allocate or lock, so paths lie in fixed slots, each guarded by one flag.
struct Slot {
  std::atomic<bool> used = false;
  char path[PATH_MAX] = {};
};
std::array<Slot, 16> slots;
std::atomic<pid_t> child = 0;
std::atomic<bool> line_stands = false;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

void remove_all_and_die(int signal_number) {
  if (const pid_t running = child; running != 0) {
    ::kill(running, signal_number);
    ::waitpid(running, nullptr, 0);
  }
  for (const Slot& slot : slots)
    if (slot.used) ::unlink(slot.path);
  for (const Slot& slot : slots)
    if (slot.used) ::rmdir(slot.path);
  if (line_stands) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, wipe_of_line, std::strlen(wipe_of_line));
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void install_handlers() {
  for (const int signal_number : ending_signals) {
    struct sigaction current {};
    if (::sigaction(signal_number, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = remove_all_and_die;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal_number, &action, nullptr);
  }
}

std::mutex& registry_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void register_temporary(const std::string& path) {
  install_handlers();
  const std::lock_guard lock(registry_mutex());
  const auto slot = std::find_if(slots.begin(), slots.end(), [](const Slot& s) { return !s.used; });
  if (slot == slots.end() || path.size() >= sizeof slot->path) return;
  std::memcpy(slot->path, path.c_str(), path.size() + 1);
  slot->used = true;
}

void register_child(pid_t running) {
  install_handlers();
  child = running;
}

void register_line(bool stands) {
  if (stands) install_handlers();
  line_stands = stands;
}

void forget_child() { child = 0; }

void end_by_signal(int signal_number) {
  remove_all_and_die(signal_number);
  ::_exit(128 + signal_number);  // it is blocked
}

void forget_temporary(const std::string& path) {
  const std::lock_guard lock(registry_mutex());
  for (Slot& slot : slots)
    if (slot.used && path == slot.path) slot.used = false;
}

}  // namespace rung::io
