// What a CSV text is laid out as: lines, fields, delimiters, headers, columns.
#include "io_csv.hpp"

using namespace rung;
using namespace rung::io_test;

namespace {

const Table two_by_two{{2, 2}, {1, 2, 3, 4}};

}  // namespace

TEST_CASE("csv: lines") {
  CHECK(load("1,2\n3,4\n") == two_by_two);
  CHECK(load("1,2\r\n3,4\r\n") == two_by_two);
  CHECK(load("1,2\n3,4") == two_by_two);
  CHECK(load("\xef\xbb\xbf"
             "1,2\n3,4\n") == two_by_two);
  CHECK(load("\n\n1,2\n\n  \n\t\n3,4\n\n") == two_by_two);
  CHECK(load("1,2\r\n\r\n3,4\r\n\r\n") == two_by_two);
  CHECK(load("# x,y\n1,2\n#3,5\n3,4\n#") == two_by_two);
  CHECK(load("\xef\xbb\xbf# x,y\n1,2\n3,4\n") == two_by_two);
  const Pipe pipe("1,2\n3,4\n", 1);
  CHECK(values<double>(io::read_array(pipe.path(), {.from = io::Format::csv}, {})) == two_by_two.values);
}

TEST_CASE("csv: shapes") {
  CHECK(load("1,2,3\n") == Table{{1, 3}, {1, 2, 3}});
  CHECK(load("1\n2\n3\n") == Table{{3}, {1, 2, 3}});
  CHECK(load("7") == Table{{1}, {7}});
  CHECK(load("1\n\n3\n") == Table{{2}, {1, 3}});
}

TEST_CASE("csv: nothing to read") {
  CHECK(refusal("").status == 3);
  CHECK(contains(refusal("").what, "a.csv: the input is empty"));
  CHECK(contains(refusal("", {.header = true}).what, "a.csv: the input is empty"));
  for (const char* text : {"\n", " \r\n\n", "# only\n", "\xef\xbb\xbf"}) {
    CHECK(refusal(text).status == 3);
    CHECK(refusal(text).what == "a.csv: no data rows");
  }
  CHECK(refusal("a,b\n", {.header = true}).what == "a.csv: no data rows");
  CHECK(contains(refusal("\n", {.header = true}).what, "no header"));
}

TEST_CASE("csv: trimming and quotes") {
  CHECK(load(" 1 ,\t2 \n3, 4\n") == two_by_two);
  CHECK(load("\"1\",\"2\"\n\"3\" , \" 4 \"\n") == two_by_two);
  CHECK(load("1\t\"2\"\n3\t4\n") == two_by_two);
  CHECK(load("\"1\" \"2\"\n3 4\n") == two_by_two);
  CHECK(load("\"1\"\n2\n") == Table{{2}, {1, 2}});
  CHECK(contains(refusal("1,\"2\n3,4\n").what, "a.csv:1: field 2: '\"2' has a quote that does not end"));
  CHECK(contains(refusal("1,\"2\n3,4\n").hint, "several lines are not read"));
  CHECK(contains(refusal("1,2\n\"3\"x,4\n").what, "a.csv:2: field 1: '\"3\"x,4' has text after its closing quote"));
  CHECK(contains(refusal("1,2\n\"3\"\"\",4\n").what, "a.csv:2: field 1: '3\"\"' is not a number"));
  CHECK(contains(refusal("1,2\n'3',4\n").what, "a.csv:2: field 1: ''3'' is not a number"));
  CHECK(contains(refusal("\"1\"\"2\"\n").what, "field 1"));
  CHECK(contains(refusal("1 2\n\"3\"\"4\"\n").what, "a.csv:2"));
  CHECK(contains(refusal("1 2\n\"3\"4\n").what, "text after its closing quote"));
}

