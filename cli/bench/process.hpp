// A program as a process: no shell, nothing on standard input, standard output dropped.
#pragma once
#include <string>
#include <vector>

namespace rung::cli {

struct Finished {
  double seconds = 0;  ///< of the host's clock, from before the process is made until it has ended
  int status = 0;      ///< exit status
  int signal = 0;      ///< that ended it; 0: it exited
  std::string errors;  ///< what it wrote to standard error
};

/// args: without the program's name. Signals that end this process end that one first; SIGINT, SIGTERM, SIGHUP or
/// SIGQUIT that ended that one ends this one too.
/// Throws FileError when it cannot be started.
Finished run_process(const std::string& program, const std::vector<std::string>& args);

/// The error that a rung which did not succeed reported, as its own exit status has it. `args`: for one that says
/// nothing, or was ended by a signal.
[[noreturn]] void throw_failure(const Finished& finished, const std::vector<std::string>& args);

/// A folder of its own in $TMPDIR, else /tmp, that goes with what is in it at the end, by a signal too.
class ScratchFolder {
 public:
  /// Throws FileError.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  /// The path of a file in it.
  std::string file(const std::string& name);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

}  // namespace rung::cli
