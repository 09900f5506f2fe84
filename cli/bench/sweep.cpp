#include "sweep.hpp"

#include "../../kernels/error.hpp"
#include "../names.hpp"
#include "../text.hpp"
#include "../values.hpp"

#include <algorithm>
#include <functional>

namespace rung::cli {
namespace {

constexpr std::size_t most_points = 100'000;

/// An axis: how a value changes a point. The order of this table is the nesting, outermost first.
struct AxisRule {
  std::string name;
  std::function<void(BenchSpec&, const std::string&)> set;
};

const std::vector<AxisRule>& rules() {
  static const std::vector<AxisRule> table{
      {"dtype", [](BenchSpec& s, const std::string& v) { s.dtype = parse_dtype_name(v); }},
      {"shape", [](BenchSpec& s, const std::string& v) { s.shape = parse_shape("-a shape", v); }},
      {"n", [](BenchSpec& s, const std::string& v) { s.shape = parse_shape("-a n", v); }},
      {"op", [](BenchSpec& s,
                const std::string& v) { s.run.op = static_cast<Op>(choose("operation", v, strings(op_names))); }},
      {"axis", [](BenchSpec& s, const std::string& v) { s.run.axes = parse_axes("-a axis", v); }},
      {"acc", [](BenchSpec& s,
                 const std::string& v) { s.run.acc = static_cast<Acc>(choose("accumulator", v, strings(acc_names))); }},
      {"mode",
       [](BenchSpec& s, const std::string& v) { s.mode = static_cast<Mode>(choose("mode", v, strings(mode_names))); }},
      {"block", [](BenchSpec& s, const std::string& v) { s.run.launch.block = parse_launch("-a block", v); }},
      {"grid", [](BenchSpec& s, const std::string& v) { s.run.launch.grid = parse_launch("-a grid", v); }},
      {"items", [](BenchSpec& s, const std::string& v) { s.run.launch.items = parse_launch("-a items", v); }}};
  return table;
}

bool counts(const std::string& axis) { return axis == "n" || axis == "block" || axis == "grid" || axis == "items"; }

/// "2^28+1": a count, and one added or taken away.
std::size_t parse_sum(const std::string& option, const std::string& text) {
  const std::size_t sign = text.find_first_of("+-", 1);
  const std::uint64_t first = parse_count(option, text.substr(0, sign));
  if (sign == std::string::npos) return first;
  if (sign + 1 == text.size()) throw UsageError(option + " " + quoted(text) + ": nothing follows the sign");
  const std::uint64_t second = parse_count(option, text.substr(sign + 1));
  std::uint64_t total = 0;
  const bool wraps =
      text[sign] == '+' ? __builtin_add_overflow(first, second, &total) : __builtin_sub_overflow(first, second, &total);
  if (wraps) throw UsageError(option + " " + quoted(text) + ": not a count of 64 bits");
  return total;
}

std::vector<std::size_t> parse_range(const std::string& option, const std::string& text) {
  const auto parts = split(text, ':');
  const std::string& step = parts.back();
  const bool times = step.starts_with("x");
  const bool whole = parts.size() == 3 && !parts[0].empty() && !parts[1].empty() && step.size() > 1;
  if (!whole || !(times || step.starts_with("+")))
    throw UsageError(option + " " + quoted(text) + ": not a range",
                     "from:to:xFACTOR or from:to:+STEP, as in 2^10:2^30:x4");
  const std::size_t from = parse_sum(option, parts[0]), to = parse_sum(option, parts[1]);
  const std::uint64_t by = parse_count(option, step.substr(1));
  if (by < (times ? 2u : 1u) || (times && from == 0) || from > to)
    throw UsageError(option + " " + quoted(text) + ": a range that does not grow");
  std::vector<std::size_t> values;
  for (std::uint64_t v = from; v <= to;) {
    values.push_back(v);
    if (values.size() > most_points) throw UsageError(option + " " + quoted(text) + ": too many values");
    if (times ? __builtin_mul_overflow(v, by, &v) : __builtin_add_overflow(v, by, &v)) break;
  }
  return values;
}

}  // namespace

std::vector<std::size_t> parse_counts(const std::string& option, const std::string& text) {
  std::vector<std::size_t> values;
  for (const auto& part : split(text, ',')) {
    if (part.empty()) throw UsageError(option + " " + quoted(text) + ": an empty value in the list");
    const auto more = part.find(':') == std::string::npos ? std::vector<std::size_t>{parse_sum(option, part)}
                                                          : parse_range(option, part);
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

SweepAxis parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw UsageError("-a " + quoted(text) + ": not NAME=VALUES", "as in -a n=2^10:2^30:x4 or -a dtype=f32,i8");
  std::vector<std::string> names;
  for (const auto& rule : rules()) names.push_back(rule.name);
  SweepAxis axis{text.substr(0, equals), {}};
  const AxisRule& rule = rules()[choose("axis of a sweep", axis.name, names)];
  const std::string values = text.substr(equals + 1);
  if (counts(axis.name))
    for (const std::size_t v : parse_counts("-a " + axis.name, values)) axis.values.push_back(std::to_string(v));
  else
    axis.values = parse_list("-a " + axis.name, values);
  for (const auto& value : axis.values) {
    BenchSpec ignored;
    rule.set(ignored, value);
  }
  return axis;
}

std::vector<BenchSpec> expand(const BenchOptions& o) {
  BenchSpec first;
  first.dtype = o.run.read.dtype.value_or(DType::f32);
  first.shape =
      o.run.read.shape.value_or(o.run.family == Family::transpose ? Shape{4096, 4096} : Shape{std::size_t{1} << 24});
  first.mode = o.mode;
  first.run = o.run;
  std::vector<BenchSpec> points{first};
  std::vector<std::string> seen;
  for (const auto& axis : o.sweep) {
    if (std::find(seen.begin(), seen.end(), axis.name) != seen.end())
      throw UsageError("-a " + axis.name + " is there twice", "name all its values in one: -a n=2^10,2^20");
    seen.push_back(axis.name);
  }
  for (const auto& rule : rules()) {
    const auto axis =
        std::find_if(o.sweep.begin(), o.sweep.end(), [&](const SweepAxis& a) { return a.name == rule.name; });
    if (axis == o.sweep.end()) continue;
    std::vector<BenchSpec> next;
    for (const auto& point : points)
      for (const auto& value : axis->values) {
        next.push_back(point);
        rule.set(next.back(), value);
      }
    if (next.size() > most_points)
      throw UsageError("the axes of -a make more than " + std::to_string(most_points) + " points");
    points = std::move(next);
  }
  return points;
}

}  // namespace rung::cli
