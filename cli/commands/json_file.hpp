// --json of the commands whose only report it is: info, list, compare.
#pragma once
#include "reports.hpp"

#include <string>
#include <vector>

namespace rung::cli {

class JsonFile {
 public:
  /// As open_reports. No path: no report. `text`: the command's text goes to standard output, unless the report does.
  JsonFile(const std::string& path, const std::vector<std::string>& inputs, bool text);
  bool asked() const { return !files_.empty(); }
  bool on_stdout() const { return on_stdout_; }
  /// The command's text to standard output, unless the report goes there. A reader that has gone keeps nothing from a
  /// report.
  void tell(const std::string& text) const;
  void write(const std::string& report) { write_reports_together(files_, report); }

 private:
  Prints<std::string> files_;
  bool on_stdout_ = false;
};

}  // namespace rung::cli
