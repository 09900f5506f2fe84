// What the fields of a CSV text are: values, missing ones, errors; and values as text.
#include "io_csv.hpp"

#include <cmath>

using namespace rung;
using namespace rung::io_test;

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
