// reduce, transpose, reverse: load, run, check, report.
#include "../../kernels/error.hpp"
#include "../../kernels/machine/device.hpp"
#include "../../kernels/machine/sim/sim.hpp"
#include "../report/report.hpp"
#include "../text.hpp"
#include "check.hpp"
#include "commands.hpp"
#include "execute.hpp"
#include "output.hpp"
#include "reports.hpp"
#include "select.hpp"
#include "taken.hpp"
#include "work.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace rung::cli {
namespace {

struct Input {
  HostArray array;
  io::Format format = io::Format::npy;
  bool mapped = false;  ///< what touches it first reads the file
};

/// Of an array that the next run may write over.
Result result_of(const HostArray& array, bool has_values) {
  Result result{array.dtype, array.shape, has_values, nullptr};
  if (!has_values || array.bytes() == 0) return result;
  result.values = allocate_bytes(array.bytes());
  std::memcpy(result.values.get(), array.data.get(), array.bytes());
  return result;
}

/// Files one after another, through the same options, machine and report.
class Runner {
 public:
  Runner(const RunOptions& options, const std::vector<std::string>& args)
      : options_(options),
        console_(options.console),
        several_(asks_for_several(options.kernels)),
        report_{read_environment(args), {}},
        report_files_(options, several_) {}

  int run() {
    io::check_options(read_options(options_.read, options_.read.from));
    check_kernel_names(options_.family, options_.kernels);
    if (several_ && options_.output != "-")
      throw UsageError("--output takes the result of one kernel",
                       "name one kernel with -k; or leave -o out and compare them with --check");
    if (several_ && !options_.check)
      throw UsageError("several kernels give several results", "--check compares them; or name one kernel with -k");
    if (const auto choice = machine_by_request(options_)) open(*choice);
    if (options_.files.size() > 1) formats_ = io::formats_of(options_.files, options_.read);
    const int status = for_each_file(
        options_.files, [this](const std::string& file) { return run_file(file); },
        [this](const Failure& failure) { report_.failures.push_back(failure); });
    // The output takes its place last: where a report cannot be written, the run has failed.
    report_files_.write(report_);
    if (output_) output_->commit();
    return status;
  }

 private:
  int run_file(const std::string& file);
  io::ReadOptions read_options(io::ReadOptions read, std::optional<io::Format> format) const;
  Input load(const std::string& file);
  void open(const MachineChoice& choice);
  Run describe(const std::string& file, const Input& input, const Work& work) const;
  bool run_kernels(Run& run, const Work& work, const Input& input);
  const void* prepare(Run& run, const Work& work, const Input& input, bool& right);
  void run_one(Run& run, const Selection& selection);
  void show(const Run& run, const std::string& file, bool right);
  bool writes_text(const Work& work) const;
  void write(io::Sink& sink, const std::string& file, const HostArray& array, bool text, io::Format format,
             char delimiter);
  Stages stages(const Run& run, bool mapped) const;
  std::string stages_text(const Run& run) const;

