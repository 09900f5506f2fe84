#include "io_files.hpp"

using namespace rung;
using namespace rung::io_test;

namespace {

const Folder& folder() {
  static const Folder folder;
  return folder;
}

const std::string six = bytes_of(std::vector<std::int16_t>{1, -2, 300, 4, 5, 6});

}  // namespace

TEST_CASE("raw: all of the file is one dimension, a shape is taken as told") {
  const std::string path = folder().write("a.bin", six);
  const HostArray flat = io::read_array(path, {.dtype = DType::i16}, {});
  CHECK(flat.shape == Shape{6});
  CHECK(values<std::int16_t>(flat) == std::vector<std::int16_t>{1, -2, 300, 4, 5, 6});
  CHECK(io::read_array(path, {.dtype = DType::i16, .shape = Shape{2, 3}}, {}).shape == Shape{2, 3});
  CHECK(io::read_array(path, {.dtype = DType::u8}, {}).shape == Shape{12});
  for (const std::size_t step : {1, 5, 4096}) {
    const Pipe pipe(six, step);
    CHECK(values<std::int16_t>(io::read_array(pipe.path(), {.from = io::Format::raw, .dtype = DType::i16}, {})) ==
          values<std::int16_t>(flat));
  }
}

TEST_CASE("raw: offsets and byte order") {
  const std::string path = folder().write("b.raw", "x" + six);
  const io::ReadOptions odd{.dtype = DType::i16, .offset = 1};
  CHECK(values<std::int16_t>(io::read_array(path, odd, {})) == std::vector<std::int16_t>{1, -2, 300, 4, 5, 6});
  const Pipe pipe("x" + six);
  CHECK(io::read_array(pipe.path(), {.from = io::Format::raw, .dtype = DType::i16, .offset = 1}, {}).shape == Shape{6});
  const std::string big = folder().write("c.raw", std::string("\x01\x2c\xff\xfe", 4));
  CHECK(values<std::int16_t>(io::read_array(big, {.dtype = DType::i16, .endian = io::Endian::big}, {})) ==
        std::vector<std::int16_t>{300, -2});
  const Pipe big_pipe(std::string("\x01\x2c\xff\xfe", 4));
  CHECK(values<std::int16_t>(io::read_array(
            big_pipe.path(), {.from = io::Format::raw, .dtype = DType::i16, .endian = io::Endian::big}, {})) ==
        std::vector<std::int16_t>{300, -2});
}

TEST_CASE("raw: sizes that do not fit") {
  const std::string path = folder().write("d.bin", six);
  const auto error = [&](const io::ReadOptions& options) { return thrown([&] { io::read_array(path, options, {}); }); };
  CHECK(error({}).status == 2);
  CHECK(contains(error({}).what, "needs --dtype"));
  CHECK(contains(error({.dtype = DType::f64}).what, "12 bytes are not a whole number of f64"));
  CHECK(contains(error({.dtype = DType::i16, .shape = Shape{7}}).what, "declares 14 bytes"));
  CHECK(contains(error({.dtype = DType::i16, .shape = Shape{7}}).what, "12 are there"));
  CHECK(contains(error({.dtype = DType::i16, .offset = 13}).what, "past the end: 12 bytes"));
  CHECK(contains(error({.dtype = DType::i16, .shape = Shape{1ull << 63}}).what, "overflows"));
  CHECK(io::read_array(path, {.dtype = DType::i16, .offset = 12}, {}).shape == Shape{0});
  const Pipe pipe(six);
  const io::ReadOptions past{.from = io::Format::raw, .dtype = DType::i16, .offset = 13};
  CHECK(contains(thrown([&] { io::read_array(pipe.path(), past, {}); }).what, "past the end: 12 bytes"));

  std::string warning;
  const HostArray two =
      io::read_array(path, {.dtype = DType::i16, .shape = Shape{2}}, [&](const std::string& text) { warning = text; });
  CHECK(values<std::int16_t>(two) == std::vector<std::int16_t>{1, -2});
  CHECK(contains(warning, "8 bytes after the array"));
}

TEST_CASE("raw: an empty file is an empty array") {
  const std::string path = folder().write("e.bin", "");
  CHECK(io::read_array(path, {.dtype = DType::f32}, {}).shape == Shape{0});
  CHECK(io::inspect(*io::open_source(path), {.dtype = DType::f32}, {}).shape == Shape{0});
  CHECK(io::inspect(*io::open_source(folder().write("f.bin", six)), {.dtype = DType::i16, .offset = 2}, {}).shape ==
        Shape{5});
}

TEST_CASE("raw: written bytes are the elements") {
  const auto sink = io::open_sink(folder().path("g.raw"));
  io::write_array(*sink, make_array<BF16>({2}, {BF16{0x3f80}, BF16{0xc000}}), io::Format::raw);
  sink->commit();
  CHECK(folder().read("g.raw") == std::string("\x80\x3f\x00\xc0", 4));
}
