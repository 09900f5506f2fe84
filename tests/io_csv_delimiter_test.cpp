// Which delimiter a CSV file has, beside blanks, and which of its columns: with and without --columns the same.
#include "io_files.hpp"

using namespace rung;
using namespace rung::io_test;

namespace {

const Folder& folder() {
  static const Folder folder;
  return folder;
}

struct Column {
  std::size_t fields;  ///< of each line
  std::vector<double> values;
  bool operator==(const Column&) const = default;
};

/// The columns asked for, and how many a file of the same text has.
Column load(std::string_view text, io::ReadOptions options) {
  const std::string path = folder().write("a.csv", text);
  const HostArray array = io::read_array(path, options, {});
  options.columns.reset();
  const Shape whole = io::inspect(*io::open_source(path), options, {}).shape;
  return {whole.size() == 1 ? 1 : whole[1], values<double>(array)};
}

std::string refusal(std::string_view text, const io::ReadOptions& options) {
  return thrown([&] { io::read_array(folder().write("a.csv", text), options, {}); }).what;
}

}  // namespace

TEST_CASE("csv: a separator with blanks around it is that separator, whatever is asked for") {
  for (const char* between : {", ", " ,", " , ", ",  ", "; ", " ;", " | "}) {
    CAPTURE(std::string(between));
    const std::string two = "1" + std::string(between) + "2\n3" + between + "4\n";
    CHECK(load(two, {.columns = "2"}) == Column{2, {2, 4}});
    CHECK(load(two, {.columns = "1"}) == Column{2, {1, 3}});
    CHECK(load("x" + std::string(between) + "y\n" + two, {.header = true, .columns = "y"}) == Column{2, {2, 4}});
    CHECK(load("x,y\n1, 2\n3, 4\n", {.header = true, .columns = "y,x"}) == Column{2, {2, 1, 4, 3}});
  }
  // By white space the second column would be 5.
  CHECK(load("1,2, 5\n3,4, 6\n", {.columns = "2"}) == Column{3, {2, 4}});
  CHECK(load("1, 2,5\n3, 4,6\n", {.columns = "3"}) == Column{3, {5, 6}});
}

TEST_CASE("csv: blanks between words are no padding") {
  CHECK(load("2024-01-01 12:00:00,1\n2024-01-02 12:00:00,2\n", {.columns = "2"}) == Column{1, {1, 2}});
  CHECK(contains(refusal("1,5 2,5\n", {.columns = "2"}), "the delimiter is not clear"));
  // Tabs are a separator of their own.
  CHECK(contains(refusal("1, 2,\t5\n", {.columns = "2"}), "the delimiter is not clear"));
}
