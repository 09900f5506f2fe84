#include "bench_session.hpp"

#include "../../kernels/error.hpp"
#include "../bench/summary.hpp"
#include "../text.hpp"
#include "commands.hpp"

#include <unistd.h>

#include <algorithm>

namespace rung::cli {
namespace {

std::string what_is_left_out(const BenchSpec& spec) {
  const std::string what = std::string(name_of(spec.dtype)) + " " + to_string(spec.shape);
  return spec.run.family == Family::reduce ? std::string(name_of(spec.run.op)) + " of " + what : what;
}

/// Data that every order sums alike makes a sum certain, and nothing else.
std::string settling_words(const BenchOptions& o, const BenchPoint& point) {
  if (o.distribution == Distribution::exact || !point.operation.starts_with(name_of(Op::sum))) return {};
  return o.run.files.empty() ? "; --dist exact settles it" : "; data of rung gen --dist exact settles it";
}

}  // namespace

BenchFiles::BenchFiles(const BenchOptions& o) : svg_(o.svg) {
  const std::array<ReportWish<BenchReport>, 4> wishes{{{"--json", o.run.json, bench_json},
                                                       {"--csv", o.run.csv, bench_csv},
                                                       {"--markdown", o.run.markdown, bench_markdown},
                                                       {"--svg", o.svg, bench_svg}}};
  TakenFiles taken;
  for (const std::string& file : o.run.files) taken.add_input(file);
  if (!o.from_json.empty()) taken.add_input(o.from_json);
  // Tables go to standard output, unless a report does; of an earlier benchmark only where there is no report.
  if (!o.run.console.quiet && o.from_json.empty() && !asks_for_stdout(wishes)) taken.add_output("-", true);
  files_ = open_reports(taken, wishes);
  on_stdout_ = !taken.report_on_stdout().empty();
}

void BenchFiles::write(const BenchReport& report, const Console& console) {
  if (!svg_.empty() && !has_bandwidth(report))
    console.warn((svg_ == "-" ? "<stdout>" : svg_) +
                 ": nothing to draw: no row has GB/s, which times of sim and of wrong results do not give");
  write_reports_each(files_, report);
  files_.clear();
}

BenchSession::BenchSession(const BenchOptions& options, const std::vector<std::string>& args)
    : options_(options), console_(options.run.console), files_(options), report_{read_environment(args), {}} {}

int BenchSession::run(const std::vector<BenchSpec>& specs, const Measure& measure) {
  try {
    for (const BenchSpec& spec : specs) try_point(spec, measure, specs.size() > 1);
    show(sweep_summary(report_));
  } catch (const Error&) {
    // What was measured before is worth keeping.
    if (!report_.points.empty()) files_.write(report_, console_);
    throw;
  } catch (const io::Closed&) {
    if (wrong_.empty()) throw;
    reader_gone_ = true;  // and yet the status has something to say
  }
  if (report_.points.empty()) throw UsageError("no point of the sweep can run", last_refusal_);
  files_.write(report_, console_);
  if (!wrong_.empty()) console_.error("wrong: " + join(wrong_, ", "));
  return wrong_.empty() ? 0 : 1;
}

void BenchSession::try_point(const BenchSpec& spec, const Measure& measure, bool others) {
  try {
    conclude(measure(spec));
  } catch (const UsageError& error) {
    if (!others) throw;
    last_refusal_ = error.what();
    console_.warn("left out: " + what_is_left_out(spec) + ": " + error.what());
  }
}

/// On standard output, unless a report goes there. A reader who has seen enough of the tables does not keep the
/// reports from being whole.
void BenchSession::show(const std::string& text) {
  if (options_.run.console.quiet || text.empty() || reader_gone_) return;
  if (files_.on_stdout()) return console_.aside(text);
  try {
    write_stdout(text);
  } catch (const io::Closed&) {
    if (files_.empty()) throw;
    reader_gone_ = true;
  }
}

void BenchSession::conclude(BenchPoint measured) {
  const std::string between = report_.points.empty() ? "" : "\n";
  const BenchPoint& point = report_.points.emplace_back(std::move(measured));
  std::vector<std::string> unverifiable;
  for (const BenchRow& row : point.rows) {
    // End to end the reference is this command too.
    if (row.role != Role::kernel && !point.file) continue;
    if (row.verdict == RowVerdict::fail) wrong_.push_back(row.name + " (" + heading(point) + ")");
    if (row.verdict == RowVerdict::unverifiable) unverifiable.push_back(row.name);
  }
  show(between + bench_text(point, console_.color(files_.on_stdout() ? STDERR_FILENO : STDOUT_FILENO)));
  for (const auto& warning : warnings_.fresh(point)) console_.warn(warning);
  if (!unverifiable.empty())
    console_.warn("neither right nor wrong, by any bound: " + join(unverifiable, ", ") +
                  settling_words(options_, point));
}

StopRule stop_rule(const BenchOptions& options) {
  StopRule rule;
  rule.precision = options.precision;
  rule.max_seconds = options.max_seconds;
  rule.least = options.least_samples;
  rule.most = std::max(rule.most, rule.least);
  return rule;
}

}  // namespace rung::cli
