// bench --end-to-end: this executable again, as a process that reads a file and writes the result, for the device asked
// for and for the cpu in turn.
#include "../../kernels/error.hpp"
#include "../../kernels/registry.hpp"
#include "../bench/data.hpp"
#include "../bench/end_to_end.hpp"
#include "../bench/process.hpp"
#include "../bench/warnings.hpp"
#include "../text.hpp"
#include "bench_session.hpp"
#include "generate.hpp"
#include "output.hpp"
#include "select.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace rung::cli {
namespace {

constexpr const char* this_program = "/proc/self/exe";

/// The file that is read, how, and what reports call it.
struct InputFile {
  std::string path, name;
  io::ReadOptions read;
};

class EndToEnd {
 public:
  EndToEnd(const BenchOptions& options, const std::vector<std::string>& args)
      : options_(options), session_(options, args), specs_(expand(options)), device_(options.run.device) {}

  int run() {
    check_kernel_names(options_.run.family, options_.run.kernels);
    choose_device();
    if (!options_.run.files.empty()) take_file(options_.run.files[0]);
    return session_.run(specs_, [this](const BenchSpec& spec) { return measure(spec); });
  }

 private:
  void choose_device();
  void take_file(const std::string& path);
  void check_unchanged() const;
  void make_file(const BenchSpec& spec);
  BenchPoint measure(const BenchSpec& spec);
  BenchPoint measure_file(const BenchSpec& spec);
  BenchPoint check_device(const RunOptions& asked, const std::string& output);
  BenchPoint checked(RunOptions run);
  std::vector<ProcessSubject> subjects_of(const RunOptions& asked, const std::vector<BenchRow>& rows);
  void verify(std::vector<ProcessSubject>& subjects, const RunOptions& asked, BenchPoint& point);
  double time(const RunOptions& run);
  RunOptions cpu_run(const RunOptions& asked, const std::string& output) const;

  bool several() const { return asks_for_several(options_.run.kernels); }
  bool moves() const { return options_.run.family != Family::reduce; }
  /// Where a timed run's result goes: the few bytes of a reduction to /dev/null.
  std::string output() { return moves() ? scratch_.file("output") : "-"; }
  std::string wanted() { return scratch_.file("wanted"); }

  const BenchOptions& options_;
  BenchSession session_;
  std::vector<BenchSpec> specs_;
  ScratchFolder scratch_;
  InputFile input_;
  std::optional<FileVersion> version_;  ///< of the user's file, at first
  std::string made_;                    ///< shape and type of made input
  DeviceWish device_;
  bool may_fall_back_ = false;  ///< auto: no GPU is no error
  bool warned_ = false;
};

/// A GPU is asked for by the processes alone: this one would hold the driver open, which takes its start off their
/// times where nothing else does.
void EndToEnd::choose_device() {
  const auto& names = options_.run.kernels;
  if (device_.machine) return;
  const bool groups = only_groups(names);
  const bool of_cpu = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return only_groups({name}) || find_kernel(options_.run.family, Machine::cpu, name) != nullptr;
  });
  device_.machine = of_cpu && !groups ? Machine::cpu : Machine::gpu;
  may_fall_back_ = groups;
}

void EndToEnd::take_file(const std::string& path) {
  const bool stays = path != "-" && !path.starts_with("/dev/") && !path.starts_with("/proc/");
  std::error_code ignored;
  if (!stays || (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)))
    throw UsageError("--end-to-end reads its input again and again, which " + cli::quoted(path) + " does not stand",
                     "name a regular file");
  io::check_options(options_.run.read);
  input_ = {path, path, options_.run.read};
  version_ = file_version(path);
}

void EndToEnd::check_unchanged() const {
  if (options_.run.files.empty() || file_version(input_.path) == version_) return;
  throw FileError(input_.path + ": changed while it was measured", "there are no figures of it: measure again");
}

