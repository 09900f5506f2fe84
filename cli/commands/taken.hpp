// Which files a command reads and writes, so that no report replaces an input or another output.
#pragma once
#include "../../kernels/error.hpp"

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rung::cli {

class TakenFiles {
 public:
  /// "-" is what standard input comes from.
  void add_input(const std::string& path);
  /// The data's; it may be an input, unless that is a FIFO: then the command would wait for itself, and UsageError is
  /// thrown. "-" is what standard output goes to, when data goes there.
  void add_output(const std::string& path, bool data_on_stdout);
  /// Throws UsageError when the file, or the pipe, is taken, by whatever name: through links, and before it is there;
  /// and when standard output is, also where that is no file. Where it is one, "-" is that file. No path: no report.
  void add_report(const std::string& option, const std::string& path);
  /// "--json -", where standard output is to carry a report; else empty.
  const std::string& report_on_stdout() const { return report_on_stdout_; }
  static UsageError stdout_is_taken(const std::string& report, const std::string& by);

  /// Whether both names are one file that is there; whether both are one pipe ("-": standard input).
  static bool same_file(const std::string& a, const std::string& b);
  static bool same_pipe(const std::string& a, const std::string& b);

 private:
  struct Place {
    bool regular = false;  ///< a file that is there
    bool fifo = false;     ///< a pipe too
    bool socket = false;
    bool missing = false;
    dev_t device = 0;
    ino_t number = 0;
    std::filesystem::path path;  ///< of one that is missing
  };
  static Place of_path(const std::string& path);
  static Place of_input(const std::string& path);
  static Place of_descriptor(int descriptor);
  static Place of_status(const struct stat& status);
  static bool same(const Place& a, const Place& b);
  /// Throws UsageError where the place is a FIFO that is read.
  void refuse_read_fifo(const std::string& name, const Place& place) const;

  std::vector<Place> taken_;
  std::vector<Place> read_fifos_;
  std::string stdout_carries_;  ///< in words
  std::string report_on_stdout_;
};

}  // namespace rung::cli
