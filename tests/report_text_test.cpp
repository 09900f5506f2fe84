// Text of others on its way to a terminal.
#include "../cli/bench/changes.hpp"
#include "../cli/bench/report.hpp"
#include "../cli/report/table.hpp"
#include "../cli/text.hpp"

#include <doctest/doctest.h>

using namespace rung;
using namespace rung::cli;

TEST_CASE("printable: control characters and what is no UTF-8 are escaped, all else is kept") {
  CHECK(printable("a b~\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == "a b~\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(printable("\x1b[31m\n\t\x7f") == "\\x1b[31m\\x0a\\x09\\x7f");
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\x9b"
                  "1m") == "\\x9b1m");
  CHECK(printable("\xc2\x9b"
                  "1m\xc2\xa0") == "\\xc2\\x9b1m\xc2\xa0");
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");
  CHECK(printable("\xc3(\xff") == "\\xc3(\\xff");
  CHECK(printable(printable("\x1b")) == printable("\x1b"));
}

TEST_CASE("plain: significant digits, and never an exponent") {
  CHECK(plain(190.4, 2) == "190");
  CHECK(plain(12345.6, 4) == "12346");
  CHECK(plain(99.96, 3) == "100");
  CHECK(plain(1.9, 2) == "1.9");
  CHECK(plain(3, 3) == "3");
  CHECK(plain(20, 3) == "20");
  CHECK(plain(0.01234, 2) == "0.012");
  CHECK(plain(0.000019, 2) == "0.000019");
  CHECK(plain(1e-9, 2) == "0");
  CHECK(plain(0, 3) == "0");
  CHECK(plain(-1.05, 3) == "-1.05");
}

TEST_CASE("table: cells are printable and stay aligned; Markdown keeps them") {
  Table table({{"name"}, {"n", true}});
  table.add({"a\x1b", "1"});
  table.add({"longer", "20"});
  CHECK(table.text() == "name     n\na\\x1b    1\nlonger  20\n");
  CHECK(table.markdown().find('\x1b') != std::string::npos);
}

TEST_CASE("bench report: names from a file give the terminal no orders") {
  const std::string evil = "\x1b[2J\nrung: fine";
  BenchPoint p;
  p.operation = p.device = evil;
  p.shape = {4};
  BenchRow row;
  row.name = row.note = evil;
  row.verdict = RowVerdict::fail;
  row.first = {{0, evil, evil, 0}};
  BenchRow skipped = row;
  skipped.verdict = RowVerdict::skipped;
  p.rows = {row, skipped};
  const std::string text = bench_text(p, false);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\nrung: fine") == std::string::npos);
  ChangeRow change;
  change.name = change.what = evil;
  change.before = 1;
  change.change = Change::only_before;
  CHECK(changes_text({change}).find('\x1b') == std::string::npos);
}