/// Made input, once for the points that share it.
void EndToEnd::make_file(const BenchSpec& spec) {
  if (!options_.run.files.empty()) return;
  // npy has no name for bf16.
  const bool raw = spec.dtype == DType::bf16;
  io::ReadOptions read;
  if (raw) read = {.from = io::Format::raw, .dtype = spec.dtype, .shape = spec.shape};
  const std::string key = to_string(spec.shape) + " " + std::string(name_of(spec.dtype));
  if (key == made_) return;
  std::error_code ignored;
  if (!made_.empty()) std::filesystem::remove(input_.path, ignored);
  made_ = key;
  const std::string path = scratch_.file(raw ? "input.raw" : "input.npy");
  constexpr std::size_t worth_a_word = std::size_t{1} << 30;
  if (const std::size_t bytes = byte_count(spec.shape, spec.dtype); bytes > worth_a_word)
    session_.console().warn("made input: " + bytes_text(bytes) + " in " + path + " until the end");
  const HostArray array = generate(spec.shape, spec.dtype, options_.distribution, options_.seed);
  const auto sink = io::open_sink(path);
  write_result(*sink, array, raw ? io::Format::raw : io::Format::npy, ',',
               session_.console().progress("writing " + path));
  sink->commit();
  input_ = {path, made_name(options_.distribution, options_.seed), read};
}

/// The report of a run with --check. A wrong kernel is in it; all else that goes wrong is thrown.
BenchPoint EndToEnd::checked(RunOptions run) {
  run.check = true;
  run.json = scratch_.file("check.json");
  const auto words = words_of(run);
  session_.console().detail("checking: rung " + join(words, " "));
  const Finished finished = run_process(this_program, words);
  if (finished.signal != 0 || finished.status > 1) throw_failure(finished, words);
  std::ifstream file(run.json, std::ios::binary);
  return read_check_json({std::istreambuf_iterator<char>(file), {}}, run.json);
}

BenchPoint EndToEnd::check_device(const RunOptions& asked, const std::string& output) {
  const auto run = [&] {
    return checked(process_run(asked, asked.kernels, device_, input_.read, input_.path, output));
  };
  if (!may_fall_back_) return run();
  may_fall_back_ = false;
  try {
    return run();
  } catch (const DeviceError& error) {
    if (!std::string_view(error.what()).starts_with("no GPU")) throw;
    session_.console().warn(std::string("the cpu alone: ") + error.what());
  }
  device_ = {Machine::cpu, 0};
  return run();
}

RunOptions EndToEnd::cpu_run(const RunOptions& asked, const std::string& output) const {
  RunOptions run = process_run(asked, {"best"}, {Machine::cpu, 0}, input_.read, input_.path, output);
  run.launch = {};
  return run;
}

/// A command line for each kernel that was not skipped, and one for the cpu, unless it is the only one's.
std::vector<ProcessSubject> EndToEnd::subjects_of(const RunOptions& asked, const std::vector<BenchRow>& rows) {
  std::vector<ProcessSubject> subjects;
  const std::string output = this->output();
  for (const BenchRow& row : rows) {
    if (row.verdict == RowVerdict::skipped) continue;
    const std::string kernel = several() ? row.name : asked.kernels.front();
    subjects.push_back({row, process_run(asked, {kernel}, device_, input_.read, input_.path, output)});
  }
  const bool is_the_cpu = *device_.machine == Machine::cpu && !several() && asked.kernels.front() == "best";
  if (!options_.references || is_the_cpu || *device_.machine == Machine::sim) return subjects;
  BenchRow cpu;
  cpu.role = Role::reference;
  cpu.name = "rung " + std::string(name_of(asked.family)) + " -d cpu";
  cpu.column = "cpu";
  subjects.push_back({cpu, cpu_run(asked, output)});
  return subjects;
}

double EndToEnd::time(const RunOptions& run) {
  std::error_code ignored;
  // Freed here and not while a run replaces it.
  if (moves()) std::filesystem::remove(run.output, ignored);
  const auto words = words_of(run);
  const Finished finished = run_process(this_program, words);
  if (finished.signal != 0 || finished.status != 0) throw_failure(finished, words);
  if (!warned_) session_.console().aside(finished.errors);
  warned_ = true;
  return finished.seconds;
}

