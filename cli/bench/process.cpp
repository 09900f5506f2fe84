#include "process.hpp"

#include "../../kernels/error.hpp"
#include "../io/common.hpp"
#include "../io/temporary.hpp"
#include "../text.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace rung::cli {
namespace {

void check(int error, const std::string& what) {
  if (error != 0) throw FileError("cannot start a process: " + what + ": " + io::error_text(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// What a process is given: files, and the signals that it may not miss.
class SpawnSetup {
 public:
  SpawnSetup(int errors, const sigset_t& mask) {
    check(::posix_spawn_file_actions_init(&files_), "files");
    check(::posix_spawnattr_init(&attributes_), "attributes");
    check(::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "standard input");
    check(::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0), "standard output");
    check(::posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO), "standard error");
    check(::posix_spawnattr_setsigmask(&attributes_, &mask), "signals");
    check(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK), "signals");
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// Holds back the signals that end a command: between a process's start and the note of its number none may come.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held{};
    ::sigemptyset(&held);
    for (const int number : io::ending_signals) ::sigaddset(&held, number);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

std::string read_all(int fd) {
  constexpr std::size_t most = std::size_t{1} << 16;
  std::string text(most, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

pid_t start(const std::string& program, const std::vector<std::string>& args, int errors) {
  std::vector<std::string> words{"rung"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const SignalsHeld held;
  const SpawnSetup setup(errors, held.before());
  pid_t child = -1;
  check(::posix_spawn(&child, program.c_str(), setup.files(), setup.attributes(), argv.data(), environ), program);
  io::register_child(child);
  return child;
}

}  // namespace

Finished run_process(const std::string& program, const std::vector<std::string>& args) {
  const Descriptor errors(io::away_from_stdio(::memfd_create("rung-errors", MFD_CLOEXEC)));
  if (errors.get() < 0) check(errno, "standard error");
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(program, args, errors.get());
  siginfo_t how{};
  // It stays a zombie until it is forgotten: a signal's handler never ends a stranger with its number.
  while (::waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  Finished finished;
  finished.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  io::forget_child();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (how.si_code == CLD_EXITED)
    finished.status = how.si_status;
  else
    finished.signal = how.si_status;
  finished.errors = read_all(errors.get());
  // A signal to the process group, such as a terminal's, ends both: it is no failure of that one.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (finished.signal == number) io::end_by_signal(number);
  return finished;
}

void throw_failure(const Finished& finished, const std::vector<std::string>& args) {
  constexpr std::string_view ours = "rung: ", warning = "rung: warning: ", advice = "hint: ";
  std::string reason, hint;
  for (const std::string& line : split(finished.errors, '\n')) {
    if (line.starts_with(ours) && !line.starts_with(warning)) reason = line.substr(ours.size());
    if (line.starts_with(advice)) hint = line.substr(advice.size());
  }
  const std::string command = "rung " + join(args, " ");
  if (finished.signal != 0) throw FileError(command + ": ended by signal " + std::to_string(finished.signal), hint);
  if (reason.empty()) reason = command + ": exit status " + std::to_string(finished.status);
  if (finished.status == 2) throw UsageError(reason, hint);
  if (finished.status == 4) throw DeviceError(reason, hint);
  throw FileError(reason, hint);
}

ScratchFolder::ScratchFolder() {
  const char* wish = std::getenv("TMPDIR");
  path_ = std::string(wish && *wish ? wish : "/tmp") + "/rung-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr) throw FileError(path_ + ": cannot create: " + io::error_text(errno));
  io::register_temporary(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  for (const auto& name : files_) io::forget_temporary(name);
  io::forget_temporary(path_);
}

std::string ScratchFolder::file(const std::string& name) {
  std::string path = path_ + "/" + name;
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) {
    io::register_temporary(path);
    files_.push_back(path);
  }
  return path;
}

}  // namespace rung::cli
