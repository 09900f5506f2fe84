#include "../diff/report.hpp"
#include "../diff/widen.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "reports.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace rung::cli {
namespace {

bool is_relative(const Tolerance& t) { return t.rtol || t.atol; }

/// Whether elements are compared: of one type, or under --rtol or --atol of types that one can hold. A distance in ulp
/// would be that of a type which neither is of.
bool alike(const HostArray& a, const HostArray& b, const Tolerance& t) {
  if (a.shape != b.shape) return false;
  return a.dtype == b.dtype || (is_relative(t) && t.max_ulp == 0 && widen_to_one_type(a.dtype, b.dtype));
}

/// What was read, and of which format each was.
struct Pair {
  std::array<HostArray, 2> arrays;
  std::array<io::Format, 2> formats;
};

/// One of the two, in two steps: dtype and shape, which may settle it, then its data.
class Reader {
 public:
  Reader(const std::string& name, const Console& console, const io::Interrupt* interrupt = nullptr)
      : source_(io::open_source(name, interrupt)), warn_(console.warner()) {}

  io::Source& source() { return *source_; }

  /// The array, of which the data may be missing: where a header says what it is, nothing more is read.
  HostArray begin(const io::ReadOptions& options, const io::Progress& progress) {
    options_ = options;
    header_ = io::read_header(*source_, options_, warn_);
    if (header_) return {header_->dtype, header_->shape, nullptr};
    return io::read_data(*source_, header_, options_, warn_, progress);
  }

  void end(HostArray& array, const io::Progress& progress) {
    if (header_) array = io::read_data(*source_, header_, options_, warn_, progress);
  }

  /// Until its writer has no more, or an interrupt. That it cannot be read takes nothing from the array.
  void discard_rest() {
    std::vector<std::byte> scratch(std::size_t{64} << 10);
    try {
      while (source_->read(scratch) == scratch.size()) {
      }
    } catch (const FileError&) {
    }
  }

 private:
  std::unique_ptr<io::Source> source_;
  io::Warn warn_;
  io::ReadOptions options_;
  std::optional<io::Header> header_;
};

Pair read_in_turn(const DiffOptions& o, const Console& console) {
  Reader reader_a(o.a, console), reader_b(o.b, console);
  const auto [options_a, options_b] = io::options_for_each(reader_a.source(), reader_b.source(), o.read);
  const io::Progress progress_a = console.progress("reading " + shown_name(o.a)),
                     progress_b = console.progress("reading " + shown_name(o.b));
  HostArray a = reader_a.begin(options_a, progress_a), b = reader_b.begin(options_b, progress_b);
  if (alike(a, b, o.tolerance)) {
    reader_a.end(a, progress_a);
    reader_b.end(b, progress_b);
  }
  return {{std::move(a), std::move(b)}, {*options_a.from, *options_b.from}};
}

/// One progress line for two readers: the bytes of both.
class SharedProgress {
 public:
  explicit SharedProgress(io::Progress line) : line_(std::move(line)) {}
  io::Progress of(std::size_t reader) {
    if (!line_) return {};
    return [this, reader](std::uint64_t done, std::uint64_t) {
      const std::lock_guard lock(mutex_);
      done_[reader] = std::max(done_[reader], done);
      line_(done_[0] + done_[1], 0);
    };
  }

 private:
  io::Progress line_;
  std::mutex mutex_;
  std::array<std::uint64_t, 2> done_{};
};

/// Pipes may have one writer for both, which fills them in any order: it would wait for whichever is not being read.
/// So neither reader waits for the other, not even for its format, and one that has its array takes what else comes
/// until the other has its own. Where one fails, or their headers differ, neither need end.
class TwoReaders {
 public:
  TwoReaders(const DiffOptions& o, const Console& console)
      : o_(o),
        console_(console),
        progress_(console.progress("reading " + shown_name(o.a) + " and " + shown_name(o.b))) {}

  Pair run() {
    std::thread other;
    try {
      other = std::thread([this] { read_one(1); });
    } catch (const std::system_error&) {
      throw FileError("cannot start a thread for the second pipe", "is there a limit: ulimit -u, or -v?");
    }
    read_one(0);
    other.join();
    for (const auto& error : errors_)
      if (error && !differ_) std::rethrow_exception(error);
    io::check_options_of_both(read_[0], read_[1], o_.read);
    return {std::move(arrays_), {read_[0].format, read_[1].format}};
  }

 private:
  void read_one(std::size_t k) {
    try {
      Reader reader(read_[k].name, console_, &interrupt_);
      const io::Progress progress = progress_.of(k);
      const auto [format, options] = io::options_beside_another(reader.source(), o_.read);
      has_no_header(k, format == io::Format::csv || (format == io::Format::raw && !options.shape));
      arrays_[k] = reader.begin(options, progress);
      read_[k].format = format;
      read_[k].dtype = arrays_[k].dtype;
      if (differs(k)) return;
      reader.end(arrays_[k], progress);
      if (!is_last()) reader.discard_rest();
    } catch (const io::Interrupted&) {
    } catch (...) {
      errors_[k] = std::current_exception();
      const std::lock_guard lock(mutex_);
      failed_[k] = true;
      if (!known_[k] || known_[1 - k] || failed_[1 - k] || headless_[1 - k]) interrupt_.raise();
    }
  }

  /// The shape of such an array is known at its end alone, which may never come: an error does not wait for that.
  void has_no_header(std::size_t k, bool headless) {
    const std::lock_guard lock(mutex_);
    headless_[k] = headless;
    if (headless && failed_[1 - k]) interrupt_.raise();
  }