/// The cpu's check, and a run of each as it is timed: it leaves the input in the page cache, and what it writes is what
/// a checked run wrote, byte for byte.
void EndToEnd::verify(std::vector<ProcessSubject>& subjects, const RunOptions& asked, BenchPoint& point) {
  const bool has_cpu = !subjects.empty() && subjects.back().row.role == Role::reference;
  if (has_cpu || (several() && moves())) {
    const BenchPoint cpu = checked(cpu_run(asked, several() && moves() ? wanted() : "-"));
    if (has_cpu && !cpu.rows.empty()) {
      BenchRow& row = subjects.back().row;
      row.verdict = cpu.rows.front().verdict;
      row.mismatches = cpu.rows.front().mismatches;
      row.first = cpu.rows.front().first;
      row.launch = cpu.rows.front().launch;
      row.note = cpu.rows.front().name;
      row.version = cpu.device;
    }
  }
  std::error_code ignored;
  // A check that failed wrote none.
  const bool comparable = moves() && std::filesystem::exists(wanted(), ignored);
  for (ProcessSubject& subject : subjects) {
    if (subject.row.verdict == RowVerdict::fail) continue;
    time(subject.run);
    if (!comparable || same_bytes(subject.run.output, wanted())) continue;
    subject.row.verdict = RowVerdict::fail;
    subject.row.note = "the file that it wrote is not what the checked run wrote";
  }
  std::filesystem::remove(wanted(), ignored);
  point.file->cached = cached_share(input_.path);
}

/// Figures of a file that became another meanwhile are of neither. What its change did to a process is no news then.
BenchPoint EndToEnd::measure(const BenchSpec& spec) {
  make_file(spec);
  try {
    BenchPoint point = measure_file(spec);
    check_unchanged();
    return point;
  } catch (const Error&) {
    check_unchanged();
    throw;
  }
}

BenchPoint EndToEnd::measure_file(const BenchSpec& spec) {
  const auto format = io::detect_format(*io::open_source(input_.path), input_.read);
  const RunOptions& asked = spec.run;
  const std::string first_output = moves() && !several() ? wanted() : "-";
  BenchPoint point = check_device(asked, first_output);
  std::vector<BenchRow> rows = std::move(point.rows);
  point.input = input_.name;
  point.launch = asked.launch;
  point.precision = options_.precision;
  point.file = FileInput{std::string(io::name_of(format)), 0};
  point.logical_bytes = static_cast<double>(std::filesystem::file_size(input_.path));
  auto subjects = subjects_of(asked, rows);
  verify(subjects, asked, point);
  StopRule rule = stop_rule(options_);
  if (point.machine == Machine::sim) rule.least = rule.most = 3;
  time_processes(point, subjects, rule, [this](const RunOptions& run) { return time(run); });
  const BenchPoint again = check_device(asked, first_output);
  for (ProcessSubject& subject : subjects)
    for (const BenchRow& row : again.rows)
      if (subject.row.role == Role::kernel && row.name == subject.row.name && row.verdict == RowVerdict::fail) {
        subject.row.verdict = row.verdict;
        subject.row.note = "right at first, wrong after the timed runs";
      }
  verify(subjects, asked, point);
  for (ProcessSubject& subject : subjects) {
    BenchRow& row = subject.row;
    if (row.verdict == RowVerdict::fail) {
      row.seconds.reset();
      row.speedups.clear();
      row.previous.reset();
    }
    point.rows.push_back(std::move(row));
  }
  for (const BenchRow& row : rows)
    if (row.verdict == RowVerdict::skipped) point.rows.push_back(row);
  warn_of_samples(point, rule.least);
  warn_of_build(point);
  return point;
}

}  // namespace

int end_to_end_command(const BenchOptions& options, const std::vector<std::string>& args) {
  return EndToEnd(options, args).run();
}

}  // namespace rung::cli
