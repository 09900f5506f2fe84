// What the command line says, checked as far as it can be without the data. Parsing throws UsageError.
#pragma once
#include "../kernels/kernel.hpp"
#include "../kernels/machine/batch.hpp"
#include "../reference/tolerance.hpp"
#include "io/io.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rung::cli {

enum class Color : std::uint8_t { automatic, always, never };

/// How the command talks on stderr.
struct ConsoleOptions {
  bool quiet = false;
  bool verbose = false;
  Color color = Color::automatic;
};

struct DeviceWish {
  std::optional<Machine> machine;  ///< unset: auto
  int ordinal = 0;                 ///< which GPU
};

/// reduce, transpose, reverse.
struct RunOptions {
  Family family = Family::reduce;
  Op op = Op::sum;
  /// As typed, negative ones counting from the end. reduce, reverse: those named, none meaning all.
  /// transpose: the permutation, none meaning the reverse order.
  std::vector<std::ptrdiff_t> axes;
  bool keepdims = false;
  std::vector<std::string> kernels{"best"};
  DeviceWish device;
  io::ReadOptions read;
  std::optional<io::Format> to;
  std::string output = "-";
  Acc acc = Acc::wide;
  bool check = false;
  bool time = false;
  Launch launch;
  std::string json, csv, markdown;  ///< files for the report; empty: none
  ConsoleOptions console;
  std::vector<std::string> files;  ///< "-" when none is named
};

enum class Listing : std::uint8_t { kernels, references, machines, dtypes, formats };
inline constexpr std::array<std::string_view, 5> listing_names{"kernels", "references", "machines", "dtypes",
                                                               "formats"};

struct ListOptions {
  Listing what = Listing::kernels;
  std::vector<std::string> names;  ///< of families and kernels: those alone
  bool markdown = false;
  bool teaches = false;  ///< kernels: what each explains
  std::string json;      ///< a file; empty: none
};

struct InfoOptions {
  io::ReadOptions read;
  std::string json;  ///< a file; empty: none
  ConsoleOptions console;
  std::vector<std::string> files;
};

enum class Distribution : std::uint8_t { uniform, normal, arange, exact };

struct GenOptions {
  Shape shape;
  DType dtype = DType::f64;
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
  std::optional<io::Format> to;
  std::string output = "-";
  ConsoleOptions console;
};

struct DiffOptions {
  std::string a, b;
  io::ReadOptions read;
  Tolerance tolerance;
  std::string json;  ///< file for the report; empty: none
  ConsoleOptions console;
};

/// -a: one axis of a sweep and its values as text, ranges written out (bench/sweep.hpp).
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
};

/// bench. `run` holds what it shares with reduce, transpose, reverse; its `read` the dtype and shape of made input too.
struct BenchOptions {
  RunOptions run;
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
  std::vector<SweepAxis> sweep;
  Mode mode = Mode::cold;
  double precision = 0.005;
  double max_seconds = 5;  ///< of samples, a point
  std::size_t least_samples = 20;
  bool references = true;
  bool end_to_end = false;     ///< whole processes, from file to result
  std::string svg, from_json;  ///< files; empty: none
};

/// explain. As BenchOptions.
struct ExplainOptions {
  RunOptions run;
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
};

/// --fail-if: a change for the worse or the better by more than a share.
struct Limit {
  bool slower = true;
  double share = 0;
};

struct CompareOptions {
  std::string before, after;
  std::vector<Limit> fail_if;
  std::string json;  ///< a file; empty: none
  ConsoleOptions console;
};

/// --help or --version: text for stdout.
struct PrintText {
  std::string text;
};

/// The command line was empty: the overview for stderr, and exit status 2.
struct NothingAsked {
  std::string text;
};

using Command = std::variant<PrintText, NothingAsked, RunOptions, ListOptions, InfoOptions, GenOptions, DiffOptions,
                             BenchOptions, ExplainOptions, CompareOptions>;

/// args: without the program's name.
Command parse_command_line(const std::vector<std::string>& args);

/// The command line, without the program's name, that parses to these options; those of the console are left out.
std::vector<std::string> words_of(const RunOptions& options);

/// What `rung SUBCOMMAND --help` prints.
std::string help_text(const std::string& subcommand);

/// "rung 0.1.0"
std::string version_text();

/// What --version prints: that, and the commit where it is known.
std::string version_page();

}  // namespace rung::cli
