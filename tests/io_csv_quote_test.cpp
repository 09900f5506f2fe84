// CSV quotes that go wrong, and --columns items that could mean two things: what the error names.
#include "io_files.hpp"

using namespace rung;
using namespace rung::io_test;

namespace {

/// "what / hint" of the error, after the folder's name.
std::string refusal(std::string_view text, const io::ReadOptions& options) {
  const Folder folder;
  try {
    io::read_array(folder.write("t.csv", text), options, {});
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.rfind('/') + 1) + " / " + error.hint();
  }
  return "read";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("csv: a quote that goes wrong before the column that is asked for is what the error is about") {
  for (const char* line : {"\"a,5\n", "\"a;5\n", "\"a,5\n1,2\n"}) {
    CAPTURE(std::string(line));
    CHECK(contains(refusal(line, {.columns = "2"}), "t.csv:1: field 1: '\"a"));
    CHECK(contains(refusal(line, {.columns = "2"}), "a quote that does not end on its line / fields of several"));
  }
  CHECK(contains(refusal("1,\"a\"b,5\n", {.columns = "3"}), "t.csv:1: field 2: '\"a\"b,5' has text after its closing"));
  CHECK(contains(refusal("x,5\n\"a,5\n", {.columns = "2"}), "t.csv:2: field 1: '\"a,5' has a quote"));
}

TEST_CASE("csv: a header whose quote does not end") {
  for (const io::ReadOptions& options :
       {io::ReadOptions{.header = true}, {.header = true, .columns = "b"}, {.header = true, .columns = "2"}}) {
    const std::string told = refusal("a,\"b\n1,2\n", options);
    CHECK(contains(told, "t.csv:1: the header: field 2: '\"b' has a quote that does not end"));
  }
  // The line's rest is the header's name: a second line of numbers would be taken for data.
  CHECK(contains(refusal("\"long\n7\"\n1\n", {.header = true}), "t.csv:1: the header: field 1"));
  CHECK(refusal("5\" pipe,b\n1,2\n", {.header = true}) == "read");
}

TEST_CASE("csv: an item of --columns that is positions and a name is neither") {
  const std::string range = "1-2,x,y\n3,4,5\n";
  CHECK(contains(refusal(range, {.header = true, .columns = "1-2"}),
                 "'1-2' is both a range and the name of a column / in quotes it is the name: --columns '\"1-2\"'"));
  CHECK(refusal(range, {.header = true, .columns = "\"1-2\""}) == "read");
  CHECK(refusal(range, {.header = true, .columns = "1-3"}) == "read");
  CHECK(contains(refusal("1-1,x\n3,4\n", {.header = true, .columns = "1,1-1"}), "read"));
  // Beyond the fields it can but be the name.
  CHECK(contains(refusal("2024,x\n3,4\n", {.header = true, .columns = "2024"}), "both a position and the name"));
  CHECK(refusal("a,2\n3,4\n", {.header = true, .columns = "2"}) == "read");
}

TEST_CASE("options that no file could be read with are refused without one") {
  const auto refused = [](const io::ReadOptions& options) {
    try {
      io::check_options(options);
    } catch (const UsageError&) {
      return true;
    }
    return false;
  };
  CHECK(refused({.delimiter = "xy"}));
  CHECK(refused({.columns = "name"}));
  CHECK(!refused({.header = true, .columns = "name"}));
  CHECK(refused({.header = true, .columns = "0"}));
  CHECK(refused({.dtype = DType::i8, .missing_nan = true}));
  CHECK(!refused({.dtype = DType::f16, .missing_nan = true}));
  CHECK(refused({.from = io::Format::npy, .columns = "1"}));
  CHECK(refused({.from = io::Format::raw}));
  CHECK(!refused({.from = io::Format::raw, .dtype = DType::u8, .shape = Shape{2}}));
  CHECK(!refused({}));
}
