// What a run found, free of how it is shown: text for people, and JSON, CSV and Markdown for programs and pages.
#pragma once
#include "../../kernels/kernel.hpp"
#include "../../reference/compare.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rung::cli {

/// The JSON layout; a change that breaks its readers changes the number.
inline constexpr const char* report_schema = "rung-report-1";

enum class RowKind : std::uint8_t { kernel, reference, preparation };
enum class RowVerdict : std::uint8_t { pass, fail, unverifiable, unchecked, skipped };
std::string_view name_of(RowKind kind);
std::string_view name_of(RowVerdict verdict);

/// Heading of times on sim: how long this machine was at it, which says nothing of a GPU.
inline constexpr const char* simulator_time = "time to simulate";

/// Where people read: a reference that is wrong says nothing against the kernels.
inline constexpr const char* reference_differs = "differs";
/// "reference thrust::max_element differs from the exact answer in 1 result; ..."
std::string reference_remark(const std::string& name, std::size_t mismatches);

struct Row {
  RowKind kind = RowKind::kernel;
  std::string name;  ///< of the kernel, or the call as its user writes it
  RowVerdict verdict = RowVerdict::unchecked;
  std::string note;                            ///< why skipped or unverifiable, a reference's difference
  std::string launch;                          ///< the launch shape in words
  std::optional<double> error;                 ///< largest |got - want|
  std::optional<double> bound;                 ///< what it may be; 0: exact
  std::optional<double> seconds;               ///< one run: the median of batches under --check
  std::vector<std::optional<double>> speedup;  ///< over each of Run::references
  std::size_t mismatches = 0;
  std::vector<Mismatch> first;  ///< five at most
};

struct ReferenceColumn {
  std::string name, version;
};

/// What a run left. Only of reductions, whose results are small, are there values, and of no more than most_values.
struct Result {
  DType dtype = DType::f64;
  Shape shape;
  bool has_values = false;
  Bytes values;  ///< a copy; may be null where there are no elements
};
inline constexpr std::size_t most_values = 1000;

/// A reduction's result may have values beside it where it has few enough.
bool reports_values(Family family, const Shape& shape);

/// Seconds, as --time prints them; nothing for a stage that the machine does not have.
struct Stages {
  double read = 0;
  std::optional<double> upload;
  double kernel = 0;
  std::optional<double> download, write;
  bool mapped = false;  ///< the file is read by what touches it first, and `read` is not all of it
};

/// One of several FILEs that could not be used.
struct Failure {
  std::string input, error, hint;
  int exit_status = 0;
};

/// One input, one operation, one machine.
struct Run {
  std::string input;  ///< the file's name
  Family family = Family::reduce;
  std::string operation;  ///< "sum along axis 1"
  DType dtype = DType::f64;
  Shape shape;
  std::optional<Acc> acc;  ///< reductions
  Machine machine = Machine::cpu;
  std::string device;
  double logical_bytes = 0;
  std::vector<ReferenceColumn> references;
  std::vector<Row> rows;
  std::optional<Result> result;  ///< none where a check failed
  std::optional<Stages> stages;  ///< with --time

  /// Bytes a second; nothing for rows without a time, and for sim, whose times say nothing of a GPU.
  std::optional<double> bandwidth(const Row& row) const;
};

/// Facts about where the figures come from, in the order they are shown.
using Environment = std::vector<std::pair<std::string, std::string>>;

struct Report {
  Environment environment;
  std::vector<Run> runs;
  std::vector<Failure> failures = {};
};

/// Versions, the commit where it is known, processor, driver, date (UTC) and the command line.
Environment read_environment(const std::vector<std::string>& args);

/// "reduce sum of f32, 4096x4096 (64.0 MiB), acc wide, on gpu: NVIDIA H200"
std::string heading(const Run& run);

/// "29.1", where there is one value; else empty.
std::string value_text(const Run& run);

/// For stderr: heading, table, skipped kernels, mismatches, differences of references.
std::string to_text(const Run& run, bool color);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);
std::string to_markdown(const Report& report);

}  // namespace rung::cli
