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

/// Whatever `read` finds wrong begins with the place, as in "rows[2]: seconds: ".
template <class Read>
auto read_at(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(place + ": " + e.what());
  }
}

const Json& field(const Json& j, const std::string& name) {
  if (!j.is_object()) throw std::invalid_argument("it is not an object");
  const auto found = j.find(name);
  if (found == j.end()) throw std::invalid_argument(name + " is missing");
  return *found;
}

std::string as_text(const Json& value, const std::string& name) {
  if (!value.is_string()) throw std::invalid_argument(name + " is not a text");
  return value.get<std::string>();
}

std::string read_text(const Json& j, const char* name) { return as_text(field(j, name), name); }

bool read_bool(const Json& j, const char* name) {
  const Json& value = field(j, name);
  if (!value.is_boolean()) throw std::invalid_argument(std::string(name) + " is neither true nor false");
  return value.get<bool>();
}

double read_number(const Json& j, const char* name) {
  const Json& value = field(j, name);
  if (!value.is_number()) throw std::invalid_argument(std::string(name) + " is not a number");
  return value.get<double>();
}

template <class Value, class Names>
Value read_name(const Json& j, const char* field_name, const Names& names) {
  const std::string text = read_text(j, field_name);
  const auto found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) throw std::invalid_argument(std::string(field_name) + ": unknown name " + text);
  return static_cast<Value>(found - std::begin(names));
}

/// Any other number of JSON would silently become another one.
template <class T>
T as_count(const Json& value, const std::string& name) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<T>::max())
    throw std::invalid_argument(name + " is not a count");
  return value.get<T>();
}

template <class T = std::size_t>
T read_count(const Json& j, const char* name) {
  return as_count<T>(field(j, name), name);
}

std::size_t read_count_from_1(const Json& j, const char* name) {
  const auto count = read_count(j, name);
  if (count == 0) throw std::invalid_argument(std::string(name) + " is 0");
  return count;
}

/// Bytes, or bytes a second, or a share. What no machine has, or does, is refused: quotients stay numbers.
double read_amount(const Json& j, const char* name) {
  constexpr double most = 1e18;  // an exabyte
  const double value = read_number(j, name);
  if (!(value >= 0) || value > most)
    throw std::invalid_argument(std::string(name) + (value > most ? " is too large" : " is below 0"));
  return value;
}

std::optional<double> read_optional(const Json& j, const char* name) {
  return field(j, name).is_null() ? std::nullopt : std::optional(read_amount(j, name));
}

/// What `read` makes of each element.
template <class Read>
auto read_array(const Json& j, const char* name, const Read& read) {
  const Json& array = field(j, name);
  if (!array.is_array()) throw std::invalid_argument(std::string(name) + " is not an array");
  std::vector<decltype(read(array))> all;
  for (const Json& each : array)
    all.push_back(read_at(std::string(name) + "[" + std::to_string(all.size()) + "]", [&] { return read(each); }));
  return all;
}

const Json& read_object(const Json& j, const char* name) {
  const Json& object = field(j, name);
  if (!object.is_object()) throw std::invalid_argument(std::string(name) + " is not an object");
  return object;
}

Shape read_shape(const Json& j, DType dtype) {
  const Shape shape =
      read_array(j, "shape", [](const Json& extent) { return as_count<std::size_t>(extent, "the extent"); });
  try {
    byte_count(shape, dtype);
  } catch (const Error& e) {
    throw std::invalid_argument(e.what());
  }
  return shape;
}

/// A time, or one over another.
double read_positive(const Json& j, const char* name) {
  constexpr double least = 1e-18, most = 1e18;
  const double value = read_number(j, name);
  if (!(value > 0) || !std::isfinite(value)) throw std::invalid_argument(std::string(name) + " is not above 0");
  if (value < least || value > most)
    throw std::invalid_argument(std::string(name) + (value < least ? " is too small" : " is too large"));
  return value;
}

/// Each no less than the one before.
template <std::size_t count>
std::array<double, count> read_ascending(const Json& j, const std::array<const char*, count>& names) {
  std::array<double, count> values{};
  for (std::size_t k = 0; k < count; ++k) {
    values[k] = read_positive(j, names[k]);
    if (k > 0 && values[k] < values[k - 1])
      throw std::invalid_argument(std::string(names[k - 1]) + " is above " + names[k]);
  }
  return values;
}

/// Of no pairs: zeros.
Ratio read_ratio(const Json& j) {
  const auto pairs = read_count(j, "pairs");
  if (pairs == 0) return {};
  const auto [low, median, high] = read_ascending<3>(j, {"low", "median", "high"});
  return {median, {low, high}, pairs};
}

Summary read_summary(const Json& j) {
  Summary s;
  s.n = read_count_from_1(j, "n");
  const auto [min, lower, median, upper] = read_ascending<4>(j, {"min", "lower_quartile", "median", "upper_quartile"});
  const auto interval = read_ascending<3>(j, {"low", "median", "high"});
  s.min = min;
  s.lower = lower;
  s.median = median;
  s.upper = upper;
  s.mad = read_amount(j, "mad");
  s.interval = {interval[0], interval[2]};
  return s;
}

constexpr std::array<std::string_view, 5> verdicts{"pass", "fail", "unverifiable", "unchecked", "skipped"};