  /// To be asked when dtype and shape are known. Data that fails waits for this of the other: headers that differ go
  /// first, as they do when the two are read in turn.
  bool differs(std::size_t k) {
    const std::lock_guard lock(mutex_);
    known_[k] = HostArray{arrays_[k].dtype, arrays_[k].shape, nullptr};
    differ_ = known_[0] && known_[1] && !alike(*known_[0], *known_[1], o_.tolerance);
    if (differ_ || failed_[1 - k]) interrupt_.raise();
    return differ_;
  }

  bool is_last() {
    const std::lock_guard lock(mutex_);
    if (++whole_ == 2) interrupt_.raise();
    return whole_ == 2;
  }

  const DiffOptions& o_;
  const Console& console_;
  const io::Interrupt interrupt_;
  SharedProgress progress_;
  std::array<HostArray, 2> arrays_;
  std::array<io::Read, 2> read_{{{o_.a}, {o_.b}}};
  std::array<std::exception_ptr, 2> errors_;
  std::mutex mutex_;
  std::array<std::optional<HostArray>, 2> known_;  ///< without data, which its reader writes
  std::array<bool, 2> failed_{}, headless_{};
  bool differ_ = false;
  std::size_t whole_ = 0;
};

/// A CSV file does not say of which type its numbers are. Empty where they cannot be of the other's, and where the
/// shape differs anyway.
std::string hint_of_dtype(const DiffOptions& o, const Pair& read) {
  for (const std::size_t k : {0, 1}) {
    const DType other = read.arrays[1 - k].dtype;
    if (read.formats[k] != io::Format::csv || read.formats[1 - k] == io::Format::csv) continue;
    if (info(other).kind == Kind::complex) continue;
    return "hint: --dtype " + std::string(name_of(other)) + " reads " + printable(shown_name(k == 0 ? o.a : o.b)) +
           " as " + std::string(name_of(other)) + ", too\n";
  }
  return {};
}

/// Bytes do not say of which shape they are.
std::string hint_of_shape(const DiffOptions& o, const Pair& read) {
  for (const std::size_t k : {0, 1})
    if (read.formats[k] == io::Format::raw && read.formats[1 - k] != io::Format::raw && !o.read.shape)
      return "hint: --shape " + to_string(read.arrays[1 - k].shape) + " reads " +
             printable(shown_name(k == 0 ? o.a : o.b)) + " in that shape, too\n";
  return {};
}

/// How arrays that are not compared could be. Empty where it is not known.
std::string hint_for(const DiffOptions& o, const Pair& read) {
  const auto& [a, b] = read.arrays;
  if (alike(a, b, o.tolerance)) return {};
  if (a.dtype == b.dtype && a.size() == b.size()) return hint_of_shape(o, read);
  if (a.shape != b.shape) return {};
  const std::string hint = hint_of_dtype(o, read);
  if (!hint.empty() || !widen_to_one_type(a.dtype, b.dtype)) return hint;
  return o.tolerance.max_ulp == 0 ? "hint: --rtol and --atol compare " + std::string(name_of(a.dtype)) + " with " +
                                        std::string(name_of(b.dtype)) + "\n"
                                  : "hint: without --max-ulp, --rtol and --atol compare " +
                                        std::string(name_of(a.dtype)) + " with " + std::string(name_of(b.dtype)) + "\n";
}

class Diff {
 public:
  Diff(const DiffOptions& options, const std::vector<std::string>& args) : o_(options), console_(options.console) {
    const std::array<ReportWish<DiffReport>, 1> wishes{{{"--json", o_.json, diff_json}}};
    TakenFiles taken;
    if (!o_.json.empty()) {
      for (const auto& file : {o_.a, o_.b}) taken.add_input(file);
      if (!o_.console.quiet && !asks_for_stdout(wishes)) taken.add_output("-", true);
    }
    files_ = open_reports(taken, wishes);
    on_stdout_ = !taken.report_on_stdout().empty();
    if (!files_.empty()) report_.environment = read_environment(args);
  }

  int run() {
    Pair read =
        io::is_stream(o_.a) && io::is_stream(o_.b) ? TwoReaders(o_, console_).run() : read_in_turn(o_, console_);
    auto& [a, b] = read.arrays;
    report_.a = {o_.a, a.dtype, a.shape};
    report_.b = {o_.b, b.dtype, b.shape};
    report_.tolerance = o_.tolerance;
    const std::string hint = hint_for(o_, read);
    const std::string compared = std::string(name_of(a.dtype)) + " " + to_string(a.shape);
    if (alike(a, b, o_.tolerance)) {
      if (a.dtype != b.dtype)
        for (HostArray& array : read.arrays) array = widened(std::move(array));
      report_.found = compare_arrays(a, b, o_.tolerance);
    }
    say(diff_text(report_));
    if (!hint.empty()) console_.aside(hint);
    write_reports_each(files_, report_);
    if (!report_.equal()) return 1;
    console_.detail("no difference in " + compared);
    return 0;
  }

 private:
  void say(const std::string& text) const {
    if (on_stdout_)
      console_.aside(text);
    else if (!o_.console.quiet && !text.empty())
      tell_stdout(text);
  }

  const DiffOptions& o_;
  Console console_;
  Prints<DiffReport> files_;
  bool on_stdout_ = false;
  DiffReport report_;
};

}  // namespace

int diff_command(const DiffOptions& o, const std::vector<std::string>& args) {
  for (const auto& file : {o.a, o.b})
    if (reads_terminal(file)) {
      print_help(help_text("diff"));
      return 2;
    }
  if (TakenFiles::same_pipe(o.a, o.b))
    throw UsageError("diff: A and B are the same pipe", "each would take a part of what comes out of it");
  return Diff(o, args).run();
}

}  // namespace rung::cli
