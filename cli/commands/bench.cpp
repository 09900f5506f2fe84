// bench: for each point of a sweep: make the input, measure, show; then write the reports.
#include "../../kernels/error.hpp"
#include "../../kernels/machine/device.hpp"
#include "../bench/point.hpp"
#include "../bench/summary.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "select.hpp"
#include "work.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace rung::cli {
namespace {

/// --json, --csv, --markdown, --svg. Opened first: what cannot be written is said before the work.
class BenchFiles {
 public:
  explicit BenchFiles(const BenchOptions& o) {
    add("--json", o.run.json, bench_json);
    add("--csv", o.run.csv, bench_csv);
    add("--markdown", o.run.markdown, bench_markdown);
    add("--svg", o.svg, bench_svg);
  }
  void write(const BenchReport& report) {
    for (auto& [sink, print] : files_) write_text(*sink, print(report));
    files_.clear();
  }
  bool on_stdout() const { return on_stdout_; }
  bool empty() const { return files_.empty(); }

 private:
  using Print = std::string (*)(const BenchReport&);
  void add(const char* option, const std::string& path, Print print) {
    if (path.empty()) return;
    if (path == "-" && on_stdout_)
      throw UsageError(std::string(option) + " -: standard output has another report to carry", "name a file");
    on_stdout_ = on_stdout_ || path == "-";
    files_.emplace_back(io::open_sink(path), print);
  }
  std::vector<std::pair<std::unique_ptr<io::Sink>, Print>> files_;
  bool on_stdout_ = false;
};

/// Unlike a single run over a file, where the copy counts, a benchmark is of the fastest machine there is.
MachineChoice choose_machine(const RunOptions& o) {
  const bool groups = std::all_of(o.kernels.begin(), o.kernels.end(), [](const std::string& name) {
    return name == "best" || name == "ladder" || name == "all";
  });
  if (o.device.machine || !groups)
    if (const auto choice = machine_by_request(o)) return *choice;
  std::string why;
  if (gpu_count(&why) > 0) return {Machine::gpu, 0, "there is a GPU"};
  return {Machine::cpu, 0, "there is no GPU: " + why};
}

class Bench {
 public:
  Bench(const BenchOptions& options, const std::vector<std::string>& args)
      : options_(options),
        console_(options.run.console),
        files_(options),
        report_{read_environment(args), {}},
        specs_(expand(options)) {}

  int run() {
    check_kernel_names(options_.run.family, options_.run.kernels);
    const MachineChoice choice = choose_machine(options_.run);
    for (const BenchSpec& spec : specs_)
      if (spec.mode == Mode::graph && choice.machine != Machine::gpu)
        throw UsageError("--mode graph captures launches of a GPU; this is the " + std::string(name_of(choice.machine)),
                         "cold rotates through inputs here");
    device_ = open_device(choice.machine, choice.ordinal);
    console_.detail("on " + std::string(name_of(choice.machine)) + " (" + device_->properties().name +
                    "): " + choice.reason);
    load();
    try {
      for (const BenchSpec& spec : specs_) try_point(spec);
    } catch (const Error&) {
      // What was measured before is worth keeping.
      if (!report_.points.empty()) files_.write(report_);
      throw;
    }
    if (report_.points.empty()) throw UsageError("no point of the sweep can run", last_refusal_);
    show(sweep_summary(report_));
    files_.write(report_);
    if (!wrong_.empty()) console_.error("wrong: " + join(wrong_, ", "));
    return wrong_.empty() ? 0 : 1;
  }

 private:
  void load();
  void try_point(const BenchSpec& spec);
  void run_point(const BenchSpec& spec);
  BenchPoint describe(const BenchSpec& spec, const Work& work) const;
  void conclude(BenchPoint point);
  void show(const std::string& text) const;

