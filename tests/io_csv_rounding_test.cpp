// The warning of whole numbers that f64, the type of CSV unless told, cannot hold.
#include "io_files.hpp"

using namespace rung;
using namespace rung::io_test;

TEST_CASE("csv: integers that f64 rounds are told, once, when the type is nobody's choice") {
  const Folder folder;
  const auto warnings = [&](std::string_view text, const io::ReadOptions& options = {}) {
    std::vector<std::string> found;
    io::read_array(folder.write("big.csv", text), options, [&](const std::string& line) {
      const std::size_t slash = line.rfind('/');
      found.push_back(line.substr(slash + 1));
    });
    return found;
  };
  using Lines = std::vector<std::string>;
  const auto one = [&](std::string_view text) { return warnings(text).size() == 1 ? warnings(text)[0] : "not one"; };
  CHECK(warnings("1,2\n\n3,9007199254740993\n9007199254740995,4\n") ==
        Lines{"big.csv:3: field 2: '9007199254740993' is not exact in f64; --dtype i64 keeps it"});
  CHECK(warnings("\"-9007199254740993\"\n") ==
        Lines{"big.csv:1: field 1: '-9007199254740993' is not exact in f64; --dtype i64 keeps it"});
  CHECK(one("+9223372036854775807\n").ends_with("--dtype i64 keeps it"));
  CHECK(one("18446744073709551615\n").ends_with("--dtype u64 keeps it"));
  CHECK(one("123456789012345678901234567891\n").ends_with("is not exact in f64"));
  // No integer type keeps what came before, or what is missing.
  for (const char* text : {"1.5,9007199254740993\n", "1.0\n9007199254740993\n", "nan\n9007199254740993\n",
                           "1e3\n9007199254740993\n", "-1\n18446744073709551615\n"})
    CHECK(one(text).ends_with("' is not exact in f64"));
  CHECK(warnings("NA\n9007199254740993\n", {.missing_nan = true})[0].ends_with("' is not exact in f64"));
  CHECK(one("9007199254740993\n1.5\n").ends_with("; --dtype i64 keeps it"));
  CHECK(warnings("1.5,9007199254740993\n", {.columns = "2"})[0].ends_with("; --dtype i64 keeps it"));
  // Exact, or no integers: 10^22 and 2^64 are doubles.
  for (const char* text :
       {"9007199254740992\n", "-9007199254740994\n", "10000000000000000000000\n", "9223372036854775808\n",
        "18446744073709551616\n", "0000000000000000000000001\n", "0.12345678901234567890\n", "9007199254740993.5\n",
        "9007199254740993e0\n", "# 9007199254740993\n1\n"}) {
    CAPTURE(std::string(text));
    CHECK(warnings(text).empty());
  }
  CHECK(warnings("9007199254740993,1\n", {.columns = "2"}).empty());
  CHECK(warnings("9007199254740993,1\n", {.columns = "1"}).size() == 1);
  CHECK(warnings("9007199254740993\n", {.dtype = DType::f64}).empty());
  CHECK(warnings("9007199254740993\n", {.dtype = DType::i64}).empty());
  // In the third piece of 2 MiB; a later one does not speak as well.
  std::string text;
  for (int line = 1; line <= 900'000; ++line)
    text += line % 300'000 == 0 && line > 300'000 ? "9007199254740993\n" : "1234567\n";
  CHECK(warnings(text) ==
        Lines{"big.csv:600000: field 1: '9007199254740993' is not exact in f64; --dtype i64 keeps it"});
  text[text.size() / 2] = '.';  // of a piece before that one
  CHECK(one(text).ends_with("is not exact in f64"));
}
