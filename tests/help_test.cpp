#include "../cli/help.hpp"

#include <doctest/doctest.h>

using namespace rung::cli;

TEST_CASE("help: lines are broken at blanks, and go on below what they say") {
  CHECK(wrapped("one two three\n", 13) == "one two three\n");
  CHECK(wrapped("one two three\n", 12) == "one two\nthree\n");
  CHECK(wrapped("one two three four\n\nfive", 7) == "one two\nthree\nfour\n\nfive\n");
  CHECK(wrapped("  in two three\n", 9) == "  in two\n    three\n");
  CHECK(wrapped("  1  a check failed\n", 12) == "  1  a check\n     failed\n");
  CHECK(wrapped("  rung diff   A B [options]\n", 18) == "  rung diff   A B\n              [options]\n");
  CHECK(wrapped("blanks at the end  \n", 30) == "blanks at the end\n");
  CHECK(wrapped("longer-than-that or not\n", 8) == "longer-than-that\nor not\n");
}

TEST_CASE("help: an example that is broken is a command still") {
  CHECK(
      wrapped("Examples:\n  rung list kernels reduce\n  rung list\n\nExit status:\n  0  all went well\n", 16) ==
      "Examples:\n  rung list \\\n    kernels \\\n    reduce\n  rung list\n\nExit status:\n  0  all went\n     well\n");
}
