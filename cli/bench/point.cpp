#include "point.hpp"

#include "../../reference/reference.hpp"
#include "../console.hpp"
#include "../text.hpp"
#include "ratios.hpp"
#include "subject.hpp"
#include "warnings.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rung::cli {
namespace {

using Subjects = std::vector<std::unique_ptr<Subject>>;

class SubjectSampler final : public Sampler {
 public:
  explicit SubjectSampler(std::vector<Subject*> subjects) : subjects_(std::move(subjects)) {}
  std::size_t subjects() const override { return subjects_.size(); }
  Sample sample(std::size_t subject) override { return subjects_[subject]->sample(); }
  // A call that waits for the device is as unsteady as the host, which no patience mends.
  bool decides(std::size_t subject) const override { return !subjects_[subject]->row.waits; }
  double elapsed() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::vector<Subject*> subjects_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void add_note(BenchRow& row, const std::string& note) {
  if (!note.empty()) row.note += (row.note.empty() ? "" : "; ") + note;
}

class PointBench {
 public:
  PointBench(BenchPoint& point, const PointSetup& setup)
      : point_(point),
        setup_(setup),
        stage_{setup.device, setup.work.main, setup.sets, point.mode},
        simulated_(setup.device.machine() == Machine::sim) {}

  void measure() {
    for (const Selected& s : setup_.selection.run) add_kernel(s);
    if (setup_.references && !simulated_) add_references();
    reserve();
    for (auto& subject : subjects_) check_first(*subject);
    if (!simulated_) add_ceiling();
    time();
    for (auto& subject : subjects_) check_last(*subject);
    for (auto& subject : subjects_) point_.rows.push_back(std::move(subject->row));
    point_.rows.insert(point_.rows.end(), skipped_.begin(), skipped_.end());
    mark_suspects();
    add_warnings();
  }

 private:
  void add_kernel(const Selected& selected);
  void add_references();
  void reserve();
  void add_ceiling();
  bool judge(Subject& subject, bool timed);
  void check_first(Subject& subject);
  void check_last(Subject& subject);
  std::unique_ptr<Subject> twin_of(const Subject& subject);
  void time();
  void describe(Subject& subject, const Series& series);
  void compare_all(const std::vector<Subject*>& timed, const std::vector<Series>& series);
  void mark_suspects();
  void add_warnings();

