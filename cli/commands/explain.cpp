// explain: run kernels on the simulator with a recorder attached, and say what their accesses cost.
#include "../../kernels/error.hpp"
#include "../../kernels/machine/device.hpp"
#include "../../kernels/registry.hpp"
#include "../bench/data.hpp"
#include "../explain/cost.hpp"
#include "../explain/record.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "generate.hpp"
#include "reports.hpp"
#include "select.hpp"
#include "standard_input.hpp"
#include "work.hpp"

#include <unistd.h>

#include <memory>

namespace rung::cli {
namespace {

void check_names(const RunOptions& o) {
  check_kernel_names(o.family, o.kernels, Machine::sim);
  for (const auto& name : o.kernels)
    if (!only_groups({name}) && !find_kernel(o.family, Machine::sim, name))
      throw UsageError("kernel " + name + " does not run on sim: it has no warps to explain",
                       "rung list kernels " + std::string(name_of(o.family)) + " says which do");
}

class Explain {
 public:
  Explain(const ExplainOptions& options, const std::vector<std::string>& args)
      : options_(options), console_(options.run.console) {
    const RunOptions& o = options.run;
    const std::array<ReportWish<ExplainReport>, 3> wishes{{{"--json", o.json, explain_json},
                                                           {"--csv", o.csv, explain_csv},
                                                           {"--markdown", o.markdown, explain_markdown}}};
    check_names(o);
    TakenFiles taken;
    for (const std::string& file : o.files) taken.add_input(file);
    if (!o.console.quiet && !asks_for_stdout(wishes)) taken.add_output("-", true);
    files_ = open_reports(taken, wishes);
    on_stdout_ = !taken.report_on_stdout().empty();
    report_.environment = read_environment(args);
  }

  int run();

 private:
  HostArray read_or_form();
  Work plan(const HostArray& input) const;
  void warn_of_cost(const Problem& p, const Selection& selection) const;
  void explain_kernels(const Problem& p, const Selection& selection, const HostArray& input, Device& device);
  int conclude();

  const ExplainOptions& options_;
  Console console_;
  Prints<ExplainReport> files_;
  bool on_stdout_ = false;
  ExplainReport report_;
};

/// Without a FILE, dtype and shape alone: what it takes is said before an array is made that may fill the memory.
HostArray Explain::read_or_form() {
  const RunOptions& o = options_.run;
  if (!o.files.empty())
    return io::read_array(o.files[0], o.read, console_.warner(),
                          console_.progress("reading " + shown_name(o.files[0])));
  constexpr std::size_t count = std::size_t{1} << 14, side = 128;
  const Shape shape = o.read.shape ? *o.read.shape : o.family == Family::transpose ? Shape{side, side} : Shape{count};
  HostArray form;
  form.dtype = o.read.dtype.value_or(DType::f32);
  form.shape = shape;
  return form;
}

Work Explain::plan(const HostArray& input) const {
  const RunOptions& o = options_.run;
  if (o.family == Family::transpose && input.shape.size() < 2)
    throw UsageError("the transpose of " + to_string(input.shape) + " is a copy: there is nothing to explain",
                     "a matrix has two dimensions: --shape RxC");
  Work work = plan_work(o, input.dtype, input.shape);
  if (work.gather) throw UsageError("the axes to reduce lie apart, which takes two kernels", "explain them one by one");
  if (work.main.input_elements() == 0 || work.main.output_elements() == 0)
    throw UsageError("there is nothing to explain in an array of no elements");
  return work;
}

void Explain::warn_of_cost(const Problem& p, const Selection& selection) const {
  const std::string cost =
      cost_warning({p.input_elements(), p.input_bytes() + p.output_bytes(), selection.run.size(), physical_memory()});
  if (!cost.empty()) console_.warn(cost);
}

void Explain::explain_kernels(const Problem& p, const Selection& selection, const HostArray& input, Device& device) {
  const io::Progress progress = console_.progress("simulating");
  // Of each kernel; percents of all of them are what is shown.
  constexpr std::uint64_t steps = 10000;
  const DeviceBuffer in(device, p.input_bytes()), out(device, p.output_bytes());
  device.upload(in.get(), input.data.get(), p.input_bytes());
  for (const Selected& selected : selection.run) {
    const DeviceBuffer workspace(device, selected.plan.workspace);
    const Share share = [&, before = report_.rows.size()](double part) {
      if (progress) progress(steps * before + static_cast<std::uint64_t>(steps * part), steps * selection.run.size());
    };
    report_.rows.push_back(record(*selected.kernel, p, options_.run.launch, device.properties(),
                                  {in.get(), out.get(), workspace.get()}, share));
  }
  for (const Skipped& skipped : selection.skipped) {
    ExplainRow row;
    row.name = skipped.name;
    row.why = skipped.reason;
    report_.rows.push_back(std::move(row));
  }
}

int Explain::run() {
  const RunOptions& o = options_.run;
  UnreadInput unread(o, console_);
  unread.look();
  HostArray input = read_or_form();
  const Work work = plan(input);
  report_.input = o.files.empty() ? made_name(options_.distribution, options_.seed) : o.files[0];
  report_.family = o.family;
  report_.operation = work.operation;
  report_.dtype = input.dtype;
  report_.shape = input.shape;
  if (o.family == Family::reduce) report_.acc = o.acc;
  const auto device = open_device(Machine::sim);
  const Selection selection = select_kernels(work.main, o.kernels, Machine::sim, o.launch, device->properties());
  warn_of_cost(work.main, selection);
  if (o.files.empty()) input = generate(input.shape, input.dtype, options_.distribution, options_.seed);
  explain_kernels(work.main, selection, input, *device);
  unread.look();
  return conclude();
}

/// A reader who has seen enough of the text does not keep the reports from being whole.
int Explain::conclude() {
  const auto faulty = faulty_kernels(report_);
  const bool color = console_.color(on_stdout_ ? STDERR_FILENO : STDOUT_FILENO);
  bool reader_gone = false;
  if (!options_.run.console.quiet) {
    const std::string text = explain_text(report_, color, options_.run.console.verbose);
    if (on_stdout_) {
      console_.aside(text);
    } else {
      try {
        write_stdout(text);
      } catch (const io::Closed&) {
        reader_gone = true;
      }
    }
  }
  write_reports_each(files_, report_);
  if (!faulty.empty()) {
    console_.error("faults in kernels: " + join(faulty, ", "));
    return 1;
  }
  if (reader_gone) throw io::Closed{};
  return 0;
}

}  // namespace

int explain_command(const ExplainOptions& options, const std::vector<std::string>& args) {
  if (!options.run.files.empty() && reads_terminal(options.run.files[0])) {
    print_help(help_text("explain"));
    return 2;
  }
  return Explain(options, args).run();
}

}  // namespace rung::cli