TEST_CASE("csv: delimiters that are named") {
  const std::pair<const char*, const char*> cases[] = {
      {"comma", ","}, {",", ","},      {"semicolon", ";"},     {";", ";"}, {"pipe", "|"}, {"|", "|"}, {"tab", "\t"},
      {"\t", "\t"},   {"space", "  "}, {"whitespace", " \t "}, {" ", " "}, {":", ":"},    {"/", "/"}, {"!", "!"}};
  for (const auto& [option, between] : cases) {
    CAPTURE(std::string(option));
    const std::string text = "1" + std::string(between) + "2\n3" + between + "4\n";
    CHECK(load(text, {.delimiter = option}) == two_by_two);
  }
  CHECK(load("  1 2\n\t3\t\t4  \n", {.delimiter = "space"}) == two_by_two);
  for (const char* option : {"", "::", "colon", "\\t", "1", ".", "-", "+", "e", "\"", "#", "\n", "\r", "Comma"}) {
    CAPTURE(std::string(option));
    CHECK(refusal("1,2\n", {.delimiter = option}).status == 2);
  }
  CHECK(contains(refusal("1,2\n", {.delimiter = ";"}).what, "a.csv:1: field 1: '1,2' is not a number"));
}

TEST_CASE("csv: a delimiter that splits nothing, where another does") {
  const auto hint = [](std::string_view text, const char* told, io::ReadOptions options = {}) {
    options.delimiter = told;
    return refusal(text, options).hint;
  };
  CHECK(hint("1,2,3\n4,5,6\n", ";") == "--delimiter comma splits it");
  CHECK(hint("1.5,2\n", ";") == "--delimiter comma splits it");
  CHECK(hint("1, 2\n", "semicolon") == "--delimiter comma splits it");
  CHECK(hint("2024-01-01,5\n", "|") == "--delimiter comma splits it");
  CHECK(hint("1;2;3\n", ",") == "--delimiter semicolon splits it");
  CHECK(hint("1|2\n", ",") == "--delimiter pipe splits it");
  CHECK(hint("1\t2\n", ",") == "--delimiter tab splits it");
  CHECK(hint("1 2\n", ",") == "--delimiter whitespace splits it");
  // As well one number each, as it is written elsewhere.
  for (const char* text : {"1,5\n", "-1,5e3\n", "1,234\n", "1,234,567\n", "1,234,567.8\n"}) {
    CAPTURE(std::string(text));
    CHECK(hint(text, ";").starts_with("--delimiter comma splits it; decimal commas"));
  }
  for (const char* text : {"1,23,456\n", "1.5,234\n", "1,2.5\n", "1,-5\n"}) {
    CAPTURE(std::string(text));
    CHECK(hint(text, ";") == "--delimiter comma splits it");
  }
  // A header says which it is.
  CHECK(hint("a,b\n1,5\n", ";", {.header = true}) == "--delimiter comma splits it");
  CHECK(hint("a\n1,5\n", ";", {.header = true}).starts_with("write 1234.5: decimal commas"));
  CHECK(hint("a,b\n1,5\n", ";", {.header = true, .columns = "2"}) == "--delimiter comma splits it");
  CHECK(hint("a,b\n1,5\n", ";", {.header = true, .columns = "b"}) == "--delimiter comma splits it");
  // Where it splits the line, or another does not clearly, a comma is one inside of a number.
  CHECK(hint("1;2,5\n", ";").starts_with("write 1234.5: decimal commas"));
  CHECK(hint("1,5;2,5\n", "|").starts_with("write 1234.5: decimal commas"));
  CHECK(hint("x\n", ";") == "--header yes skips a line of names");
  for (const char* text : {"1,5 \n", " 1,5\n", "1,234 \n"})
    CHECK(hint(text, ";").starts_with("--delimiter comma splits it; decimal commas"));
  CHECK_FALSE(contains(hint("1,5 2,5\n", ";"), "splits it"));
  CHECK(hint("1, 5\n", ";") == "--delimiter comma splits it");
  // What each hint says is so.
  for (const auto& [word, between] : {std::pair("comma", ","), std::pair("semicolon", ";"), std::pair("pipe", "|"),
                                      std::pair("tab", "\t"), std::pair("whitespace", " ")}) {
    CAPTURE(std::string(word));
    const std::string text = "1.5" + std::string(between) + "2\n3" + between + "4\n";
    CHECK(hint(text, "!") == "--delimiter " + std::string(word) + " splits it");
    CHECK(load(text, {.delimiter = word}).shape == Shape{2, 2});
  }
}