std::vector<Mismatch> read_mismatches(const Json& j) {
  return read_array(j, "first_mismatches", [](const Json& m) {
    return Mismatch{read_count(m, "index"), read_text(m, "got"), read_text(m, "want")};
  });
}

BenchRow read_row(const Json& j) {
  static constexpr std::array<std::string_view, 3> roles{"kernel", "reference", "ceiling"};
  BenchRow row;
  row.role = read_name<Role>(j, "role", roles);
  row.name = read_text(j, "name");
  row.column = read_text(j, "column");
  row.version = read_text(j, "version");
  row.verdict = read_name<RowVerdict>(j, "verdict", verdicts);
  row.note = read_text(j, "note");
  row.launch = read_text(j, "launch");
  if (const Json& s = field(j, "seconds"); !s.is_null())
    row.seconds = read_at("seconds", [&] { return read_summary(s); });
  row.waits = read_bool(j, "waits");
  row.runs_a_sample = read_count_from_1(j, "runs_a_sample");
  row.dropped = read_count(j, "dropped");
  row.stopped = read_text(j, "stopped");
  row.megahertz = read_optional(j, "megahertz");
  for (const auto& [over, ratio] : read_object(j, "speedup").items())
    row.speedups.push_back({over, read_at("speedup over " + over, [&ratio = ratio] { return read_ratio(ratio); })});
  if (const Json& p = field(j, "speedup_over_previous"); !p.is_null())
    row.previous = read_at("speedup_over_previous", [&] { return Speedup{read_text(p, "kernel"), read_ratio(p)}; });
  row.suspect = read_bool(j, "suspect");
  row.mismatches = read_count(j, "mismatches");
  row.first = read_mismatches(j);
  return row;
}

/// What the reports of a benchmark and of a run say alike.
BenchPoint read_work(const Json& j) {
  BenchPoint p;
  p.input = read_text(j, "input");
  p.family = read_name<Family>(j, "family", family_names);
  p.operation = read_text(j, "operation");
  const auto dtype = parse_dtype(read_text(j, "dtype"));
  if (!dtype) throw std::invalid_argument("dtype: unknown name " + read_text(j, "dtype"));
  p.dtype = *dtype;
  p.shape = read_shape(j, p.dtype);
  if (!field(j, "accumulator").is_null()) p.acc = read_name<Acc>(j, "accumulator", acc_names);
  p.machine = read_name<Machine>(j, "machine", machine_names);
  p.device = read_text(j, "device");
  p.logical_bytes = read_amount(j, "logical_bytes");
  return p;
}

BenchPoint read_point(const Json& j) {
  BenchPoint p = read_work(j);
  p.launch = read_at("launch", [&launch = field(j, "launch")] {
    return Launch{read_count<unsigned>(launch, "block"), read_count<unsigned>(launch, "grid"),
                  read_count<unsigned>(launch, "items")};
  });
  // A report without the field is of kernels.
  if (j.contains("file") && !j.at("file").is_null())
    p.file = read_at("file", [&file = field(j, "file")] {
      return FileInput{read_text(file, "format"), read_amount(file, "cached")};
    });
  else
    p.mode = read_name<Mode>(j, "mode", mode_names);
  // Earlier reports do not have it.
  if (j.contains("bytes") && !j.at("bytes").is_null())
    p.traffic = read_at("bytes", [&bytes = field(j, "bytes")] {
      return Traffic{read_amount(bytes, "read"), read_amount(bytes, "written")};
    });
  p.sets = read_count(j, "sets");
  p.theoretical = read_amount(j, "theoretical");
  p.ceiling = read_optional(j, "ceiling");
  if (const Json& noise = field(j, "noise"); !noise.is_null())
    p.noise = read_at("noise", [&] { return read_ratio(noise); });
  p.precision = read_amount(j, "precision");
  p.rows = read_array(j, "rows", read_row);
  if (p.rows.empty()) throw std::invalid_argument("it holds no rows");
  p.warnings = read_array(j, "warnings", [](const Json& warning) { return as_text(warning, "the warning"); });
  return p;
}

BenchRow read_checked_row(const Json& j) {
  BenchRow row;
  row.name = read_text(j, "kernel");
  row.verdict = read_name<RowVerdict>(j, "verdict", verdicts);
  row.note = read_text(j, "note");
  row.launch = read_text(j, "launch");
  row.mismatches = read_count(j, "mismatches");
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
      report.environment.emplace_back(
          fact, read_at("environment", [&fact = fact, &value = value] { return as_text(value, fact); }));
    report.points = read_array(all, "points", read_point);
    if (report.points.empty()) throw std::invalid_argument("it holds no points");
    return report;
  } catch (const Json::parse_error& e) {
    const auto read = text.begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, text.size()));
    throw FileError(name + ":" + std::to_string(1 + std::count(text.begin(), read, '\n')) + ": not JSON from here on",
                    "rung bench --json FILE writes one");
  } catch (const Json::out_of_range&) {
    throw FileError(name + ": not a benchmark: a number is beyond f64", "rung bench --json FILE writes one");
  } catch (const std::invalid_argument& e) {
    throw FileError(name + ": not a benchmark: " + e.what(), "rung bench --json FILE writes one");
  }
}

}  // namespace rung::cli
