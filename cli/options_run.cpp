#include "../kernels/error.hpp"
#include "grammar.hpp"
#include "names.hpp"
#include "text.hpp"
#include "values.hpp"

#include <algorithm>
#include <filesystem>

namespace rung::cli {

void add_console(Grammar& g, ConsoleOptions& o, const std::string& verbose) {
  g.group("General");
  // Of two that contradict each other the last counts, as of any option that is given twice.
  g.flag("q,quiet", "no warnings and no tables, only errors; of -q and -v the last one counts", [&o] {
    o.quiet = true;
    o.verbose = false;
  });
  g.flag("v,verbose", verbose, [&o] {
    o.verbose = true;
    o.quiet = false;
  });
  g.value("color", "WHEN", "auto, always or never; auto honours NO_COLOR and TERM", [&o](const auto& text) {
    o.color = static_cast<Color>(choose("--color", text, {"auto", "always", "never"}));
  });
  g.flag("h,help", "this text", {});
  g.flag("version", "the version of rung", {});
}

void add_output(Grammar& g, std::string& output, std::optional<io::Format>& to, const std::string& where,
                const std::string& format) {
  g.group("Output");
  g.value("o,output", "FILE",
          "where the result goes " + where +
              ". On a terminal an array that is npy or raw is shown as text, of more than 1000 elements a preview with "
              "...; CSV is text anyway, and all of it, as what goes to a pipe or file is",
          [&output](const auto& text) { output = text; });
  g.value("t,to", "FORMAT", "npy, raw or csv; default: the extension of -o, else " + format,
          [&to](const auto& text) { to = parse_format_name(text); });
}

void add_input(Grammar& g, io::ReadOptions& o, const std::string& made, const std::string& made_shape) {
  g.group("Input");
  g.value(
      "f,from", "FORMAT",
      "npy, raw or csv; default: magic bytes, then extension (.npy; .raw .bin; .csv .tsv .txt), so raw and CSV from "
      "a pipe need it",
      [&o](const auto& text) { o.from = parse_format_name(text); });
  g.value(
      "dtype", "T",
      "element type of " + made +
          "raw input (needed) or CSV (default f64, which rounds whole numbers beyond 2^53, with a warning; i64 keeps "
          "them); see rung list dtypes",
      [&o](const auto& text) { o.dtype = parse_dtype_name(text); });
  g.value("shape", "SHAPE", made_shape + "raw: 4096x4096, 2^20 (default: one dimension, all of it)",
          [&o](const auto& text) { o.shape = parse_shape("--shape", text); });
  g.value("offset", "BYTES", "raw: bytes to skip first",
          [&o](const auto& text) { o.offset = parse_count("--offset", text); });
  g.value("endian", "ORDER", "raw: little (default) or big", [&o](const auto& text) {
    o.endian = static_cast<io::Endian>(choose("--endian", text, {"little", "big"}));
  });
  g.value(
      "delimiter", "C",
      "CSV: a character, or tab, space (runs of blanks), comma, semicolon, pipe; default: found on the first line of "
      "data, where it must be clear. Blanks around fields, blank lines and lines that start with # are dropped",
      [&o](const auto& text) { o.delimiter = text; });
  g.value(
      "header", "yes|no",
      "CSV: yes: the first line is names, which are skipped; no (default): it is numbers, and anything else an error",
      [&o](const auto& text) {
        o.header = choose("--header", text, {"yes", "no"}) == 0;
      });
  g.value("columns", "LIST",
          "CSV: 2,5-7 (from 1), 9- (from the ninth to the last), or names of the header, quoted as in CSV where they "
          "hold a comma: '\"a,b\",c'; only these need to be numbers",
          [&o](const auto& text) { o.columns = text; });
  g.value("missing", "HOW",
          "CSV: what an empty field is, and NA, spelled so. error (default): an error that names line and field. nan: "
          "NaN, as then is every sum, product, mean, minimum and maximum that it is in; argmin and argmax give the "
          "place of the first. Integers and bool have no NaN: nan beside such a --dtype is refused; f64, the default, "
          "and the other floats have one",
          [&o](const auto& text) {
            o.missing_nan = choose("--missing", text, {"error", "nan"}) == 1;
          });
}

void add_kernel_choice(Grammar& g, RunOptions& o, const std::string& automatic) {
  g.group("Kernel");
  g.value("k,kernel", "NAME",
          "names with commas between; best (default), ladder (all teaching rungs), all. See rung list kernels -v",
          [&o](const auto& text) { o.kernels = parse_list("--kernel", text); });
  g.value("d,device", "D", "gpu, gpu:N, cpu, sim, or auto (default): " + automatic,
          [&o](const auto& text) { o.device = parse_device(text); });
  g.value("block", "N", "threads a block, where the kernel takes it",
          [&o](const auto& text) { o.launch.block = parse_launch("--block", text); });
  g.value("grid", "N", "blocks, where the kernel takes it",
          [&o](const auto& text) { o.launch.grid = parse_launch("--grid", text); });
  g.value("items", "N", "elements a thread, where the kernel takes it",
          [&o](const auto& text) { o.launch.items = parse_launch("--items", text); });
}

void add_json(Grammar& g, std::string& path, const std::string& about) {
  g.value("json", "FILE", about + "; - is standard output, which then carries nothing else",
          [&path](const auto& text) { path = text; });
}

void add_report(Grammar& g, RunOptions& o, const std::string& json) {
  g.group("Report");
  g.value("json", "FILE", json, [&o](const auto& text) { o.json = text; });
  g.value("csv", "FILE", "the report as CSV", [&o](const auto& text) { o.csv = text; });
  g.value("markdown", "FILE", "the report as a Markdown table", [&o](const auto& text) { o.markdown = text; });
}

namespace {

void add_kernels(Grammar& g, RunOptions& o) {
  const std::string best = o.family == Family::transpose ? "best takes the cpu for an array below 256 MiB and a GPU, "
                                                           "where there is one, above"
                                                         : "best takes the cpu, as one pass over a file takes the "
                                                           "cores less time than the copy to a GPU";
  add_kernel_choice(g, o, best + "; ladder, all and CUDA kernels by name take a GPU where there is one. -v says why");
  if (o.family == Family::reduce)
    g.value("acc", "A", std::string("accumulator: ") + acc_words,
            [&o](const auto& text) { o.acc = static_cast<Acc>(choose("--acc", text, strings(acc_names))); });
  g.group("Report");
  g.flag(
      "check",
      "check against the oracle and every library there is; times and speedups on stderr. What is wrong is exit "
      "status 1; what no bound can judge is unverifiable, a warning. On sim it also looks for races in global memory, "
      "which without it are not looked for",
      [&o] { o.check = true; });
  g.flag("time",
         "read, copy, kernel and write times on stderr. A file that is mapped is read by what touches it first: on cpu "
         "the kernel, else the upload; on sim the time is that of simulating",
         [&o] { o.time = true; });
  add_report(
      g, o,
      "the report as JSON: result, checks, times and environment, and of several FILEs those that failed. -, here "
      "and below, is standard output, unless an array goes there (name a file for it with -o); one value is then "
      "in the report alone");
}

void add_axes(RunOptions& o, const std::string& option, const std::string& text) {
  const auto axes = parse_axes(option, text);
  o.axes.insert(o.axes.end(), axes.begin(), axes.end());
}

Grammar run_grammar(RunOptions& o) {
  if (o.family == Family::reduce) {
    Grammar g("reduce", "[options] [FILE...]", "Reduces an array to one value, or along axes.");
    g.group("Reduction");
    g.value("op", "OP", std::string("sum (default), prod, min, max, mean, argmin, argmax. ") + op_words,
            [&o](const auto& text) { o.op = static_cast<Op>(choose("operation", text, strings(op_names))); });
    g.value("axis", "N", "reduce along axis N, negative from the end; repeat it or write 0,2 for several",
            [&o](const auto& text) { add_axes(o, "--axis", text); });
    g.flag(
        "keepdims",
        "keep reduced axes, with extent 1: one value is then an array too, in the output's format, and no line of text",
        [&o] { o.keepdims = true; });
    g.examples(
        "  rung reduce --op max temps.csv\n  rung reduce --op mean --axis 0 table.npy -t csv\n"
        "  rung reduce *.npy\n  rung gen 2^24 --dtype i32 | rung reduce -k ladder --acc same --check\n");
    return g;
  }
  if (o.family == Family::transpose) {
    Grammar g("transpose", "[options] [FILE]", "Transposes an array: reverses its axes, or permutes them.");
    g.group("Transpose");
    g.value("axes", "P", "2,0,1: which input axis becomes each output axis", [&o](const auto& text) {
      o.axes.clear();
      add_axes(o, "--axes", text);
    });
    g.examples(
        "  rung transpose big.npy -o t.npy\n  rung transpose --axes 2,0,1 cube.npy -o turned.npy\n"
        "  rung gen 8192x8192 --dtype f32 | rung transpose -k ladder --check\n");
    return g;
  }
  Grammar g("reverse", "[options] [FILE]", "Reverses the order of an array along all axes, or those named.");
  g.group("Reverse");
  g.value("axis", "N", "reverse along axis N, negative from the end; repeat it for several",
          [&o](const auto& text) { add_axes(o, "--axis", text); });
  g.examples(
      "  rung reverse big.npy -o r.npy\n  rung reverse --axis -1 table.csv\n"
      "  rung reverse -d sim -k direct,shared --check small.npy\n");
  return g;
}

}  // namespace

Command parse_run(Family family, const std::vector<std::string>& args) {
  static const std::string csv_words =
      ". CSV output has commas, FILE.tsv tabs; of an input that is not CSV, --delimiter is that of the output";
  RunOptions o;
  o.family = family;
  Grammar g = run_grammar(o);
  add_kernels(g, o);
  add_input(g, o.read);
  add_output(g, o.output, o.to, "(default -, standard output); FILE may be the input",
             family == Family::reduce ? "as the input, but one value is a line of text" + csv_words
                                      : "as the input" + csv_words);
  add_console(g, o.console);
  if (auto text = g.parse(args, o.files)) return *text;
  if (o.files.empty()) o.files = {"-"};
  if (family == Family::reduce)
    for (const auto& file : o.files)
      if (const auto ops = strings(op_names);
          std::find(ops.begin(), ops.end(), file) != ops.end() && !std::filesystem::exists(file))
        throw UsageError("there is no file " + file, "did you mean --op " + file + "?");
  if (family != Family::reduce && o.files.size() > 1)
    throw UsageError(std::string(name_of(family)) + " takes one FILE; there are " + std::to_string(o.files.size()),
                     "run it for each, in a loop of the shell");
  if (o.files.size() > 1 && o.output != "-")
    throw UsageError("--output takes the result of one FILE; there are " + std::to_string(o.files.size()),
                     "> FILE takes a line of each; for files of their own run it for each, in a loop of the shell");
  if (o.files.size() > 1 && o.to)
    throw UsageError(
        "several FILEs give a line each, its value and its name, which is not " + std::string(io::name_of(*o.to)),
        "leave -t out; or run it for each FILE, in a loop of the shell");
  return o;
}

}  // namespace rung::cli
