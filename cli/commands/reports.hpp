// --json, --csv, --markdown, --svg: where reports go.
#pragma once
#include "../io/io.hpp"
#include "../options.hpp"
#include "../report/report.hpp"
#include "output.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rung::cli {

/// Open files, and what each is to hold of a report.
template <class Report>
using Prints = std::vector<std::pair<std::unique_ptr<io::Sink>, std::string (*)(const Report&)>>;

/// All of the files take their place, or none where one cannot be written; pipes and devices keep what they got. A
/// reader that has gone keeps nothing from the others.
template <class Report>
void write_reports(const Prints<Report>& files, const Report& report) {
  for (const auto& [sink, print] : files) try {
      write_text(*sink, print(report));
    } catch (const io::Closed&) {
    }
  for (const auto& [sink, print] : files) sink->commit();
}

class ReportFiles {
 public:
  /// Opens the files, so that what cannot be written is said before the work. Throws UsageError when two reports,
  /// or a report and the data, go to standard output.
  ReportFiles(const RunOptions& options, bool data_on_stdout);
  void write(const Report& report) { write_reports(files_, report); }
  bool on_stdout() const { return on_stdout_; }
  bool empty() const { return files_.empty(); }

 private:
  Prints<Report> files_;
  bool on_stdout_ = false;
};

}  // namespace rung::cli
