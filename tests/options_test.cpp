// The command line as text to options: the grammar, its errors and its suggestions. Nothing runs.
#include "../cli/options.hpp"
#include "../cli/arguments.hpp"
#include "../cli/commands/output.hpp"
#include "../cli/commands/select.hpp"
#include "../cli/names.hpp"
#include "../cli/values.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace rung;
using namespace rung::cli;

namespace {

template <class T>
T parsed(std::vector<std::string> args) {
  return std::get<T>(parse_command_line(args));
}

RunOptions reduce(std::vector<std::string> args) {
  args.insert(args.begin(), "reduce");
  return parsed<RunOptions>(std::move(args));
}

/// The error that a command line is, as "reason / hint"; its exit status is checked to be that of usage.
std::string refusal(const std::vector<std::string>& args) {
  try {
    parse_command_line(args);
  } catch (const Error& error) {
    CHECK(error.exit_status() == 2);
    return std::string(error.what()) + " / " + error.hint();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("defaults are those of the manual") {
  const RunOptions o = reduce({});
  CHECK(o.op == Op::sum);
  CHECK(o.axes.empty());
  CHECK(o.kernels == std::vector<std::string>{"best"});
  CHECK(!o.device.machine);
  CHECK(o.acc == Acc::wide);
  CHECK(o.output == "-");
  CHECK(o.files == std::vector<std::string>{"-"});
  CHECK(!o.check);
  CHECK(!o.to);
}

TEST_CASE("options come in every usual form") {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"-o", "out.npy"}, {"-oout.npy"}, {"--output", "out.npy"}, {"--output=out.npy"}, {"-qoout.npy"}})
    CHECK(reduce(words).output == "out.npy");
  const RunOptions o = reduce({"-q", "-k", "vector,shuffle", "-d", "gpu:3", "in.npy", "--op=max", "--check", "--time"});
  CHECK(o.console.quiet);
  CHECK(o.kernels == std::vector<std::string>{"vector", "shuffle"});
  CHECK(*o.device.machine == Machine::gpu);
  CHECK(o.device.ordinal == 3);
  CHECK(o.op == Op::max);
  CHECK(o.check);
  CHECK(o.time);
  CHECK(o.files == std::vector<std::string>{"in.npy"});
}

TEST_CASE("the last of an option counts, and axes add up") {
  CHECK(reduce({"--op", "min", "--op", "max"}).op == Op::max);
  CHECK(reduce({"--axis", "0", "--axis", "2,-1"}).axes == std::vector<std::ptrdiff_t>{0, 2, -1});
  CHECK(parsed<RunOptions>({"reverse", "--axis=-1", "--axis", "-2"}).axes == std::vector<std::ptrdiff_t>{-1, -2});
  CHECK(parsed<RunOptions>({"transpose", "--axes", "2,0,1"}).axes == std::vector<std::ptrdiff_t>{2, 0, 1});
}

TEST_CASE("of -q and -v the last counts") {
  const RunOptions verbose = reduce({"-qv"}), quiet = reduce({"-v", "in.npy", "-q"});
  CHECK(verbose.console.verbose);
  CHECK(!verbose.console.quiet);
  CHECK(!quiet.console.verbose);
  CHECK(quiet.console.quiet);
}

TEST_CASE("a file name does not begin as an option does, unless it is attached") {
  for (const std::string option : {"-o", "--output", "--json", "--csv", "--markdown"}) {
    CAPTURE(option);
    const std::string text = refusal({"reduce", option, "--check", "in.npy"});
    CHECK(contains(text, option + " needs a FILE, and \"--check\" is an option"));
    CHECK(contains(text, "./--check"));
    CHECK(contains(refusal({"reduce", option}), option + " needs a FILE"));
  }
  for (const std::string option : {"--svg", "--from-json"})
    CHECK(contains(refusal({"bench", "reduce", option, "-q"}), option + " needs a FILE"));
  CHECK(contains(refusal({"transpose", "a.npy", "-o", "--axis"}), "-o needs a FILE"));
  CHECK(reduce({"--json", "-"}).json == "-");
  CHECK(reduce({"--json=--check"}).json == "--check");
  CHECK(reduce({"-o-x.npy"}).output == "-x.npy");
}

TEST_CASE("bench: -n and a FILE are two inputs") {
  const std::string text = refusal({"bench", "reduce", "a.npy", "-n", "4"});
  CHECK(contains(text, "-n makes input"));
  CHECK(!contains(text, "--shape"));
  CHECK(*parsed<BenchOptions>({"bench", "reduce", "a.raw", "--shape", "2x2"}).run.read.shape == Shape{2, 2});
}

