// --json, --csv, --markdown, --svg: where reports go.
#pragma once
#include "../io/io.hpp"
#include "../options.hpp"
#include "../report/report.hpp"
#include "output.hpp"
#include "taken.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rung::cli {

/// Open files, and what each is to hold of a report.
template <class Report>
using Prints = std::vector<std::pair<std::unique_ptr<io::Sink>, std::string (*)(const Report&)>>;

/// A report that may be asked for, and its file: none where it is not.
template <class Report>
struct ReportWish {
  const char* option;
  const std::string& path;
  std::string (*print)(const Report&);
};

/// Whether standard output is to carry a report, by whatever name.
template <class Report, std::size_t count>
bool asks_for_stdout(const std::array<ReportWish<Report>, count>& wishes) {
  return std::any_of(wishes.begin(), wishes.end(), [](const auto& wish) { return io::is_stdout(wish.path); });
}

/// Opens the files, so that what cannot be written is said before the work. Throws UsageError, before any is opened,
/// for what TakenFiles refuses.
template <class Report, std::size_t count>
Prints<Report> open_reports(TakenFiles& taken, const std::array<ReportWish<Report>, count>& wishes) {
  for (const auto& [option, path, print] : wishes) taken.add_report(option, path);
  Prints<Report> files;
  for (const auto& [option, path, print] : wishes)
    if (!path.empty()) files.emplace_back(io::open_sink(path), print);
  return files;
}

/// All of the files take their place, or none where one cannot be written; pipes and devices keep what they got. A
/// reader that has gone keeps nothing from the others.
template <class Report>
void write_reports_together(const Prints<Report>& files, const Report& report) {
  for (const auto& [sink, print] : files) try {
      write_text(*sink, print(report));
    } catch (const io::Closed&) {
    }
  for (const auto& [sink, print] : files) sink->commit();
}

/// Each file that can be written takes its place; then the first error is thrown.
template <class Report>
void write_reports_each(const Prints<Report>& files, const Report& report) {
  std::exception_ptr first;
  for (const auto& [sink, print] : files) try {
      write_text(*sink, print(report));
      sink->commit();
    } catch (const io::Closed&) {
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

class ReportFiles {
 public:
  /// As open_reports; `several`: kernels.
  ReportFiles(const RunOptions& options, bool several);
  void write(const Report& report) { write_reports_together(files_, report); }
  bool on_stdout() const { return !on_stdout_.empty(); }
  /// The error where standard output is to carry a report and, as is known by now, an array too.
  UsageError array_on_stdout() const { return TakenFiles::stdout_is_taken(on_stdout_, "the result"); }
  bool empty() const { return files_.empty(); }

 private:
  Prints<Report> files_;
  std::string on_stdout_;
};

}  // namespace rung::cli
