// bench: for each point of a sweep: make the input, measure, show; then write the reports.
#include "../../kernels/error.hpp"
#include "../../kernels/machine/device.hpp"
#include "../bench/changes.hpp"
#include "../bench/point.hpp"
#include "../bench/summary.hpp"
#include "bench_session.hpp"
#include "commands.hpp"
#include "select.hpp"
#include "standard_input.hpp"
#include "work.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace rung::cli {
namespace {

/// Unlike a single run over a file, where the copy counts, a benchmark is of the fastest machine there is.
MachineChoice choose_machine(const RunOptions& o) {
  if (o.device.machine || !only_groups(o.kernels))
    if (const auto choice = machine_by_request(o)) return *choice;
  std::string why;
  if (gpu_count(&why) > 0) return {Machine::gpu, 0, "there is a GPU"};
  return {Machine::cpu, 0, "there is no GPU: " + why};
}

class Bench {
 public:
  Bench(const BenchOptions& options, const std::vector<std::string>& args)
      : options_(options), session_(options, args), specs_(expand(options)) {}

  int run() {
    check_kernel_names(options_.run.family, options_.run.kernels);
    const MachineChoice choice = choose_machine(options_.run);
    for (const BenchSpec& spec : specs_)
      if (spec.mode == Mode::graph && choice.machine != Machine::gpu)
        throw UsageError("--mode graph captures launches of a GPU; this is the " + std::string(name_of(choice.machine)),
                         "cold rotates through inputs here");
    device_ = open_device(choice.machine, choice.ordinal);
    session_.console().detail("on " + std::string(name_of(choice.machine)) + " (" + device_->properties().name +
                              "): " + choice.reason);
    UnreadInput unread(options_.run, session_.console());
    unread.look();
    load();
    const int status = session_.run(specs_, [this](const BenchSpec& spec) { return run_point(spec); });
    unread.look();
    return status;
  }

 private:
  void load();
  BenchPoint run_point(const BenchSpec& spec);
  BenchPoint describe(const BenchSpec& spec, const Work& work) const;

  const BenchOptions& options_;
  BenchSession session_;
  std::vector<BenchSpec> specs_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<BenchData> data_;
  std::unique_ptr<BenchSets> sets_;
};

void Bench::load() {
  std::optional<HostArray> file;
  if (!options_.run.files.empty()) {
    const std::string& name = options_.run.files[0];
    file = io::read_array(name, options_.run.read, session_.console().warner(),
                          session_.console().progress("reading " + shown_name(name)));
    for (BenchSpec& spec : specs_) {
      spec.dtype = file->dtype;
      spec.shape = file->shape;
    }
  }
  data_ = std::make_unique<BenchData>(options_, specs_, std::move(file));
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
  p.traffic = Traffic{static_cast<double>(work.main.input_bytes()), static_cast<double>(work.main.output_bytes())};
  p.theoretical = device.theoretical_bandwidth;
  p.precision = options_.precision;
  return p;
}

BenchPoint Bench::run_point(const BenchSpec& spec) {
  if (spec.run.family == Family::transpose && spec.shape.size() < 2)
    throw UsageError("the transpose of " + to_string(spec.shape) + " is a copy: there is nothing to measure",
                     "a matrix has two dimensions: --shape RxC");
  const Work work = plan_work(spec.run, spec.dtype, spec.shape);
  if (work.gather) throw UsageError("the axes to reduce lie apart, which takes two kernels", "bench them one by one");
  if (work.main.input_elements() == 0 || work.main.output_elements() == 0)
    throw UsageError("there is nothing to measure in an array of no elements");
  const Selection selection =
      select_kernels(work.main, spec.run.kernels, device_->machine(), spec.run.launch, device_->properties());
  BenchPoint point = describe(spec, work);
  const BenchInput input = data_->input(spec.dtype, spec.shape);
  const Judge& judge = data_->judge(work.main, work.operation, spec.shape);
  const SetPlan plan = plan_sets(work.main, device_->properties(), device_->machine(), point.mode);
  if (!sets_ || !sets_->adopt(input, work.main, plan)) {
    sets_.reset();
    sets_ = std::make_unique<BenchSets>(*device_, work.main, plan, input);
  }
  point.sets = plan.count;
  measure_point(
      point, {*device_, spec, work, selection, judge, input.bytes, *sets_, stop_rule(options_), options_.references});
  for (const auto& [name, reason] : selection.skipped) {
    BenchRow row;
    row.name = name;
    row.verdict = RowVerdict::skipped;
    row.note = reason;
    point.rows.push_back(std::move(row));
  }
  return point;
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
  if (options.end_to_end && options.from_json.empty()) return end_to_end_command(options, args);
  const std::string input = !options.from_json.empty()   ? options.from_json
                            : !options.run.files.empty() ? options.run.files[0]
                                                         : std::string();
  if (reads_terminal(input)) {
    print_help(help_text("bench"));
    return 2;
  }
  if (options.from_json.empty()) return Bench(options, args).run();
  BenchFiles files(options);
  const BenchReport report = read_bench_file(options.from_json);
  if (files.empty() && !options.run.console.quiet) {
    std::string text;
    for (const BenchPoint& point : report.points) text += (text.empty() ? "" : "\n") + bench_text(point, false);
    write_stdout(text + sweep_summary(report));
  }
  const Console console(options.run.console);
  for (const auto& warning : warnings_of(report)) console.warn(shown_name(options.from_json) + " warned: " + warning);
  files.write(report, console);
  return 0;
}

}  // namespace rung::cli
