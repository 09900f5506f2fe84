// The grammar of -a and its combinations, and the options of bench and compare.
#include "../cli/bench/sweep.hpp"
#include "../cli/bench/warnings.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

using namespace rung;
using namespace rung::cli;

namespace {

template <class T>
T parsed(std::vector<std::string> args) {
  return std::get<T>(parse_command_line(args));
}

std::string refusal(const std::vector<std::string>& args) {
  try {
    const auto command = parse_command_line(args);
    if (const auto* bench = std::get_if<BenchOptions>(&command)) expand(*bench);
  } catch (const Error& error) {
    CHECK(error.exit_status() == 2);
    return std::string(error.what()) + " / " + error.hint();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("bench sweep: counts and ranges") {
  const auto counts = [](const char* text) { return parse_counts("-a n", text); };
  CHECK(counts("2^10:2^16:x4") == std::vector<std::size_t>{1024, 4096, 16384, 65536});
  CHECK(counts("1:9:+3") == std::vector<std::size_t>{1, 4, 7});
  CHECK(counts("1000003,2^28+1,2^20-1") == std::vector<std::size_t>{1000003, 268435457, 1048575});
  CHECK(counts("2^62:2^63:x2") == std::vector<std::size_t>{std::size_t{1} << 62, std::size_t{1} << 63});
  for (const char* text : {"", "1:2", "1:4:2", "1:4:x1", "0:4:x2", "4:1:+1", "1:4:+0", "1:2:3:x4", "5-6", "1+2+3", "a",
                           "1,,2", "2^64", "18446744073709551615+1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(counts(text), UsageError);
  }
}

TEST_CASE("bench sweep: all combinations, element types outermost") {
  const auto o = parsed<BenchOptions>(
      {"bench", "reduce", "-a", "op=sum,argmax", "-a", "n=2^10,2^12", "-a", "dtype=f32,i8", "-a", "block=128:512:x2"});
  const auto points = expand(o);
  REQUIRE(points.size() == 2 * 2 * 2 * 3);
  CHECK(points[0].dtype == DType::f32);
  CHECK(points[0].shape == Shape{1024});
  CHECK(points[0].run.op == Op::sum);
  CHECK(points[0].run.launch.block == 128);
  CHECK(points[1].run.launch.block == 256);
  CHECK(points[3].run.op == Op::argmax);
  CHECK(points[6].shape == Shape{4096});
  CHECK(points[12].dtype == DType::i8);
}

TEST_CASE("bench sweep: shapes, accumulators, axes, modes") {
  const auto points = expand(parsed<BenchOptions>(
      {"bench", "reduce", "-a", "shape=1024x1024,4097x8191", "-a", "axis=0,-1", "-a", "acc=same,wide"}));
  REQUIRE(points.size() == 8);
  CHECK(points[4].shape == Shape{4097, 8191});
  CHECK(points[0].run.axes == std::vector<std::ptrdiff_t>{0});
  CHECK(points[2].run.axes == std::vector<std::ptrdiff_t>{-1});
  CHECK(points[0].run.acc == Acc::same);
  CHECK(points[1].run.acc == Acc::wide);
  CHECK(expand(parsed<BenchOptions>({"bench", "reverse", "-a", "mode=cold,hot"}))[1].mode == Mode::hot);
}

TEST_CASE("bench options: what stands without options") {
  const auto o = parsed<BenchOptions>({"bench", "transpose"});
  CHECK(o.run.family == Family::transpose);
  CHECK(o.run.kernels == std::vector<std::string>{"best"});
  CHECK(o.mode == Mode::cold);
  CHECK(o.precision == 0.005);
  CHECK(o.least_samples == 20);
  CHECK(o.references);
  CHECK(o.run.files.empty());
  CHECK(expand(o).size() == 1);
  CHECK(expand(o)[0].shape == Shape{4096, 4096});
  CHECK(expand(parsed<BenchOptions>({"bench", "reduce", "-n", "2^20"}))[0].shape == Shape{1048576});
}

TEST_CASE("bench options: values") {
  const auto o =
      parsed<BenchOptions>({"bench", "reduce", "--precision", "1%", "--max-time", "0.25", "--no-reference", "--mode",
                            "hot", "--min-samples", "7", "-k", "ladder", "--svg", "a.svg", "in.npy"});
  CHECK(o.precision == doctest::Approx(0.01));
  CHECK(o.max_seconds == 0.25);
  CHECK(o.least_samples == 7);
  CHECK_FALSE(o.references);
  CHECK(o.mode == Mode::hot);
  CHECK(o.svg == "a.svg");
  CHECK(o.run.files == std::vector<std::string>{"in.npy"});
  CHECK(parsed<BenchOptions>({"bench", "--from-json", "a.json"}).from_json == "a.json");
  const auto c =
      parsed<CompareOptions>({"compare", "a.json", "b.json", "--fail-if", "slower:2%", "--fail-if", "faster:10"});
  CHECK(parsed<BenchOptions>({"bench", "reduce", "--max-time", "2.5e-1"}).max_seconds == 0.25);
  CHECK(c.before == "a.json");
  CHECK(c.after == "b.json");
  REQUIRE(c.fail_if.size() == 2);
  CHECK(c.fail_if[0].slower);
  CHECK(c.fail_if[0].share == doctest::Approx(0.02));
  CHECK_FALSE(c.fail_if[1].slower);
  CHECK(c.fail_if[1].share == doctest::Approx(0.1));
}

TEST_CASE("bench options: what is refused") {
  CHECK(contains(refusal({"bench"}), "valid: reduce, transpose, reverse"));
  CHECK(contains(refusal({"bench", "redcue"}), "reduce"));
  CHECK(contains(refusal({"bench", "reduce", "-a", "n"}), "NAME=VALUES"));
  CHECK(contains(refusal({"bench", "reduce", "-a", "shap=3"}), "shape"));
  CHECK(contains(refusal({"bench", "reduce", "-a", "dtype=f33"}), "f32"));
  CHECK(contains(refusal({"bench", "reduce", "-a", "n=5", "-a", "n=6"}), "n"));
  CHECK(refusal({"bench", "reduce", "-a", "n=5", "-a", "shape=6"}) != "accepted");
  CHECK(refusal({"bench", "reduce", "-a", "n=5", "in.npy"}) != "accepted");
  CHECK(contains(refusal({"bench", "reduce", "-a", "n=10,-5"}), "-5"));
  for (const char* list : {"n=1,,2", "block=,1", "shape=1,", "dtype=f32,,i8", "op=,", "axis=0,,1", "mode=hot,"}) {
    const std::string axis(list, std::string(list).find('=')), values(list + axis.size() + 1);
    CHECK(contains(refusal({"bench", "reduce", "-a", list}),
                   "-a " + axis + " \"" + values + "\": an empty value in the list"));
  }
  CHECK(contains(refusal({"bench", "reduce", "-a", "n=1::x2"}), "\"1::x2\": not a range"));
  CHECK(contains(refusal({"bench", "reduce", "-a", "n=1:2:x"}), "\"1:2:x\": not a range"));
  CHECK(contains(refusal({"bench", "reduce", "-a", "n=2^20+"}), "\"2^20+\": nothing follows the sign"));
  // An option beside the sweep of the same would have no effect.
  CHECK(contains(refusal({"bench", "reduce", "--dtype", "i32", "-a", "dtype=f32"}), "--dtype and -a dtype"));
  CHECK(contains(refusal({"bench", "reduce", "--axis", "7", "-a", "axis=0"}), "--axis and -a axis"));
  CHECK(contains(refusal({"bench", "reduce", "--mode", "cold", "-a", "mode=hot"}), "--mode and -a mode"));
  CHECK(contains(refusal({"bench", "reduce", "--block", "64", "-a", "block=32"}), "--block and -a block"));
  CHECK(contains(refusal({"bench", "transpose", "--op", "max"}), "reduce"));
  CHECK(contains(refusal({"bench", "reduce", "--axes", "0"}), "transpose"));
  CHECK(contains(refusal({"bench", "reduce", "--precision", "0"}), "--precision"));
  CHECK(contains(refusal({"bench", "reduce", "--max-time", "nan"}), "--max-time"));
  CHECK(contains(refusal({"bench", "reduce", "--mode", "warm"}), "valid: cold, hot, graph"));
  CHECK(refusal({"bench", "reduce", "a", "b"}) != "accepted");
  CHECK(refusal({"compare", "a.json"}) != "accepted");
  CHECK(contains(refusal({"compare", "a", "b", "--fail-if", "slow:2%"}), "slower"));
  CHECK(refusal({"compare", "a", "b", "--fail-if", "slower:x"}) != "accepted");
}

TEST_CASE("what a sweep warns of the machine is said once, of a point each time") {
  SweepWarnings warnings;
  BenchPoint first, second;
  warn_of_load(first, 3.01, 2);
  warn_of_load(second, 3.4, 2);
  REQUIRE(second.warnings.size() == 1);
  for (BenchPoint* point : {&first, &second}) point->warnings.emplace_back("2 samples dropped");
  CHECK(warnings.fresh(first) == first.warnings);
  CHECK(warnings.fresh(second) == std::vector<std::string>{"2 samples dropped"});
  BenchPoint idle;
  warn_of_load(idle, 3, 2);
  CHECK(idle.warnings.empty());
}
