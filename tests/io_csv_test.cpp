#include "io_files.hpp"

#include <cmath>

using namespace rung;
using namespace rung::io_test;

namespace {

const Folder& folder() {
  static const Folder folder;
  return folder;
}

struct Table {
  Shape shape;
  std::vector<double> values;
  bool operator==(const Table&) const = default;
};

Table load(std::string_view text, const io::ReadOptions& options = {}) {
  const HostArray array = io::read_array(folder().write("a.csv", text), options, {});
  return {array.shape, values<double>(array)};
}

/// The error without the folder: "a.csv:3: field 2: ...".
Thrown refusal(std::string_view text, const io::ReadOptions& options = {}) {
  Thrown error = thrown([&] { load(text, options); });
  const std::string start = folder().path("");
  if (error.what.starts_with(start)) error.what.erase(0, start.size());
  return error;
}

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
  CHECK(load("a-b,2-x\n5,6\n", {.header = true, .columns = "2-x,a-b"}) == Table{{1, 2}, {6, 5}});
  CHECK(load("\"x \"\"y\"\"\",z\n5,6\n", {.header = true, .columns = "x \"y\""}) == Table{{1}, {5}});

  const std::string commas = "\"a,b\",2,\"q\"\"\"\n5,6,7\n";
  CHECK(load(commas, {.header = true, .columns = "\"a,b\""}) == Table{{1}, {5}});
  CHECK(load(commas, {.header = true, .columns = "3, \"a,b\" ,\"q\"\"\""}) == Table{{1, 3}, {7, 5, 7}});
  CHECK(load("2,1\n5,6\n", {.header = true, .columns = "\"1\""}) == Table{{1}, {6}});
  CHECK(contains(refusal(commas, {.header = true, .columns = "a"}).hint, "its columns: \"a,b\", 2, q\""));
  CHECK(refusal(commas, {.header = true, .columns = "\"a,b"}).status == 2);
  CHECK(refusal(commas, {.header = true, .columns = "\"a,b\"2"}).status == 2);

  for (const char* list : {"", "0", "0-2", "3-2", "1,,2", "1,", "x", "1-", "-1", "1-2-3"}) {
    CAPTURE(std::string(list));
    CHECK(refusal("1,2,3\n", {.columns = list}).status == 2);
  }
  CHECK(contains(refusal("1,2,3\n", {.columns = "4"}).what, "a.csv:1: there is no column 4: the line has 3 fields"));
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

TEST_CASE("csv: missing values are errors unless NaN is asked for") {
  for (const char* text : {"1,\n", "1,,3\n", ",1\n", "1,\"\"\n", "1, \n"}) {
    CAPTURE(std::string(text));
    CHECK(contains(refusal(text).what, ": empty"));
    CHECK(contains(refusal(text).hint, "--missing nan"));
  }
  CHECK(refusal("1,NA,3\n").what == "a.csv:1: field 2: 'NA' is not a number");
  const Table table = load("1,NA,\n,\"NA\",6\n", {.missing_nan = true});
  CHECK(table.shape == Shape{2, 3});
  for (const std::size_t i : {1, 2, 3, 4}) CHECK(std::isnan(table.values[i]));
  CHECK(table.values[0] == 1);
  CHECK(table.values[5] == 6);
  for (const char* text : {"1,NULL\n", "1,N/A\n", "1,na\n", "1,-\n"})
    CHECK(refusal(text, {.missing_nan = true}).status == 3);
  CHECK(refusal("1\n", {.dtype = DType::i32, .missing_nan = true}).status == 2);
  // A row of tabs alone is a row, once tabs separate.
  CHECK(load("\t\n1\t2\n", {.delimiter = "tab", .missing_nan = true}).shape == Shape{2, 2});
  CHECK(load("\t\n1\t2\n", {.missing_nan = true}).shape == Shape{2, 2});
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const HostArray array = io::read_array(folder().path("a.csv"), {.dtype = dtype, .missing_nan = true}, {});
    CHECK(io::to_text(dtype, array.data.get()) == "nan");
  }
}

TEST_CASE("csv: errors name the line and the field") {
  CHECK(refusal("1,2,3\n4,5\n").what == "a.csv:2: 2 fields, line 1 has 3");
  CHECK(refusal("1,2\n4,5,6\n").what == "a.csv:2: 3 fields, line 1 has 2");
  CHECK(refusal("1,2\n3,4,\n").what == "a.csv:2: 3 fields, line 1 has 2");
  CHECK(refusal("# c\n\n1,2\n# d\n\n3,x\n").what == "a.csv:6: field 2: 'x' is not a number");
  CHECK(refusal("1,2\r\n3,4 5\r\n").what == "a.csv:2: field 2: '4 5' is not a number");
  CHECK(refusal("1,2\n3,1e999\n").what == "a.csv:2: field 2: '1e999' is out of range for f64");
  CHECK(refusal("1\n2\n1,5\n").what == "a.csv:3: field 1: '1,5' is not a number");
  CHECK(contains(refusal("1\r2\r3\r").what, "carriage return"));
  for (const char* text : {"1.2.3", "1-2", "e5", "+", ".", "1e+", "0x", "0x10", "5%", "true", "(5)", "1d0", "++1",
                           "1_000", "1.#INF", "1.#QNAN",
                           "\xe2\x88\x92"
                           "1",
                           "nan(1)", "inf!"}) {
    CAPTURE(std::string(text));
    CHECK(refusal("7,7\n7," + std::string(text) + "\n").status == 3);
    CHECK(refusal("7,7\n7," + std::string(text) + "\n").what.starts_with("a.csv:2: field 2: '"));
    CHECK(refusal(std::string(text) + "\n").status == 3);
  }
}

