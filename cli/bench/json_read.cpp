#include <nlohmann/json.hpp>

#include "../../kernels/error.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rung::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class Value, class Names>
Value read_name(const Json& j, const Names& names) {
  const auto text = j.get<std::string>();
  const auto found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) throw std::invalid_argument("unknown name " + text);
  return static_cast<Value>(found - std::begin(names));
}

/// Any other number of JSON would silently become another one.
template <class T>
T read_count(const Json& j, const std::string& name) {
  if (!j.is_number_unsigned() || j.get<std::uint64_t>() > std::numeric_limits<T>::max())
    throw std::invalid_argument(name + " is not a count");
  return j.get<T>();
}

/// Bytes, or bytes a second, or a share.
double read_amount(const Json& j, const char* name) {
  const auto value = j.at(name).get<double>();
  if (!(value >= 0) || !std::isfinite(value)) throw std::invalid_argument(std::string(name) + " is below 0");
  return value;
}

std::optional<double> read_optional(const Json& j, const char* name) {
  return j.at(name).is_null() ? std::nullopt : std::optional(read_amount(j, name));
}

/// What `read` makes of each element. Its errors then begin with the place, as in "rows[2]: ".
template <class Read>
auto read_array(const Json& j, const char* name, const Read& read) {
  const Json& array = j.at(name);
  if (!array.is_array()) throw std::invalid_argument(std::string(name) + " is not an array");
  std::vector<decltype(read(array))> all;
  const auto place = [&] { return std::string(name) + "[" + std::to_string(all.size()) + "]: "; };
  for (const Json& each : array) try {
      all.push_back(read(each));
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(place() + e.what());
    } catch (const Json::exception&) {
      throw std::invalid_argument(place() + "a field is missing, or holds another kind of value");
    }
  return all;
}

const Json& read_object(const Json& j, const char* name) {
  const Json& object = j.at(name);
  if (!object.is_object()) throw std::invalid_argument(std::string(name) + " is not an object");
  return object;
}

Shape read_shape(const Json& j, DType dtype) {
  const Shape shape =
      read_array(j, "shape", [](const Json& extent) { return read_count<std::size_t>(extent, "the extent"); });
  try {
    byte_count(shape, dtype);
  } catch (const Error& e) {
    throw std::invalid_argument(e.what());
  }
  return shape;
}

/// A time, or one over another.
double read_positive(const Json& j, const char* name) {
  const auto value = j.at(name).get<double>();
  if (!(value > 0) || !std::isfinite(value)) throw std::invalid_argument(std::string(name) + " is not above 0");
  return value;
}

Interval read_interval(const Json& j) {
  const Interval interval{read_positive(j, "low"), read_positive(j, "high")};
  if (interval.low > interval.high) throw std::invalid_argument("low is above high");
  return interval;
}

/// Of no pairs: zeros.
Ratio read_ratio(const Json& j) {
  const auto pairs = read_count<std::size_t>(j.at("pairs"), "pairs");
  if (pairs == 0) return {};
  return {read_positive(j, "median"), read_interval(j), pairs};
}

Summary read_summary(const Json& j) {
  Summary s;
  s.n = read_count<std::size_t>(j.at("n"), "n");
  if (s.n == 0) throw std::invalid_argument("times of no samples");
  s.min = read_positive(j, "min");
  s.lower = read_positive(j, "lower_quartile");
  s.median = read_positive(j, "median");
  s.upper = read_positive(j, "upper_quartile");
  s.mad = read_amount(j, "mad");
  s.interval = read_interval(j);
  return s;
}

constexpr std::array<std::string_view, 5> verdicts{"pass", "fail", "unverifiable", "unchecked", "skipped"};

std::vector<Mismatch> read_mismatches(const Json& j) {
  return read_array(j, "first_mismatches", [](const Json& m) {
    return Mismatch{read_count<std::size_t>(m.at("index"), "index"), m.at("got").get<std::string>(),
                    m.at("want").get<std::string>(), 0};
  });
}

BenchRow read_row(const Json& j) {
  static constexpr std::array<std::string_view, 3> roles{"kernel", "reference", "ceiling"};
  BenchRow row;
  row.role = read_name<Role>(j.at("role"), roles);
  row.name = j.at("name").get<std::string>();
  row.column = j.at("column").get<std::string>();
  row.version = j.at("version").get<std::string>();
  row.verdict = read_name<RowVerdict>(j.at("verdict"), verdicts);
  row.note = j.at("note").get<std::string>();
  row.launch = j.at("launch").get<std::string>();
  if (!j.at("seconds").is_null()) row.seconds = read_summary(j.at("seconds"));
  row.waits = j.at("waits").get<bool>();
  row.runs_a_sample = read_count<std::size_t>(j.at("runs_a_sample"), "runs_a_sample");
  row.dropped = read_count<std::size_t>(j.at("dropped"), "dropped");
  row.stopped = j.at("stopped").get<std::string>();
  row.megahertz = read_optional(j, "megahertz");
  for (const auto& [over, ratio] : read_object(j, "speedup").items()) row.speedups.push_back({over, read_ratio(ratio)});
  if (const Json& p = j.at("speedup_over_previous"); !p.is_null())
    row.previous = Speedup{p.at("kernel").get<std::string>(), read_ratio(p)};
  row.suspect = j.at("suspect").get<bool>();
  row.mismatches = read_count<std::size_t>(j.at("mismatches"), "mismatches");
  row.first = read_mismatches(j);
  return row;
}

