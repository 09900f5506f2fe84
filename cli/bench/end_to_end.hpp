// Whole processes, each from file to result, timed in turn by the method of all benchmarks.
#pragma once
#include "../options.hpp"
#include "report.hpp"
#include "schedule.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rung::cli {

/// One command line that is timed, and its row.
struct ProcessSubject {
  BenchRow row;
  RunOptions run;
};

/// Runs the command line as a process; the seconds from its start to its end. Throws what it reports.
using TimeProcess = std::function<double(const RunOptions&)>;

/// Times all subjects that are not wrong, in turn, the first of them also against itself. Fills in their times, the
/// kernels' ratios to the references and to each other, and the point's noise floor. Ratios are left out for sim.
void time_processes(BenchPoint& point, std::vector<ProcessSubject>& subjects, const StopRule& rule,
                    const TimeProcess& time);

/// `kernels` on `device` over the file, as the point asks: what a user would type. The result goes to `output`.
RunOptions process_run(const RunOptions& asked, std::vector<std::string> kernels, const DeviceWish& device,
                       const io::ReadOptions& read, const std::string& file, const std::string& output);

/// The share of a file's pages that is in the page cache; 1 for an empty file.
double cached_share(const std::string& path);

/// What differs once a file was written to or replaced.
struct FileVersion {
  std::uint64_t device = 0, number = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< when it was last written to
  bool operator==(const FileVersion&) const = default;
};
/// Nothing when there is no such file.
std::optional<FileVersion> file_version(const std::string& path);

/// Whether two files hold the same bytes; false where one is not there.
bool same_bytes(const std::string& a, const std::string& b);

}  // namespace rung::cli