TEST_CASE("bench, explain: -n and --shape are two sizes") {
  for (const char* command : {"bench", "explain"})
    for (const auto& [a, b] : {std::pair("--count=1000", "--shape=10x10"), std::pair("--shape=10x10", "-n1000")})
      CHECK(contains(refusal({command, "reduce", a, b}), "-n and --shape"));
}

TEST_CASE("bench: what the simulator does not heed is refused") {
  for (const char* option : {"--mode=cold", "--precision=1%", "--max-time=1", "--min-samples=9"}) {
    CHECK(contains(refusal({"bench", "reduce", "-d", "sim", option}), "three runs"));
    CHECK(parsed<BenchOptions>({"bench", "reduce", "-d", "cpu", option}).run.device.machine == Machine::cpu);
  }
  CHECK(contains(refusal({"bench", "reduce", "-d", "sim", "-a", "mode=hot,cold"}), "three runs"));
}

TEST_CASE("values may look like options, and file names like anything") {
  CHECK(reduce({"--axis", "-1"}).axes == std::vector<std::ptrdiff_t>{-1});
  CHECK(reduce({"--delimiter", "--"}).read.delimiter == "--");
  CHECK(reduce({"--columns", "a=b,c"}).read.columns == "a=b,c");
  CHECK(reduce({"a,b.npy", "-", "c d"}).files == std::vector<std::string>{"a,b.npy", "-", "c d"});
  CHECK(reduce({"-q", "--", "--check", "-", "--"}).files == std::vector<std::string>{"--check", "-", "--"});
  CHECK(!reduce({"--", "--check"}).check);
  const std::string long_name(200000, 'x');
  CHECK(reduce({"-o" + long_name, "--columns=" + long_name}).output == long_name);
}

TEST_CASE("input and launch options") {
  const RunOptions o =
      reduce({"-f",      "raw",      "--dtype", "bf16",      "--shape", "2^3x5",   "--offset",   "16",      "--endian",
              "big",     "--header", "no",      "--missing", "nan",     "--block", "2^8",        "--grid",  "7",
              "--items", "4",        "--acc",   "same",      "-t",      "csv",     "--keepdims", "--color", "always"});
  CHECK(*o.read.from == io::Format::raw);
  CHECK(*o.read.dtype == DType::bf16);
  CHECK(*o.read.shape == Shape{8, 5});
  CHECK(o.read.offset == 16);
  CHECK(o.read.endian == io::Endian::big);
  CHECK(*o.read.header == false);
  CHECK(o.read.missing_nan);
  CHECK(o.launch.block == 256);
  CHECK(o.launch.grid == 7);
  CHECK(o.launch.items == 4);
  CHECK(o.acc == Acc::same);
  CHECK(*o.to == io::Format::csv);
  CHECK(o.keepdims);
  CHECK(o.console.color == Color::always);
}

TEST_CASE("gen, diff, info and list") {
  const auto gen =
      parsed<GenOptions>({"gen", "3x2^4", "--dtype", "i8", "--dist", "exact", "--seed", "18446744073709551615"});
  CHECK(gen.shape == Shape{3, 16});
  CHECK(gen.dtype == DType::i8);
  CHECK(gen.distribution == Distribution::exact);
  CHECK(gen.seed == 18446744073709551615u);
  const auto diff = parsed<DiffOptions>({"diff", "-", "b.npy", "--max-ulp", "4"});
  CHECK(diff.a == "-");
  CHECK(diff.b == "b.npy");
  CHECK(diff.tolerance.max_ulp == 4);
  CHECK_FALSE(diff.tolerance.rtol);
  CHECK_FALSE(diff.tolerance.atol);
  CHECK(parsed<InfoOptions>({"info", "a", "b"}).files == std::vector<std::string>{"a", "b"});
  CHECK(parsed<ListOptions>({"list"}).what == Listing::kernels);
  CHECK(parsed<ListOptions>({"list", "dtypes", "--markdown"}).what == Listing::dtypes);
  CHECK(parsed<ListOptions>({"list", "--markdown"}).markdown);
}

TEST_CASE("tolerances of diff, as they are written") {
  const auto written = [](const std::string& text) {
    const Decimal d = parsed<DiffOptions>({"diff", "a", "b", "--rtol", text}).tolerance.rtol.value();
    return d.digits + "e" + std::to_string(d.exponent);
  };
  CHECK(written("0.3") == "3e-1");
  CHECK(written("12") == "12e0");
  CHECK(written("0010.20") == "1020e-2");
  CHECK(written(".5") == "5e-1");
  CHECK(written("5.") == "5e0");
  CHECK(written("1e-5") == "1e-5");
  CHECK(written("1.25E+3") == "125e1");
  CHECK(written("0") == "0e0");
  CHECK(written("0e999999999999") == "0e0");
  const auto atol = parsed<DiffOptions>({"diff", "--atol=1e-8", "a", "b"}).tolerance.atol.value();
  CHECK((atol.digits == "1" && atol.exponent == -8));
  for (const std::string option : {"--rtol", "--atol"}) {
    for (const std::string text : {"-1", "-0.1", "nan", "inf", "+1", "", "1%", "0x1", "1e", "1e-5x", ".", "e5", "1,5"})
      CHECK(contains(refusal({"diff", "a", "b", option, text}),
                     option + " \"" + text + "\": not a number of 0 or more (0.01, 1e-5)"));
    for (const std::string text : {"1e400", "1e-400"})
      CHECK(contains(refusal({"diff", "a", "b", option, text}), "beyond what f64 holds"));
  }
}