TEST_CASE("csv: delimiters that are found") {
  for (const char* between : {",", ";", "\t", "|", " ", "   ", " , ", " ; ", " \t", "\t "})
    CHECK(load("1" + std::string(between) + "2\n3" + between + "4\n") == two_by_two);
  CHECK(load("  1.0e+00   2.0e+00\n 3.0 4\n") == two_by_two);
  CHECK(load("a;b\n1;2\n3;4\n", {.header = true}) == two_by_two);
  // The first line of data decides; where several candidates stand in it, the one that makes it numbers.
  CHECK(load("2024-01-01 12:00:00,1\n2024-01-02 12:00:00,2\n", {.columns = "2"}) == Table{{2}, {1, 2}});
  CHECK(load("\"a;b\",1\n", {.columns = "2"}) == Table{{1}, {1}});
  CHECK(load("1 2\t3\n") == Table{{1, 3}, {1, 2, 3}});
  for (const char* text : {"1,5;2,5\n", "1,5 2,5\n", "1;2,3\n", "1\t\t2\n", "1,2|3;4\n", "1,2;3\n4,5;6\n"}) {
    CAPTURE(std::string(text));
    CHECK(refusal(text).status == 3);
    CHECK(contains(refusal(text).what, "a.csv:1: the delimiter is not clear"));
    CHECK(contains(refusal(text).hint, "--delimiter"));
  }
  CHECK(contains(refusal("a,1,b;2;c\n", {.columns = "2"}).what, "not clear (',' or ';')"));
  // The column is a number by comma as well; without a header nothing says which separator it is.
  CHECK(contains(refusal("2024-01-01;10,5\n", {.columns = "2"}).what, "not clear"));
  CHECK(contains(refusal("1\t2,5\n", {.columns = "2"}).what, "not clear"));
  CHECK(contains(refusal("2024-01-01 10:00|5,7\n", {.columns = "2"}).what, "not clear"));
  CHECK(contains(refusal("a,b;1\nc,d;2\n", {.columns = "2"}).what, "not clear"));
  // A header says it by its number of fields.
  CHECK(contains(refusal("date;price\n2024-01-01;10,5\n", {.header = true, .columns = "2"}).what, "'10,5'"));
  CHECK(contains(refusal("1,5;2,5\n").hint, "decimal commas"));
  CHECK(contains(refusal("a\n1,2\n3,4;5\n", {.header = true}).what, "a.csv:3: field 2: '4;5' is not a number"));
}

TEST_CASE("csv: headers") {
  CHECK(load("a,b\n1,2\n3,4\n", {.header = true}) == two_by_two);
  CHECK(load("# note\n\na,b\n\n1,2\n3,4\n", {.header = true}) == two_by_two);
  const Thrown silent = refusal("a,b\n1,2\n3,4\n");
  CHECK(silent.what == "a.csv:1: field 1: 'a' is not a number");
  CHECK(contains(silent.hint, "--header yes"));
  CHECK(contains(refusal("\n#c\na\n1\n").hint, "--header yes"));
  CHECK_FALSE(contains(refusal("a,b\n1,2\n", {.header = false}).hint, "--header"));
  CHECK_FALSE(contains(refusal("1,2\nx,3\n").hint, "--header"));
  CHECK_FALSE(contains(refusal("1,NA\n").hint, "--header"));
  CHECK(contains(refusal("2024-01-01,5\n").hint, "--columns"));

  std::string warning;
  const std::string path = folder().write("years.csv", "2023,2024\n1,2\n");
  io::read_array(path, {.header = true}, [&](const std::string& text) { warning = text; });
  CHECK(contains(warning, "years.csv:1: the header"));
}