  const RunOptions& options_;
  Console console_;
  bool several_;
  std::unique_ptr<Device> device_;
  Report report_;
  ReportFiles report_files_;
  io::Formats formats_{};             ///< of several files
  std::unique_ptr<io::Sink> output_;  ///< finished, and not yet in its place
  // Of the file at hand. The preparation's buffers live as long as the main problem's.
  StageTimes times_;
  std::unique_ptr<Execution> preparation_, execution_;
  Judge judge_;
};

/// --delimiter is also that of CSV output: beside an input of another format it is no option of reading.
io::ReadOptions Runner::read_options(io::ReadOptions read, std::optional<io::Format> format) const {
  if (!format || *format == io::Format::csv || !read.delimiter) return read;
  if (output_format(options_.to, options_.output, *format) != io::Format::csv) return read;
  io::check_delimiter(*read.delimiter);
  read.delimiter.reset();
  return read;
}

Input Runner::load(const std::string& file) {
  Stopwatch watch;
  const auto source = io::open_source(file);
  Input input;
  const io::ReadOptions own =
      options_.files.size() > 1 ? io::options_among(*source, options_.read, formats_) : options_.read;
  input.format = io::detect_format(*source, own);
  // What is left of a file that the output replaces is lost: an error, and so not a warning before it.
  const bool replaced = TakenFiles::same_file(file, options_.output);
  std::vector<std::string> warnings;
  const auto keep = [&](const std::string& text) { warnings.push_back(text); };
  input.array = io::read_array(*source, read_options(own, input.format), replaced ? io::Warn(keep) : console_.warner(),
                               console_.progress("reading " + shown_name(file)));
  times_.read = watch.lap();
  input.mapped = source->maps(input.array.data.get());
  const std::uint64_t left = input.format == io::Format::csv ? 0 : source->remaining().value_or(0);
  const std::uint64_t beside = left + (input.format == io::Format::raw ? options_.read.offset : 0);
  if (replaced && input.format == io::Format::csv && options_.read.columns)
    throw FileError(printable(file) + ": the output would replace the file, and with --columns it is a part of it",
                    "name another file with -o");
  if (replaced && beside > 0)
    throw FileError(printable(file) + ": the output would replace the file, and " + std::to_string(beside) +
                        " bytes of it that are no part of the array be lost",
                    input.format == io::Format::raw
                        ? "--shape says how much of it is the array; or name another file with -o"
                        : "name another file with -o");
  for (const auto& text : warnings) console_.warner()(text);
  return input;
}

void Runner::open(const MachineChoice& choice) {
  device_ = open_device(choice.machine, choice.ordinal);
  // It takes all cores but one from the simulator, which --check can bear: a result that is right may be so by luck.
  sim::options().check_global = options_.check;
  console_.detail("on " + std::string(name_of(choice.machine)) + " (" + device_->properties().name +
                  "): " + choice.reason);
}

/// Brings the input into the form the main problem reads: on the device, and gathered where its axes lie apart.
/// Returns the main problem's input on the host when there is a check to make, which needs it.
const void* Runner::prepare(Run& run, const Work& work, const Input& input, bool& right) {
  const void* data = input.array.data.get();
  execution_.reset();
  preparation_.reset();
  if (!work.gather) {
    execution_ = std::make_unique<Execution>(*device_, work.main, data, times_);
    return data;
  }
  preparation_ = std::make_unique<Execution>(*device_, *work.gather, data, times_);
  const Selected best = select_best(*work.gather, device_->machine(), {}, device_->properties());
  const std::string name = "transpose " + std::string(best.kernel->info().name);
  console_.detail("the axes to reduce lie apart: first " + name + " (" + best.plan.launch + ")");
  Row row;
  if (options_.check) {
    judge_ = make_judge(*work.gather, data);
    row = check_one(*preparation_, *best.kernel, best.plan, {}, judge_);
    right = row.verdict != RowVerdict::fail;
  } else {
    row.seconds = preparation_->run(*best.kernel, best.plan, {});
  }
  row.kind = RowKind::preparation;
  row.name = name;
  row.launch = best.plan.launch;
  run.rows.push_back(std::move(row));
  execution_ = std::make_unique<Execution>(*device_, work.main, preparation_->output(), times_);
  return judge_.oracle.want.data.get();
}

void Runner::run_one(Run& run, const Selection& selection) {
  const Selected& chosen = selection.run.front();
  Row row;
  row.name = chosen.kernel->info().name;
  row.launch = chosen.plan.launch;
  row.seconds = execution_->run(*chosen.kernel, chosen.plan, options_.launch);
  run.rows.push_back(std::move(row));
}

/// Returns false when a check failed.
bool Runner::run_kernels(Run& run, const Work& work, const Input& input) {
  const Selection selection =
      select_kernels(work.main, options_.kernels, device_->machine(), options_.launch, device_->properties());
  for (const auto& [kernel, plan] : selection.run)
    console_.detail("kernel " + std::string(kernel->info().name) +
                    (plan.launch.empty() ? "" : " (" + plan.launch + ")"));
  bool right = true;
  const void* main_input = prepare(run, work, input, right);
  if (!options_.check) {
    run_one(run, selection);
    return true;
  }
  judge_ = make_judge(work.main, main_input);
  return check_all(run, *device_, *execution_, selection, options_.launch, judge_, console_.progress("checking")) &&
         right;
}

void Runner::show(const Run& run, const std::string& file, bool right) {
  if (!options_.check) return;
  const std::string text = (options_.files.size() > 1 ? printable(shown_name(file)) + ": " : "") +
                           to_text(run, console_.color(STDERR_FILENO));
  console_.print(text);
  std::vector<std::string> wrong, unverifiable;
  for (const Row& row : run.rows) {
    if (row.kind != RowKind::reference && row.verdict == RowVerdict::fail) wrong.push_back(row.name);
    if (row.kind != RowKind::reference && row.verdict == RowVerdict::unverifiable) unverifiable.push_back(row.name);
  }
  if (!right) console_.error("check failed: " + join(wrong, ", "));
  if (!unverifiable.empty()) console_.warn("neither right nor wrong, by any bound: " + join(unverifiable, ", "));
}

/// One value is a line of text, unless a binary format was asked for, or an array: of an array without dimensions
/// --keepdims has none to keep.
bool Runner::writes_text(const Work& work) const {
  if (options_.family != Family::reduce || !work.result_shape.empty() || options_.keepdims) return false;
  return output_format(options_.to, options_.output, io::Format::csv) == io::Format::csv;
}

void Runner::write(io::Sink& sink, const std::string& file, const HostArray& array, bool text, io::Format format,
                   char delimiter) {
  Stopwatch watch;
  // Names are data too, for the next in the pipe; a terminal is no such.
  const std::string name = options_.files.size() == 1 ? "" : "  " + (sink.is_terminal() ? printable(file) : file);
  try {
    if (text)
      write_text(sink, io::to_text(array.dtype, array.data.get()) + name + "\n");
    else
      write_result(sink, array, format, delimiter, console_.progress("writing " + options_.output));
  } catch (const io::Closed&) {
    if (report_files_.empty()) throw;  // else there is a report to make all the same
  }
  times_.write = watch.lap();
}

Stages Runner::stages(const Run& run, bool mapped) const {
  Stages s;
  s.read = times_.read;
  for (const Row& row : run.rows)
    if (row.kind != RowKind::reference) s.kernel += row.seconds.value_or(0);
  if (!device_->uses_host_memory()) {
    s.upload = times_.upload;
    s.download = times_.download;
  }
  if (times_.write > 0) s.write = times_.write;
  s.mapped = mapped;
  return s;
}

/// A mapped file is read by what touches it first. That is said, rather than read ahead of the kernel: it would be
/// slower, as the kernel then has to wait for all of it. The oracle of a check comes first, and has no time here.
std::string Runner::stages_text(const Run& run) const {
  const Stages& s = *run.stages;
  const char* const reads = s.mapped ? " (reads the mapped file)" : "";
  std::string text = (options_.files.size() > 1 ? printable(shown_name(run.input)) + ": " : std::string()) + "read " +
                     seconds_text(s.read);
  if (s.upload) text += ", upload " + seconds_text(*s.upload) + reads;
  text += run.machine == Machine::sim ? ", simulation " : several_ ? ", kernels " : ", kernel ";
  text += seconds_text(s.kernel) + (s.upload || options_.check ? "" : reads);
  if (s.download) text += ", download " + seconds_text(*s.download);
  if (s.write) text += ", write " + seconds_text(*s.write);
  return text + "\n";
}

Run Runner::describe(const std::string& file, const Input& input, const Work& work) const {
  Run run;
  run.input = file;
  run.family = options_.family;
  run.operation = work.operation;
  run.dtype = input.array.dtype;
  run.shape = input.array.shape;
  if (options_.family == Family::reduce) run.acc = options_.acc;
  run.machine = device_->machine();
  run.device = device_->properties().name;
  run.logical_bytes = work.main.logical_bytes();
  return run;
}

int Runner::run_file(const std::string& file) {
  times_ = {};
  // Opened first: what cannot be written is said before the work, and a failed run never commits.
  const bool shows = !io::is_stdout(options_.output) || !report_files_.on_stdout();
  auto sink = shows ? io::open_sink(options_.output) : nullptr;
  const Input input = load(file);
  const Work work = plan_work(options_, input.array.dtype, input.array.shape);
  const bool text = writes_text(work);
  const io::Format format = output_format(options_.to, options_.output, input.format);
  // Of several kernels that are right, one value is the value; of their arrays none is the output.
  const bool writes = sink && (text || !several_);
  if (!several_ && !text) {
    if (options_.files.size() > 1)
      throw UsageError(
          "the result is an array of shape " + to_string(work.result_shape) + "; of several FILEs each gives one value",
          "name one FILE at a time for arrays, or leave --axis and --keepdims out");
    if (!sink) throw report_files_.array_on_stdout();
    if (!sink->is_terminal() || format == io::Format::csv)
      io::check_writable(work.main.output_dtype(), work.result_shape, format);
  }
  if (!device_) open(machine_by_size(options_.family, input.array.bytes(), options_.console));
  Run run = describe(file, input, work);
  const bool right = run_kernels(run, work, input);
  show(run, file, right);
  const bool has_values = !report_files_.empty() && reports_values(options_.family, work.result_shape);
  HostArray result{work.main.output_dtype(), work.result_shape, nullptr};
  if (right && (writes || has_values)) result.data = execution_->result();
  if (right) run.result = result_of(result, has_values);
  if (right && writes) {
    write(*sink, file, result, text, format, output_delimiter(options_.read.delimiter, options_.output, input.format));
    if (const std::string warning = unknown_extension(options_.to, options_.output, format); !text && !warning.empty())
      console_.warn(warning);
    output_ = std::move(sink);
  }
  if (options_.time) {
    run.stages = stages(run, input.mapped);
    console_.aside(stages_text(run));
  }
  report_.runs.push_back(std::move(run));
  return right ? 0 : 1;
}

}  // namespace

int run_command(const RunOptions& options, const std::vector<std::string>& args) {
  for (const auto& file : options.files)
    if (reads_terminal(file)) {
      print_help(help_text(std::string(name_of(options.family))));
      return 2;
    }
  return Runner(options, args).run();
}

}  // namespace rung::cli