TEST_CASE("help comes before everything else") {
  CHECK(contains(parsed<PrintText>({"--help"}).text, "Exit status"));
  for (const std::string name : {"reduce", "transpose", "reverse", "list", "info", "gen", "diff"}) {
    const std::string text = parsed<PrintText>({name, "--help"}).text;
    CHECK(contains(text, "rung " + name));
    CHECK(contains(text, "Examples:"));
    CHECK(contains(text, "Exit status:"));
    CHECK(parsed<PrintText>({"help", name}).text == text);
    CHECK(parsed<PrintText>({name, "-h", "too", "many", "words", "--color=never"}).text == text);
  }
  CHECK(contains(parsed<PrintText>({"reduce", "--axis", "nonsense", "-h"}).text, "--axis"));
  CHECK(contains(parsed<PrintText>({"--version"}).text, "rung "));
  CHECK(std::holds_alternative<NothingAsked>(parse_command_line({})));
}

TEST_CASE("help says what is assumed and dropped") {
  const auto flat = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
      const std::size_t next = text.find_first_not_of(" \n", at);
      if (next != std::string::npos) text.replace(at, next - at, " ");
    }
    for (std::size_t at = 0; (at = text.find("  ", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  };
  const auto help = [&](const std::string& name) { return flat(help_text(name)); };
  for (const std::string name : {"reduce", "transpose", "reverse", "bench", "info", "diff"}) {
    CAPTURE(name);
    for (const std::string part : {"lines that start with # are dropped", "beyond 2^53", "a pipe need it",
                                   "no (default)", "quoted as in CSV", "NA, spelled so", "default: found on"})
      CHECK_MESSAGE(contains(help(name), part), part);
  }
  CHECK(contains(help("bench"), "made input (default f32)"));
  CHECK(contains(help("bench"), "percent of it (default 0.5%; 0.5 is the same)"));
  CHECK(contains(help("compare"), "slower:2 is the same"));
  CHECK(contains(help("gen"), "wraps as the integer type does"));
  CHECK(contains(help("gen"), "else npy (bf16: raw"));
  CHECK(contains(help("diff"), "each takes the input options that are for it"));
  CHECK(contains(flat(parsed<PrintText>({"--help"}).text), "replaces the one before"));
}

TEST_CASE("unknown names list the valid ones and suggest the nearest") {
  CHECK(contains(refusal({"redcue"}), "did you mean reduce?"));
  CHECK(contains(refusal({"reduce", "--op", "argmxa"}), "did you mean argmax? valid: sum, prod"));
  CHECK(contains(refusal({"reduce", "--axsi", "1"}), "did you mean --axis?"));
  CHECK(contains(refusal({"reduce", "-op", "max"}), "did you mean --op?"));
  CHECK(contains(refusal({"reduce", "-dtype=u8"}), "did you mean --dtype?"));
  CHECK(contains(refusal({"reduce", "--out", "x"}), "did you mean --output?"));  // and not --op, which is as near
  CHECK(contains(refusal({"reduce", "--dtype", "f23"}), "did you mean f32?"));
  CHECK(contains(refusal({"reduce", "--dtype", "float32"}), "f32"));
  CHECK(contains(refusal({"gen", "3", "--dist", "unifrom"}), "did you mean uniform?"));
  CHECK(contains(refusal({"reduce", "-d", "gpuu"}), "did you mean gpu?"));
  CHECK(contains(refusal({"list", "kernelz"}), "did you mean kernels?"));
  CHECK(contains(refusal({"help", "nosuchthing"}), "valid: reduce"));
  CHECK(!contains(refusal({"reduce", "--op", "frobnicate"}), "did you mean"));
  CHECK(contains(refusal({"reduce", "-x"}), "unknown option \"-x\""));
  // Options of another subcommand are unknown here.
  CHECK(contains(refusal({"transpose", "--op", "sum"}), "unknown option"));
  CHECK(contains(refusal({"reverse", "--acc", "same"}), "unknown option"));
}

TEST_CASE("an error stays one line whatever was typed") {
  CHECK(!contains(refusal({"reduce", "--op", "a\nb\x1b[31m"}), "\n"));
  CHECK(contains(refusal({"reduce", "--op", "a\nb"}), "a\\x0ab"));
}

TEST_CASE("numbers are checked as text") {
  for (const std::string text : {"", " 1", "1 ", "+1", "-1", "0x10", "1e6", "1.5", "2^", "^2", "2^-1", "1k", "1_000"})
    CHECK_THROWS_AS(parse_count("--offset", text), UsageError);
  CHECK(parse_count("--offset", "0") == 0);
  CHECK(parse_count("--offset", "18446744073709551615") == 18446744073709551615u);
  CHECK_THROWS_AS(parse_count("--offset", "18446744073709551616"), UsageError);
  CHECK(parse_count("--offset", "2^63") == 9223372036854775808u);
  CHECK_THROWS_AS(parse_count("--offset", "2^64"), UsageError);
  CHECK(parse_count("--offset", "10^6") == 1000000);
  CHECK(parse_count("--offset", "1^99999999999999999999") == 1);
  CHECK(parse_count("--offset", "0^0") == 1);
  for (const std::string text : {"", "x", "3x", "x3", "3xx4", "3X4", "3,4", "3x-4", "2^40x2^40"})
    CHECK_THROWS_AS(parse_shape("SHAPE", text), UsageError);
  CHECK(parse_shape("SHAPE", "0x3") == Shape{0, 3});
  CHECK(parse_shape("SHAPE", "scalar").empty());
  for (const std::string text : {"", "0x1", "1.5", "+1", "1,", ",1", "a", "99999999999999999999"})
    CHECK_THROWS_AS(parse_axes("--axis", text), UsageError);
  for (const std::string text : {"0", "-1", "2^31", ""}) CHECK_THROWS_AS(parse_launch("--block", text), UsageError);
  for (const std::string text : {"gpu:", "gpu:-1", "gpu:x", "GPU", ""}) CHECK_THROWS_AS(parse_device(text), UsageError);
  CHECK_THROWS_AS(parse_list("--kernel", "a,,b"), UsageError);
}

TEST_CASE("what cannot be meant is refused") {
  CHECK(contains(refusal({"reduce", "--axis"}), "--axis needs a value"));
  CHECK(contains(refusal({"reduce", "--check=yes"}), "--check takes no value"));
  CHECK(contains(refusal({"transpose", "a", "b"}), "one FILE"));
  CHECK(contains(refusal({"reduce", "-o", "x", "a", "b"}), "one FILE"));
  CHECK(contains(refusal({"gen"}), "SHAPE"));
  CHECK(contains(refusal({"gen", "2", "3"}), "SHAPE"));
  CHECK(contains(refusal({"diff", "a"}), "two files"));
  CHECK(contains(refusal({"diff", "-", "-"}), "standard input"));
  CHECK(contains(refusal({"diff", "a.npy"}), "two files"));
  CHECK(contains(refusal({"list", "dtypes", "formats"}), "one word"));
  CHECK(contains(refusal({"--frobnicate"}), "unknown option"));
}

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("redcue", "reduce") == 1);
  CHECK(nearest("zzzzzz", {"sum", "prod"}).empty());
}