TEST_CASE("csv: columns by position, range and name") {
  const std::string log = "date,name,low,high\n2024-01-01,\"Smith, J\",1,2\n2024-01-02,-,3,4\n";
  CHECK(load(log, {.header = true, .columns = "3,4"}) == two_by_two);
  CHECK(load(log, {.header = true, .columns = "3-4"}) == two_by_two);
  CHECK(load(log, {.header = true, .columns = " low , high "}) == two_by_two);
  CHECK(load(log, {.header = true, .columns = "4,3"}) == Table{{2, 2}, {2, 1, 4, 3}});
  CHECK(load(log, {.header = true, .columns = "high"}) == Table{{2}, {2, 4}});
  CHECK(load(log, {.header = true, .columns = "3,low"}) == Table{{2, 2}, {1, 1, 3, 3}});
  CHECK(load("1,2,3,4\n", {.columns = "2-3"}) == Table{{1, 2}, {2, 3}});
  CHECK(load(log, {.header = true, .columns = "3-"}) == two_by_two);
  CHECK(load("1,2,3,4\n", {.columns = "3-,1"}) == Table{{1, 3}, {3, 4, 1}});
  CHECK(load("1,2,3,4\n", {.columns = "4-"}) == Table{{1}, {4}});
  CHECK(load("1,2,3,4\n", {.columns = "1-"}) == Table{{1, 4}, {1, 2, 3, 4}});
  CHECK(load("2-,b,c\n5,6,7\n", {.header = true, .columns = "\"2-\""}) == Table{{1}, {5}});
  CHECK(load("-2,b\n5,6\n", {.header = true, .columns = "-2"}) == Table{{1}, {5}});
  CHECK(load("a-b,2-x\n5,6\n", {.header = true, .columns = "2-x,a-b"}) == Table{{1, 2}, {6, 5}});
  CHECK(load("\"x \"\"y\"\"\",z\n5,6\n", {.header = true, .columns = "x \"y\""}) == Table{{1}, {5}});

  const std::string commas = "\"a,b\",2,\"q\"\"\"\n5,6,7\n";
  CHECK(load(commas, {.header = true, .columns = "\"a,b\""}) == Table{{1}, {5}});
  CHECK(load(commas, {.header = true, .columns = "3, \"a,b\" ,\"q\"\"\""}) == Table{{1, 3}, {7, 5, 7}});
  CHECK(load("2,1\n5,6\n", {.header = true, .columns = "\"1\""}) == Table{{1}, {6}});
  CHECK(contains(refusal(commas, {.header = true, .columns = "a"}).hint, "its columns: \"a,b\", 2, q\""));
  CHECK(refusal(commas, {.header = true, .columns = "\"a,b"}).status == 2);
  CHECK(refusal(commas, {.header = true, .columns = "\"a,b\"2"}).status == 2);

  for (const char* list : {"", "0", "0-2", "3-2", "1,,2", "1,", "x", "-", "-1", "1--", "1-2-3"}) {
    CAPTURE(std::string(list));
    CHECK(refusal("1,2,3\n", {.columns = list}).status == 2);
  }
  CHECK(contains(refusal("1,2,3\n", {.columns = "4"}).what, "a.csv:1: there is no column 4: the line has 3 fields"));
  CHECK(refusal("1,2,3\n", {.columns = "4"}).hint == "columns are counted from 1 to 3");
  CHECK(contains(refusal("1,2,3\n", {.columns = "4-"}).what, "a.csv:1: there is no column 4-: the line has 3 fields"));
  CHECK(refusal("1,2,3\n", {.columns = "99999999999999999999999-"}).status == 2);
  CHECK(refusal("1,2,3\n", {.columns = "0-"}).what == "--columns counts from 1");
  CHECK(contains(refusal("2-,b,c\n5,6,7\n", {.header = true, .columns = "2-"}).what, "both a range and the name"));
  CHECK(refusal("1,2,3\n", {.columns = "-2"}).hint == "columns 1 to 2 are 1-2; none is counted from the end");
  CHECK(refusal("a,b\n1,2\n", {.header = true, .columns = "-2"}).hint == refusal("1,2\n", {.columns = "-2"}).hint);
  CHECK(refusal("a,b\n1,2\n", {.header = true, .columns = "2-3"}).hint == "columns are counted from 1 to 2: a, b");
  CHECK(refusal("1,2,3\n", {.columns = "1-99999999999999999999999"}).status == 2);
  CHECK(
      contains(refusal(log, {.header = true, .columns = "middle"}).what, "a.csv:1: the header has no column 'middle'"));
  CHECK(contains(refusal(log, {.header = true, .columns = "middle"}).hint, "date, name, low, high"));
  CHECK(contains(refusal("a,a\n1,2\n", {.header = true, .columns = "a"}).what, "more than once"));
  CHECK(contains(refusal("2,1\n5,6\n", {.header = true, .columns = "1"}).what, "both a position and the name"));
  CHECK(contains(refusal("a,b\n1,2,3\n", {.header = true, .columns = "b"}).what, "2 names, the lines have 3 fields"));
  CHECK(contains(refusal(log, {.header = true, .columns = "2-3"}).what, "a.csv:2: field 2: 'Smith, J'"));
  CHECK(contains(refusal("x,1\ny\n", {.columns = "2"}).what, "a.csv:2: 1 field, line 1 has 2"));
}

