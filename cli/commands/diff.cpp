#include "../../reference/compare.hpp"
#include "../report/report.hpp"
#include "../text.hpp"
#include "commands.hpp"
#include "taken.hpp"

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
  const auto source_a = io::open_source(o.a), source_b = io::open_source(o.b);
  const auto [options_a, options_b] = io::options_for_each(*source_a, *source_b, o.read);
  const HostArray a = io::read_array(*source_a, options_a, console.warner(), console.progress("reading " + o.a));
  const HostArray b = io::read_array(*source_b, options_b, console.warner(), console.progress("reading " + o.b));
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
