#include "console.hpp"

#include "io/common.hpp"
#include "io/temporary.hpp"
#include "text.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace rung::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// stderr, whose last line may be one of progress: that is wiped before anything else is said, and when a signal ends
/// the command. Threads may share it.
class Stderr {
 public:
  void say(const std::string& text) { put(text, false); }
  void draw(const std::string& line) { put(line, true); }
  void wipe() { put("", false); }

 private:
  void put(const std::string& text, bool progress) {
    const std::lock_guard lock(mutex_);
    if (progress_ || progress) std::fputs(io::wipe_of_line, stderr);
    if (progress_ != progress) io::register_line(progress);
    std::fputs(text.c_str(), stderr);
    progress_ = progress;
  }

  std::mutex mutex_;
  bool progress_ = false;
};

Stderr& shared_stderr() {
  static Stderr shared;
  return shared;
}

void to_stderr(const std::string& text) { shared_stderr().say(text); }

/// One line that is overwritten, and wiped when the work ends or fails.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what) : what_(std::move(what)) {}
  ~ProgressLine() { wipe(); }

  void show(std::uint64_t done, std::uint64_t total) {
    const auto now = Clock::now();
    if (total != 0 && done >= total) return wipe();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const std::string amount =
        total != 0
            ? std::to_string(static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total))) + "%"
            : std::to_string(done >> 20) + " MiB";
    shared_stderr().draw(what_ + " " + amount);
    shown_ = true;
  }

 private:
  void wipe() {
    if (shown_) shared_stderr().wipe();
    shown_ = false;
  }

  std::string what_;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(500);
  bool shown_ = false;
};

std::string text_of_variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

/// A terminal that takes escape sequences. Of one without a name nobody knows.
bool takes_escapes(int descriptor) {
  const std::string term = text_of_variable("TERM");
  return ::isatty(descriptor) != 0 && !term.empty() && term != "dumb";
}

bool wants_color(Color color, bool terminal) {
  if (color != Color::automatic) return color == Color::always;
  return terminal && text_of_variable("NO_COLOR").empty();
}

}  // namespace

void print_error(const Error& error) {
  to_stderr("rung: " + printable(error.what()) + "\n");
  if (!error.hint().empty()) to_stderr("hint: " + printable(error.hint()) + "\n");
}

Console::Console(const ConsoleOptions& options)
    : quiet_(options.quiet),
      verbose_(options.verbose),
      terminal_(takes_escapes(STDERR_FILENO)),
      color_(options.color) {}

bool Console::color(int descriptor) const { return wants_color(color_, takes_escapes(descriptor)); }

void Console::error(const std::string& text) const { to_stderr("rung: " + printable(text) + "\n"); }

void Console::warn(const std::string& text) const {
  if (!quiet_) to_stderr("rung: warning: " + printable(text) + "\n");
}

void Console::detail(const std::string& text) const {
  if (verbose_) to_stderr("rung: " + printable(text) + "\n");
}

void Console::print(const std::string& text) const {
  shared_stderr().wipe();
  if (quiet_ || std::fputs(text.c_str(), stderr) >= 0 || errno == EPIPE) return;
  throw FileError("<stderr>: cannot write: " + io::error_text(errno));
}

void Console::aside(const std::string& text) const {
  if (!quiet_) to_stderr(text);
}

io::Warn Console::warner() const {
  return [this](const std::string& text) { warn(text); };
}

io::Progress Console::progress(const std::string& what) const {
  if (quiet_ || !terminal_) return {};
  return [line = std::make_shared<ProgressLine>(printable(what))](std::uint64_t done, std::uint64_t total) {
    line->show(done, total);
  };
}

}  // namespace rung::cli