TEST_CASE("csv: NUL bytes and UTF-16 are not text") {
  using namespace std::string_view_literals;
  CHECK(contains(refusal("1,2\n\0\0\0\0"sv).what, "a.csv:2: a NUL byte"));
  CHECK(contains(refusal("1,2\n3,4\n#\0\n"sv).what, "a.csv:3: a NUL byte"));
  CHECK(contains(refusal("#\0\n1,2\n"sv).what, "a.csv:1: a NUL byte"));
  CHECK(contains(refusal("1\0,\0"sv).what, "a.csv:1: a NUL byte"));
  CHECK(contains(refusal("x,1\nx\0,2\n"sv, {.columns = "2"}).what, "a.csv:2: a NUL byte"));
  for (const std::string_view text : {"\xff\xfe"
                                      "1\0,\0"sv,
                                      "\xfe\xff\0"
                                      "1\0,"sv,
                                      "\xff\xfe\0\0"sv, "\0\0\xfe\xff"sv}) {
    CHECK(contains(refusal(text).what, "a.csv:1: UTF-16"));
    CHECK(contains(refusal(text).hint, "iconv"));
  }
}

TEST_CASE("csv: types") {
  const std::string path = folder().write("t.csv", "0,1\n1,0\n");
  for (const DTypeInfo& row : dtype_table) {
    CAPTURE(std::string(row.name));
    const Thrown error = thrown([&] {
      const HostArray array = io::read_array(path, {.dtype = row.dtype}, {});
      CHECK(array.dtype == row.dtype);
      CHECK(array.shape == Shape{2, 2});
      CHECK(io::to_text(row.dtype, array.data.get() + row.size) == "1");
      CHECK(io::to_text(row.dtype, array.data.get() + 3 * row.size) == "0");
    });
    CHECK(error.status == (row.kind == Kind::complex ? 2 : 0));
  }
  CHECK(refusal("1\n300\n", {.dtype = DType::u8}).what == "a.csv:2: field 1: '300' is out of range for u8 (0 to 255)");
  CHECK(refusal("3.0\n", {.dtype = DType::i64}).what == "a.csv:1: field 1: '3.0' is not an integer");
  const HostArray wide = io::read_array(folder().write("w.csv", "9007199254740993\n"), {.dtype = DType::i64}, {});
  CHECK(values<std::int64_t>(wide) == std::vector<std::int64_t>{9007199254740993});
}

TEST_CASE("csv: positions are exact in files that are read in pieces") {
  // 400,000 lines of 12 to 18 bytes: several pieces of 2 MiB. Comments and blank lines count as lines, not rows.
  std::string text;
  std::vector<double> wanted;
  std::vector<std::size_t> starts;
  for (std::size_t line = 1; line <= 400'000; ++line) {
    starts.push_back(text.size());
    if (line % 1000 == 0)
      text += line % 2000 == 0 ? "# a comment\n" : "\n";
    else {
      text += std::to_string(line) + "," + std::to_string(line % 97) + ".25\r\n";
      wanted.push_back(static_cast<double>(line));
      wanted.push_back(static_cast<double>(line % 97) + 0.25);
    }
  }
  const Table table = load(text);
  CHECK(table.shape == Shape{399'600, 2});
  CHECK(table.values == wanted);
  const Pipe pipe(text, 60'000);
  CHECK(values<double>(io::read_array(pipe.path(), {.from = io::Format::csv}, {})) == wanted);

  for (const std::size_t line : {1ul, 123'457ul, 287'651ul, 399'999ul}) {
    std::string broken = text;
    broken[starts[line - 1]] = 'x';
    const std::string start = "a.csv:" + std::to_string(line) + ": field 1: 'x";
    CHECK_MESSAGE(refusal(broken).what.starts_with(start), refusal(broken).what);
  }
  std::string twice = text;  // the first of two, whichever piece is parsed first
  twice[starts[123'456]] = twice[starts[399'998]] = 'x';
  for (int i = 0; i < 5; ++i) CHECK(refusal(twice).what.starts_with("a.csv:123457:"));
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

TEST_CASE("csv: written text") {
  const auto written = [](const HostArray& array, char delimiter = ',') {
    const auto sink = io::open_sink(folder().path("out.csv"));
    io::write_array(*sink, array, io::Format::csv, delimiter);
    sink->commit();
    return folder().read("out.csv");
  };
  CHECK(written(make_array<double>({2, 2}, {0.1, -2, 1e300, std::nan("")})) == "0.1,-2\n1e+300,nan\n");
  CHECK(written(make_array<double>({3}, {1, 2, 3})) == "1\n2\n3\n");
  CHECK(written(make_array<double>({}, {5})) == "5\n");
  CHECK(written(make_array<std::int8_t>({1, 2}, {-5, 65}), ';') == "-5;65\n");
  CHECK(written(make_array<Bool>({2}, {Bool{1}, Bool{0}})) == "1\n0\n");
  // An empty text is no array to the reader, and it would not say how many columns there are.
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{2, 0}})
    CHECK(thrown([&] { io::check_writable(DType::f32, shape, io::Format::csv); }).status == 2);
  CHECK(thrown([&] { io::check_writable(DType::f32, {1, 2, 3}, io::Format::csv); }).status == 2);
  CHECK(thrown([&] { io::check_writable(DType::c64, {2}, io::Format::csv); }).status == 2);
  CHECK(thrown([&] { written(make_array<float>({1, 1, 1}, {1})); }).status == 2);

  std::vector<std::int32_t> many(1'200'000);  // more than is formatted at a time
  std::string text;
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<std::int32_t>(i) - 500'000;
    text += std::to_string(many[i]) + (i % 3 == 2 ? "\n" : ",");
  }
  CHECK(written(make_array<std::int32_t>({400'000, 3}, many)) == text);
}