  BenchPoint& point_;
  const PointSetup& setup_;
  Stage stage_;
  bool simulated_;
  Subjects subjects_;
  std::vector<BenchRow> skipped_;
};

void PointBench::add_kernel(const Selected& selected) {
  auto subject = std::make_unique<Subject>(stage_, *selected.kernel, selected.plan, setup_.spec.run.launch, false);
  subject->row.name = selected.kernel->info().name;
  subjects_.push_back(std::move(subject));
}

void PointBench::add_references() {
  const Problem& p = setup_.work.main;
  for (const Reference* reference : references(setup_.device.machine())) {
    Plan plan = reference->plan(p, {}, setup_.device.properties());
    BenchRow row;
    row.role = Role::reference;
    row.column = reference->name();
    row.version = reference->version();
    if (!plan) {
      row.name = reference->name();
      row.verdict = RowVerdict::skipped;
      row.note = plan.refusal;
      skipped_.push_back(std::move(row));
      continue;
    }
    row.name = reference->call(p);
    row.note = reference->difference(p);
    row.launch = plan.launch;
    auto subject = std::make_unique<Subject>(stage_, *reference, std::move(plan), Launch{}, reference->synchronises(p));
    row.waits = subject->row.waits;
    subject->row = std::move(row);
    subjects_.push_back(std::move(subject));
  }
}

void PointBench::reserve() {
  std::size_t most = 256;
  for (const auto& subject : subjects_) most = std::max(most, subject->workspace_bytes());
  stage_.workspace.emplace(setup_.device, most);
}

/// The fastest of the ceiling's launch shapes: the least median of samples taken in turn, as those of the rows are.
void PointBench::add_ceiling() {
  constexpr std::size_t least_trials = 5, most_trials = 25;
  constexpr double seconds_of_trials = 0.2;
  Subjects shapes;
  for (const Runnable* shape : setup_.device.ceilings(point_.family)) {
    shapes.push_back(std::make_unique<Subject>(
        stage_, *shape, shape->plan(setup_.work.main, {}, setup_.device.properties()), Launch{}, false));
    shapes.back()->run_once();
    shapes.back()->prepare();
  }
  if (shapes.empty()) return;
  std::vector<std::vector<double>> samples(shapes.size());
  Stopwatch watch;
  double spent = 0;
  for (std::size_t k = 0; k < most_trials && (k < least_trials || spent < seconds_of_trials); ++k) {
    for (std::size_t s = 0; s < shapes.size(); ++s) samples[s].push_back(shapes[s]->sample().seconds);
    spent += watch.lap();
  }
  std::vector<double> medians;
  for (const auto& of_one : samples) medians.push_back(summarise(of_one).median);
  std::unique_ptr<Subject>& best =
      shapes[static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin())];
  best->row.role = Role::ceiling;
  best->row.name = point_.family == Family::reduce ? "ceiling-read" : "ceiling-copy";
  subjects_.push_back(std::move(best));
}

/// Returns false when the output is wrong, and says so in the row.
bool PointBench::judge(Subject& subject, bool timed) {
  BenchRow& row = subject.row;
  const std::byte* got = subject.output();
  if (row.role == Role::ceiling) {
    const bool copies = point_.family != Family::reduce;
    const bool same = !copies || std::memcmp(got, setup_.input, setup_.work.main.input_bytes()) == 0;
    row.verdict = same ? RowVerdict::unchecked : RowVerdict::fail;
    return same;
  }
  const Comparison found =
      compare(setup_.work.main, setup_.judge.oracle, got, subject.chain(), setup_.judge.exact_data);
  row.verdict = found.verdict == Verdict::pass           ? RowVerdict::pass
                : found.verdict == Verdict::unverifiable ? RowVerdict::unverifiable
                                                         : RowVerdict::fail;
  row.mismatches = found.mismatches;
  row.first = found.first;
  if (found.verdict == Verdict::unverifiable && !timed) add_note(row, found.note);
  if (found.verdict == Verdict::fail && timed) add_note(row, "right at first, wrong after the timed runs");
  return found.verdict != Verdict::fail;
}

void PointBench::check_first(Subject& subject) {
  setup_.sets.spoil();
  subject.run_once();
  judge(subject, false);
}

/// One more sample, spoiled before it, so that what is judged is what a timed batch leaves.
void PointBench::check_last(Subject& subject) {
  if (!subject.row.seconds) return;
  setup_.sets.spoil();
  subject.sample();
  if (judge(subject, true)) return;
  subject.row.seconds.reset();
  subject.row.speedups.clear();
  subject.row.previous.reset();
}

void PointBench::describe(Subject& subject, const Series& series) {
  BenchRow& row = subject.row;
  row.runs_a_sample = subject.runs_a_sample();
  row.dropped = series.dropped;
  row.stopped = name_of(series.stopped);
  add_note(row, subject.remark());
  const Summary summary = summarise(series.seconds);
  if (summary.n != 0) row.seconds = summary;
  if (!series.megahertz.empty()) row.megahertz = summarise(series.megahertz).median;
}

/// Another subject of the same kernel; null when it is no kernel.
std::unique_ptr<Subject> PointBench::twin_of(const Subject& subject) {
  if (subject.row.role != Role::kernel) return nullptr;
  for (const Selected& s : setup_.selection.run) {
    if (s.kernel->info().name != subject.row.name) continue;
    auto twin = std::make_unique<Subject>(stage_, *s.kernel, s.plan, setup_.spec.run.launch, false);
    twin->run_once();
    twin->prepare_like(subject);
    return twin;
  }
  return nullptr;
}

void PointBench::time() {
  std::vector<Subject*> timed;
  for (auto& subject : subjects_) {
    if (subject->row.verdict == RowVerdict::fail) continue;
    if (subject->row.role != Role::ceiling) subject->prepare();
    timed.push_back(subject.get());
  }
  if (timed.empty()) return;
  StopRule rule = setup_.rule;
  // Simulated times are for curiosity: three show that they vary.
  if (simulated_) rule.least = rule.most = 3;
  // The first against itself: half a round apart, as none should find its own code in the instruction cache.
  const std::unique_ptr<Subject> itself = simulated_ ? nullptr : twin_of(*timed.front());
  const std::size_t place = (timed.size() + 1) / 2;
  std::vector<Subject*> in_turn = timed;
  if (itself) in_turn.insert(in_turn.begin() + static_cast<std::ptrdiff_t>(place), itself.get());
  SubjectSampler sampler(in_turn);
  std::vector<Series> series = run_rounds(sampler, rule);
  if (itself) {
    point_.noise = paired_ratio(series[place].seconds, series.front().seconds);
    series.erase(series.begin() + static_cast<std::ptrdiff_t>(place));
  }
  for (std::size_t k = 0; k < timed.size(); ++k) describe(*timed[k], series[k]);
  if (!simulated_) compare_all(timed, series);
}

void PointBench::compare_all(const std::vector<Subject*>& timed, const std::vector<Series>& series) {
  std::vector<BenchRow*> rows;
  for (Subject* subject : timed) {
    rows.push_back(&subject->row);
    const BenchRow& row = subject->row;
    if (row.role == Role::ceiling && row.seconds) point_.ceiling = point_.logical_bytes / row.seconds->median;
  }
  compare_rows(rows, series);
}

void PointBench::mark_suspects() {
  for (BenchRow& row : point_.rows) {
    row.suspect = point_.theoretical > 0 && point_.bandwidth(row).value_or(0) > point_.theoretical;
    if (row.suspect)
      add_note(row, point_.mode == Mode::hot ? "faster than the memory: the cache serves it"
                                             : "faster than the memory can be: the figure is not of memory");
  }
}

void PointBench::add_warnings() {
  auto& warnings = point_.warnings;
  warn_of_samples(point_, setup_.rule.least);
  if (simulated_) return;
  double shortest = 1;
  for (const BenchRow& row : point_.rows)
    if (row.seconds) shortest = std::min(shortest, row.seconds->median * static_cast<double>(row.runs_a_sample));
  constexpr double resolution = 0.5e-6, shortest_trusted = 20 * resolution;
  if (setup_.device.machine() == Machine::gpu && shortest < shortest_trusted)
    warnings.push_back("a sample of " + seconds_text(shortest) +
                       " is short beside the event clock's half microsecond and a launch; --mode graph takes batches");
  const std::size_t span = rotation_span(setup_.device.properties(), setup_.device.machine());
  if (setup_.device.machine() == Machine::cpu && point_.mode == Mode::cold &&
      setup_.sets.plan().count * setup_.work.main.input_bytes() < span)
    warnings.push_back(
        std::to_string(setup_.sets.plan().count) +
        " inputs in turn are less than twice the cache: some are not cold; a larger input (-n, --shape) is");
  double load = 0;
  const unsigned cores = setup_.device.properties().multiprocessors;
  if (setup_.device.machine() == Machine::cpu && getloadavg(&load, 1) == 1) warn_of_load(point_, load, cores);
  warn_of_build(point_);
}

}  // namespace

void measure_point(BenchPoint& point, const PointSetup& setup) { PointBench(point, setup).measure(); }

bool all_right(const BenchPoint& point) {
  return std::none_of(point.rows.begin(), point.rows.end(),
                      [](const BenchRow& row) { return row.role == Role::kernel && row.verdict == RowVerdict::fail; });
}

}  // namespace rung::cli
