// What every benchmark does around its measuring: points one by one, tables as they come, reports at the end.
#pragma once
#include "../bench/report.hpp"
#include "../bench/schedule.hpp"
#include "../bench/sweep.hpp"
#include "../bench/warnings.hpp"
#include "../console.hpp"
#include "reports.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rung::cli {

/// --json, --csv, --markdown, --svg. Opened first: what cannot be written is said before the work.
class BenchFiles {
 public:
  explicit BenchFiles(const BenchOptions& options);
  /// Each that can be: a sweep takes hours, and is not lost with the disk that its plot was for. Warns of a plot that
  /// has nothing to draw.
  void write(const BenchReport& report, const Console& console);
  bool on_stdout() const { return on_stdout_; }
  bool empty() const { return files_.empty(); }

 private:
  Prints<BenchReport> files_;
  std::string svg_;
  bool on_stdout_ = false;
};

class BenchSession {
 public:
  BenchSession(const BenchOptions& options, const std::vector<std::string>& args);
  const Console& console() const { return console_; }

  using Measure = std::function<BenchPoint(const BenchSpec&)>;
  /// Measures and shows each point, then writes the reports. In a sweep, what cannot be (an operation that a type does
  /// not have, a launch shape that a kernel refuses) is left out with its reason. Returns the exit status.
  int run(const std::vector<BenchSpec>& specs, const Measure& measure);

 private:
  void try_point(const BenchSpec& spec, const Measure& measure, bool others);
  void conclude(BenchPoint measured);
  void show(const std::string& text);

  const BenchOptions& options_;
  Console console_;
  BenchFiles files_;
  BenchReport report_;
  SweepWarnings warnings_;
  std::vector<std::string> wrong_;
  std::string last_refusal_;
  bool reader_gone_ = false;
};

/// --precision, --max-time, --min-samples.
StopRule stop_rule(const BenchOptions& options);

/// bench --end-to-end. args: the command line as typed, for reports.
int end_to_end_command(const BenchOptions& options, const std::vector<std::string>& args);

}  // namespace rung::cli