/// What the reports of a benchmark and of a run say alike.
BenchPoint read_work(const Json& j) {
  BenchPoint p;
  p.input = j.at("input").get<std::string>();
  p.family = read_name<Family>(j.at("family"), family_names);
  p.operation = j.at("operation").get<std::string>();
  const auto dtype = parse_dtype(j.at("dtype").get<std::string>());
  if (!dtype) throw std::invalid_argument("unknown dtype");
  p.dtype = *dtype;
  p.shape = read_shape(j, p.dtype);
  if (!j.at("accumulator").is_null()) p.acc = read_name<Acc>(j.at("accumulator"), acc_names);
  p.machine = read_name<Machine>(j.at("machine"), machine_names);
  p.device = j.at("device").get<std::string>();
  p.logical_bytes = read_amount(j, "logical_bytes");
  return p;
}

BenchPoint read_point(const Json& j) {
  BenchPoint p = read_work(j);
  const Json& launch = j.at("launch");
  p.launch = {read_count<unsigned>(launch.at("block"), "block"), read_count<unsigned>(launch.at("grid"), "grid"),
              read_count<unsigned>(launch.at("items"), "items")};
  // A report without the field is of kernels.
  if (j.contains("file") && !j.at("file").is_null())
    p.file = FileInput{j.at("file").at("format").get<std::string>(), read_amount(j.at("file"), "cached")};
  else
    p.mode = read_name<Mode>(j.at("mode"), mode_names);
  p.sets = read_count<std::size_t>(j.at("sets"), "sets");
  p.theoretical = read_amount(j, "theoretical");
  p.ceiling = read_optional(j, "ceiling");
  if (!j.at("noise").is_null()) p.noise = read_ratio(j.at("noise"));
  p.precision = read_amount(j, "precision");
  p.rows = read_array(j, "rows", read_row);
  p.warnings = j.at("warnings").get<std::vector<std::string>>();
  return p;
}

BenchRow read_checked_row(const Json& j) {
  BenchRow row;
  row.name = j.at("kernel").get<std::string>();
  row.verdict = read_name<RowVerdict>(j.at("verdict"), verdicts);
  row.note = j.at("note").get<std::string>();
  row.launch = j.at("launch").get<std::string>();
  row.mismatches = read_count<std::size_t>(j.at("mismatches"), "mismatches");
  row.first = read_mismatches(j);
  return row;
}

}  // namespace

BenchPoint read_check_json(const std::string& text, const std::string& name) {
  try {
    const Json all = Json::parse(text);
    const Json& run = all.at("runs").at(0);
    BenchPoint point = read_work(run);
    for (const Json& row : run.at("rows"))
      if (row.at("kind") == name_of(RowKind::kernel)) point.rows.push_back(read_checked_row(row));
    return point;
  } catch (const std::exception& e) {
    throw FileError(name + ": not the report of a run: " + e.what());
  }
}

BenchReport read_bench_json(const std::string& text, const std::string& name) {
  try {
    const Json all = Json::parse(text);
    if (!all.is_object() || !all.contains("schema") || all.at("schema") != bench_schema)
      throw FileError(name + ": not a benchmark of schema " + std::string(bench_schema),
                      "rung bench --json FILE writes one");
    BenchReport report;
    for (const auto& [fact, value] : read_object(all, "environment").items())
      report.environment.emplace_back(fact, value.get<std::string>());
    report.points = read_array(all, "points", read_point);
    if (report.points.empty()) throw std::invalid_argument("it holds no points, and rung bench writes none such");
    return report;
  } catch (const Json::parse_error& e) {
    const auto read = text.begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, text.size()));
    throw FileError(name + ":" + std::to_string(1 + std::count(text.begin(), read, '\n')) + ": not JSON from here on",
                    "rung bench --json FILE writes one");
  } catch (const Json::exception&) {
    throw FileError(name + ": not a benchmark: a field is missing, or holds another kind of value",
                    "rung bench --json FILE writes one");
  } catch (const std::invalid_argument& e) {
    throw FileError(name + ": not a benchmark: " + e.what(), "rung bench --json FILE writes one");
  }
}

}  // namespace rung::cli
