// stderr: warnings, details, tables and progress. Data never passes here.
#pragma once
#include "../kernels/error.hpp"
#include "io/io.hpp"
#include "options.hpp"

#include <chrono>
#include <string>

namespace rung::cli {

/// `rung: reason`, and `hint: ...` where there is one.
void print_error(const Error& error);

class Console {
 public:
  explicit Console(const ConsoleOptions& options);

  /// `rung: text`, whatever the options.
  void error(const std::string& text) const;
  /// `rung: warning: text`; not with -q.
  void warn(const std::string& text) const;
  /// `rung: text`, with -v alone.
  void detail(const std::string& text) const;
  /// The report that a command is for, as it is; not with -q. Throws FileError when it cannot be written; a reader that
  /// has gone is no error, and the command's status stays what it is.
  void print(const std::string& text) const;
  /// What goes beside the data or another report, as it is; not with -q. Like a warning, it fails nothing where it
  /// cannot be written: the run's result stands.
  void aside(const std::string& text) const;
  /// Whether verdicts are coloured in what goes to a descriptor: --color, else a terminal that TERM names, and not as
  /// dumb, without NO_COLOR.
  bool color(int descriptor) const;

  io::Warn warner() const;
  /// "reading big.npy 45%" on such a terminal, once half a second has passed since this call; ends with the last byte,
  /// or the last kernel of a check.
  io::Progress progress(const std::string& what) const;

 private:
  bool quiet_, verbose_, terminal_;
  Color color_;
};

/// Stopwatch of the stages that --time reports.
class Stopwatch {
 public:
  /// Since construction or the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rung::cli