  const BenchOptions& options_;
  Console console_;
  BenchFiles files_;
  BenchReport report_;
  std::vector<BenchSpec> specs_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<BenchData> data_;
  std::unique_ptr<BenchSets> sets_;
  std::vector<std::string> wrong_;
  std::string last_refusal_;
};

/// On standard output, unless a report goes there.
void Bench::show(const std::string& text) const {
  if (options_.run.console.quiet || text.empty()) return;
  if (files_.on_stdout())
    console_.print(text);
  else
    write_stdout(text);
}

void Bench::load() {
  std::optional<HostArray> file;
  if (!options_.run.files.empty()) {
    const std::string& name = options_.run.files[0];
    file = io::read_array(name, options_.run.read, console_.warner(), console_.progress("reading " + name));
    for (BenchSpec& spec : specs_) {
      spec.dtype = file->dtype;
      spec.shape = file->shape;
    }
  }
  data_ = std::make_unique<BenchData>(options_, specs_, std::move(file));
}

/// In a sweep, what cannot be (an operation that a type does not have, a launch shape that a kernel refuses) is left
/// out with its reason.
void Bench::try_point(const BenchSpec& spec) {
  try {
    run_point(spec);
  } catch (const UsageError& error) {
    if (specs_.size() == 1) throw;
    last_refusal_ = error.what();
    std::string what = std::string(name_of(spec.dtype)) + " " + to_string(spec.shape);
    if (spec.run.family == Family::reduce) what = std::string(name_of(spec.run.op)) + " of " + what;
    console_.warn("left out: " + what + ": " + error.what());
  }
}

BenchPoint Bench::describe(const BenchSpec& spec, const Work& work) const {
  const DeviceProperties& device = device_->properties();
  BenchPoint p;
  p.input = data_->name();
  p.family = spec.run.family;
  p.operation = work.operation;
  p.dtype = spec.dtype;
  p.shape = spec.shape;
  if (p.family == Family::reduce) p.acc = spec.run.acc;
  p.launch = spec.run.launch;
  p.machine = device_->machine();
  p.device = device.name;
  p.mode = p.machine == Machine::sim ? Mode::hot : spec.mode;
  p.logical_bytes = work.main.logical_bytes();
  p.theoretical = device.theoretical_bandwidth;
  p.precision = options_.precision;
  return p;
}

void Bench::run_point(const BenchSpec& spec) {
  const Work work = plan_work(spec.run, spec.dtype, spec.shape);
  if (work.gather) throw UsageError("the axes to reduce lie apart, which takes two kernels", "bench them one by one");
  if (work.main.input_elements() == 0 || work.main.output_elements() == 0)
    throw UsageError("there is nothing to measure in an array of no elements");
  const Selection selection =
      select_kernels(work.main, spec.run.kernels, device_->machine(), spec.run.launch, device_->properties());
  BenchPoint point = describe(spec, work);
  const std::byte* input = data_->input(spec.dtype, spec.shape);
  const Judge& judge = data_->judge(work.main, work.operation, spec.shape);
  const SetPlan plan = plan_sets(work.main, device_->properties(), device_->machine(), point.mode);
  if (!sets_ || !sets_->adopt(input, work.main, plan)) {
    sets_.reset();
    sets_ = std::make_unique<BenchSets>(*device_, work.main, plan, input);
  }
  point.sets = plan.count;
  StopRule rule;
  rule.precision = options_.precision;
  rule.max_seconds = options_.max_seconds;
  rule.least = options_.least_samples;
  rule.most = std::max(rule.most, rule.least);
  measure_point(point, {*device_, spec, work, selection, judge, input, *sets_, rule, options_.references});
  for (const auto& [name, reason] : selection.skipped) {
    BenchRow row;
    row.name = name;
    row.verdict = RowVerdict::skipped;
    row.note = reason;
    point.rows.push_back(std::move(row));
  }
  conclude(std::move(point));
}

void Bench::conclude(BenchPoint point) {
  show((report_.points.empty() ? "" : "\n") + bench_text(point, console_.color() && !files_.on_stdout()));
  for (const auto& warning : point.warnings) console_.warn(warning);
  std::vector<std::string> unverifiable;
  for (const BenchRow& row : point.rows) {
    if (row.role != Role::kernel) continue;
    if (row.verdict == RowVerdict::fail) wrong_.push_back(row.name + " (" + heading(point) + ")");
    if (row.verdict == RowVerdict::unverifiable) unverifiable.push_back(row.name);
  }
  if (!unverifiable.empty())
    console_.warn("neither right nor wrong, by any bound: " + join(unverifiable, ", ") + "; --dist exact settles it");
  report_.points.push_back(std::move(point));
}

}  // namespace

BenchReport read_bench_file(const std::string& name) {
  const auto source = io::open_source(name);
  std::string text;
  for (std::string chunk(std::size_t{1} << 16, '\0');;) {
    const std::size_t got = source->read(std::as_writable_bytes(std::span(chunk.data(), chunk.size())));
    text.append(chunk, 0, got);
    if (got < chunk.size()) return read_bench_json(text, name);
  }
}

int bench_command(const BenchOptions& options, const std::vector<std::string>& args) {
  if (options.from_json.empty()) return Bench(options, args).run();
  BenchFiles files(options);
  const BenchReport report = read_bench_file(options.from_json);
  if (files.empty()) {
    std::string text;
    for (const BenchPoint& point : report.points) text += (text.empty() ? "" : "\n") + bench_text(point, false);
    write_stdout(text + sweep_summary(report));
  }
  files.write(report);
  return 0;
}

}  // namespace rung::cli
