#include "../../reference/compare.hpp"
#include "../report/report.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "taken.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace rung::cli {
namespace {

std::string what(const HostArray& array) { return std::string(name_of(array.dtype)) + " " + to_string(array.shape); }

/// "[2,0]": the index of element `flat`, in the array's own dimensions.
std::string index_text(std::size_t flat, const Shape& shape) {
  std::vector<std::string> parts(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; flat /= shape[k]) parts[k] = std::to_string(flat % shape[k]);
  return "[" + join(parts, ",") + "]";
}

std::string differences(const Comparison& found, DType dtype, const Shape& shape, std::size_t count) {
  std::string text = std::to_string(found.mismatches) + " of " + std::to_string(count) +
                     (count == 1 ? " element differs\n" : " elements differ\n");
  for (const Mismatch& m : found.first) {
    text += "  " + index_text(m.index, shape) + " " + m.got + " and " + m.want;
    if (m.ulp == 0)
      text += " (sign of zero)";
    else if (m.ulp == m.ulp && !is_integer(dtype))
      text += " (" + significant(m.ulp, 6) + " ulp)";
    text += '\n';
  }
  return text;
}

std::array<HostArray, 2> read_in_turn(const DiffOptions& o, const Console& console) {
  const auto source_a = io::open_source(o.a), source_b = io::open_source(o.b);
  const auto [options_a, options_b] = io::options_for_each(*source_a, *source_b, o.read);
  HostArray a = io::read_array(*source_a, options_a, console.warner(), console.progress("reading " + o.a));
  HostArray b = io::read_array(*source_b, options_b, console.warner(), console.progress("reading " + o.b));
  return {std::move(a), std::move(b)};
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
/// So neither reader waits for the other, not even for its format. Where one fails, the other need not end.
std::array<HostArray, 2> read_together(const DiffOptions& o, const Console& console) {
  const io::Interrupt interrupt;
  SharedProgress progress(console.progress("reading " + o.a + " and " + o.b));
  std::array<HostArray, 2> arrays;
  std::array<io::Read, 2> read{{{o.a}, {o.b}}};
  std::array<std::exception_ptr, 2> errors;
  const auto read_one = [&](std::size_t k) {
    try {
      const auto source = io::open_source(read[k].name, &interrupt);
      const auto [format, options] = io::options_beside_another(*source, o.read);
      arrays[k] = io::read_array(*source, options, console.warner(), progress.of(k));
      read[k].format = format;
      read[k].dtype = arrays[k].dtype;
    } catch (const io::Interrupted&) {
    } catch (...) {
      errors[k] = std::current_exception();
      interrupt.raise();
    }
  };
  std::thread other;
  try {
    other = std::thread(read_one, 1);
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("diff: no thread for the second pipe: ") + error.what());
  }
  read_one(0);
  other.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
  io::check_options_of_both(read[0], read[1], o.read);
  return arrays;
}

}  // namespace

int diff_command(const DiffOptions& o) {
  const Console console(o.console);
  for (const auto& file : {o.a, o.b})
    if (reads_terminal(file)) {
      print_help(help_text("diff"));
      return 2;
    }
  if (TakenFiles::same_pipe(o.a, o.b))
    throw UsageError("diff: A and B are the same pipe", "each would take a part of what comes out of it");
  const auto [a, b] = io::is_stream(o.a) && io::is_stream(o.b) ? read_together(o, console) : read_in_turn(o, console);
  const auto say = [&](const std::string& text) {
    if (!o.console.quiet) tell_stdout(text);
    return 1;
  };
  if (a.dtype != b.dtype || a.shape != b.shape)
    return say(printable(o.a) + " is " + what(a) + ", " + printable(o.b) + " is " + what(b) + "\n");
  const Comparison found = compare_arrays(a, b, o.max_ulp);
  if (found.verdict != Verdict::pass) return say(differences(found, a.dtype, a.shape, a.size()));
  console.detail("no difference in " + what(a));
  return 0;
}

}  // namespace rung::cli
