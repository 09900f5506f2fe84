// --json, --csv, --markdown: where the report goes.
#pragma once
#include "../io/io.hpp"
#include "../options.hpp"
#include "../report/report.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rung::cli {

class ReportFiles {
 public:
  /// Opens the files, so that what cannot be written is said before the work. Throws UsageError when two reports,
  /// or a report and the data, go to standard output.
  ReportFiles(const RunOptions& options, bool data_on_stdout);
  void write(const Report& report);
  bool on_stdout() const { return on_stdout_; }

 private:
  using Print = std::string (*)(const Report&);
  std::vector<std::pair<std::unique_ptr<io::Sink>, Print>> files_;
  bool on_stdout_ = false;
};

}  // namespace rung::cli
