// What a benchmark found: the content of its JSON file, and so all that a comparison has.
#pragma once
#include "../../kernels/machine/batch.hpp"
#include "../report/report.hpp"
#include "statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

/// The JSON layout; a change that breaks its readers changes the number.
inline constexpr const char* bench_schema = "rung-bench-1";

enum class Role : std::uint8_t { kernel, reference, ceiling };
std::string_view name_of(Role role);

/// A speedup: the other's time over this one's; above 1, this one is faster.
struct Speedup {
  std::string over;
  Ratio ratio;
};

struct BenchRow {
  Role role = Role::kernel;
  std::string name;    ///< of the kernel or the ceiling, or the call as its user writes it
  std::string column;  ///< references: the short name that speedups use
  std::string version;
  RowVerdict verdict = RowVerdict::unchecked;
  std::string note;                ///< why skipped or unverifiable; how the call or its launch differs
  std::string launch;              ///< the launch shape in words
  std::optional<Summary> seconds;  ///< of one run; nothing for what is wrong
  bool waits = false;              ///< the call waits for the device itself: the host's time is part of its time
  std::size_t runs_a_sample = 1;
  std::size_t dropped = 0;
  std::string stopped;              ///< by which rule
  std::optional<double> megahertz;  ///< median of the SM clock
  std::vector<Speedup> speedups;    ///< kernels: over each reference that is right
  std::optional<Speedup> previous;  ///< kernels: over the kernel above it in the table
  bool suspect = false;             ///< faster than the memory can be
  std::size_t mismatches = 0;
  std::vector<Mismatch> first;  ///< five at most
};

/// End to end: what the processes read.
struct FileInput {
  std::string format;  ///< "npy", "raw", "csv"
  double cached = 0;   ///< the share of it in the page cache
};

/// What any program must move: the input is read once, the result is written once.
struct Traffic {
  double read = 0, written = 0;  ///< bytes
};

/// One input, one operation, one launch shape, one mode.
struct BenchPoint {
  std::string input;  ///< a file's name, or "uniform, seed 0"
  Family family = Family::reduce;
  std::string operation;  ///< "sum along axis 1"
  DType dtype = DType::f32;
  Shape shape;
  std::optional<Acc> acc;  ///< reductions
  Launch launch;           ///< as asked for
  Machine machine = Machine::cpu;
  std::string device;
  Mode mode = Mode::cold;
  std::optional<FileInput> file;   ///< end to end: whole processes were timed, and `mode` says nothing
  double logical_bytes = 0;        ///< of the work; end to end, the file's
  std::optional<Traffic> traffic;  ///< of kernels; reports that were written without it have none
  std::size_t sets = 1;            ///< input buffers that runs rotate through
  double theoretical = 0;          ///< bytes a second; 0 where it is not known
  std::optional<double> ceiling;   ///< bytes a second of the ceiling kernel
  std::optional<Ratio> noise;      ///< the first kernel against itself
  double precision = 0;            ///< the share of the median that was aimed for
  std::vector<BenchRow> rows;
  std::vector<std::string> warnings;

  /// Bytes a second; nothing for rows without a time, and for sim, whose times say nothing of a GPU.
  std::optional<double> bandwidth(const BenchRow& row) const;
  /// Whether a reduction along axes writes so much (over 1 % of what it reads) that the share of a ceiling which only
  /// reads says little: GB/s count what is read.
  bool writes_count() const;
  /// The share of the ceiling, with the bytes of the result counted too. Nothing where those do not count, and for the
  /// ceiling itself, which writes none.
  std::optional<double> share_with_writes(const BenchRow& row) const;
  /// How far two measurements of the same thing may lie apart: the A/A interval's distance from 1, and no less than
  /// the precision that medians were measured to.
  double floor() const;
  /// "cold"; "end-to-end".
  std::string_view mode_name() const;
};

struct BenchReport {
  Environment environment;
  std::vector<BenchPoint> points;
};

/// "reduce sum of f32, 4096x4096 (64.0 MiB), acc wide, block 256, on gpu: NVIDIA H200, graph"
std::string heading(const BenchPoint& point);

std::string bench_text(const BenchPoint& point, bool color);
std::string bench_json(const BenchReport& report);
std::string bench_csv(const BenchReport& report);
/// A table for each family, operation, dtype and machine.
std::string bench_markdown(const BenchReport& report);
/// GB/s by size, a line a kernel; bars where there is one size. A panel for each of bench_markdown's tables.
std::string bench_svg(const BenchReport& report);
/// Whether any row has the bandwidth that a plot is of.
bool has_bandwidth(const BenchReport& report);

/// `name` is the file's, for errors. Throws FileError for what is not a benchmark of this schema.
BenchReport read_bench_json(const std::string& text, const std::string& name);

/// The first run of the report that `rung reduce --check --json` writes, its kernels alone and without times.
/// Throws FileError.
BenchPoint read_check_json(const std::string& text, const std::string& name);

/// From a file or "-". Throws FileError.
BenchReport read_bench_file(const std::string& name);

/// "file in the page cache", or how much of it.
std::string cached_text(double share);

/// Points that one table or plot shows together, in the order of their first.
std::vector<std::vector<const BenchPoint*>> tables_of(const BenchReport& report);
/// "reduce sum of f32, acc wide, on gpu: NVIDIA H200, graph"
std::string table_heading(const BenchPoint& point);
/// The short names of all references in these points, in order.
std::vector<std::string> reference_columns(const std::vector<const BenchPoint*>& points);

}  // namespace rung::cli