TEST_CASE("csv: inspect reads all of it") {
  const auto inspected = [](std::string_view text, const io::ReadOptions& options = {}) {
    return io::inspect(*io::open_source(folder().write("i.csv", text)), options, {});
  };
  const io::Header header = inspected("a;b\n1;2\n3;4\n5;6\n", {.header = true});
  CHECK(header.format == io::Format::csv);
  CHECK(header.dtype == DType::f64);
  CHECK(header.shape == Shape{3, 2});
  CHECK(header.note == "csv, delimiter ';', header");
  CHECK(inspected("1\n2\n").note == "csv, delimiter none");
  CHECK(inspected("1 2\n").note == "csv, delimiter white space");
  CHECK(inspected("1\t2\n").note == "csv, delimiter tab");
  CHECK(contains(thrown([&] { inspected("1,2\n3\n"); }).what, "i.csv:2: 1 field, line 1 has 2"));
}

TEST_CASE("csv: inspect takes no comment for a column's first value") {
  const auto header = io::inspect(*io::open_source(folder().write("n.csv", ",2\n# note\n1,3\n")), {}, {});
  CHECK(header.shape == Shape{2, 2});
  CHECK(header.missing.count == 1);
}

TEST_CASE("csv: inspect counts what is missing") {
  const auto missing = [](std::string_view text, const io::ReadOptions& options = {}) {
    const io::Header header = io::inspect(*io::open_source(folder().write("i.csv", text)), options, {});
    CHECK(header.shape.size() == 2);
    return header.missing;
  };
  CHECK(missing("1,2\n3,4\n").count == 0);
  const std::string_view gaps = "# c\n1,2,3\n4,,NA\n\n\"\",5,6\n7,8,\n";
  for (const io::ReadOptions& options : {io::ReadOptions{}, {.missing_nan = true}, {.dtype = DType::i32}}) {
    const auto found = missing(gaps, options);
    CHECK(found.count == 4);
    CHECK(found.line == 3);
    CHECK(found.field == 2);
    CHECK(found.columns == std::vector<bool>{true, true, true});
  }
  CHECK(missing(gaps, {.columns = "1,3"}).count == 3);
  CHECK(missing(gaps, {.columns = "1,3"}).columns == std::vector<bool>{true, false, true});
  CHECK(missing(",NA\n1,2\n").count == 2);
  // A column is what its first value says that is there.
  const io::Header header = io::inspect(*io::open_source(folder().write("i.csv", ",NA,NA\n,x,\n3,y,\n")), {}, {});
  CHECK(header.numeric == std::vector<bool>{true, false, true});
  CHECK(header.missing.columns == std::vector<bool>{true, false, true});
  const auto late = thrown([] { io::inspect(*io::open_source(folder().write("i.csv", "1,2\nx,3\n")), {}, {}); });
  CHECK(contains(late.what, "i.csv:2: field 1: 'x' is not a number"));
  CHECK(late.hint == "--columns picks the columns that are numbers");
  // In several pieces, of which a later one has the first.
  std::string text;
  constexpr std::size_t lines = 1 << 20;
  for (std::size_t k = 1; k <= lines; ++k) text += k == 900'000 || k == 1'000'000 ? "1,2,\n" : "1,2,3\n";
  const auto found = missing(text);
  CHECK(found.count == 2);
  CHECK(found.line == 900'000);
  CHECK(found.columns == std::vector<bool>{false, false, true});
}