TEST_CASE("several kernels are told from one") {
  CHECK(!asks_for_several({"best"}));
  CHECK(!asks_for_several({"vector"}));
  CHECK(asks_for_several({"vector", "shuffle"}));
  CHECK(asks_for_several({"ladder"}));
  CHECK(asks_for_several({"all"}));
}

TEST_CASE("output goes by -t, then the extension, then the input") {
  CHECK(output_format({}, "-", io::Format::csv) == io::Format::csv);
  CHECK(output_format({}, "a.npy", io::Format::csv) == io::Format::npy);
  CHECK(output_format({}, "a.tsv", io::Format::npy) == io::Format::csv);
  CHECK(output_format(io::Format::raw, "a.npy", io::Format::csv) == io::Format::raw);
  CHECK(output_format({}, "a.unknown", io::Format::raw) == io::Format::raw);
  CHECK(output_format({}, ".npy", io::Format::raw) == io::Format::raw);
  CHECK(output_delimiter({}, "-", io::Format::npy) == ',');
  CHECK(output_delimiter("tab", "a.csv", io::Format::npy) == '\t');
  CHECK(output_delimiter("|", "-", io::Format::csv) == '|');
  CHECK(output_delimiter({}, "a.tsv", io::Format::csv) == '\t');
  // A delimiter is that of the input where the input has one.
  CHECK(output_delimiter("|", "a.tsv", io::Format::csv) == '\t');
  CHECK(output_delimiter("|", "a.tsv", io::Format::npy) == '|');
}
