#include "io_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

using namespace rung;
using namespace rung::io_test;

namespace {

const Folder& folder() {
  static const Folder folder;
  return folder;
}

std::string read_all(io::Source& source) {
  std::string text(1 << 20, '\0');
  text.resize(source.read(std::as_writable_bytes(std::span(text))));
  return text;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Standard input is `path` while `work` runs.
template <class Work>
void with_stdin(int fd, const Work& work) {
  const int saved = ::dup(0);
  ::dup2(fd, 0);
  work();
  ::dup2(saved, 0);
  ::close(saved);
}

io::Format detected(const std::string& path, std::string_view bytes, const io::ReadOptions& options = {}) {
  return io::detect_format(*io::open_source(folder().write(path, bytes)), options);
}

}  // namespace

TEST_CASE("source: files are mapped") {
  const auto source = io::open_source(folder().write("a", "0123456789"));
  CHECK(source->name() == folder().path("a"));
  CHECK(source->remaining() == 10);
  CHECK(as_text(source->peek(3)) == "012");
  CHECK(as_text(source->peek(99)) == "0123456789");
  std::byte two[2];
  CHECK(source->read(two) == 2);
  const Bytes mapped = source->take_mapped(3);
  REQUIRE(mapped);
  CHECK(std::string(reinterpret_cast<const char*>(mapped.get()), 3) == "234");
  CHECK(source->take_mapped(6) == nullptr);
  CHECK(source->remaining() == 5);
  CHECK(read_all(*source) == "56789");
  CHECK(source->remaining() == 0);
  CHECK(read_all(*source).empty());
  CHECK(source->peek(1).empty());
}

TEST_CASE("source: a mapping outlives its source and the file's replacement") {
  Bytes bytes;
  {
    const auto source = io::open_source(folder().write("b", "keep"));
    bytes = source->take_mapped(4);
  }
  std::filesystem::remove(folder().path("b"));
  CHECK(std::string(reinterpret_cast<const char*>(bytes.get()), 4) == "keep");
}

TEST_CASE("source: pipes give all their bytes, whatever the pieces") {
  std::string text;
  for (int i = 0; text.size() < 300'000; ++i) text += std::to_string(i) + ' ';
  for (const std::size_t step : {std::size_t{997}, text.size()}) {
    const Pipe pipe(text, step);
    const auto source = io::open_source(pipe.path());
    CHECK_FALSE(source->remaining());
    CHECK(source->take_mapped(1) == nullptr);
    CHECK(as_text(source->peek(5)) == text.substr(0, 5));
    CHECK(as_text(source->peek(50'000)) == text.substr(0, 50'000));
    CHECK(as_text(source->peek(5)) == text.substr(0, 5));
    std::byte seven[7];
    CHECK(source->read(seven) == 7);
    CHECK(as_text(source->peek(3)) == text.substr(7, 3));
    CHECK(read_all(*source) == text.substr(7));
    CHECK(source->peek(1).empty());
  }
}

TEST_CASE("source: FIFOs") {
  const std::string path = folder().path("fifo");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread feeder([&] { std::ofstream(path) << "1\n2\n"; });
  const HostArray array = io::read_array(path, {.from = io::Format::csv}, {});
  feeder.join();
  CHECK(values<double>(array) == std::vector<double>{1, 2});
}

TEST_CASE("source: standard input, as a pipe and as a file that was begun") {
  for (const char* name : {"-", "/dev/stdin"}) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], "abc", 3) == 3);
    ::close(ends[1]);
    with_stdin(ends[0], [&] { CHECK(read_all(*io::open_source(name)) == "abc"); });
    ::close(ends[0]);

    const int file = ::open(folder().write("begun", "0123456789").c_str(), O_RDONLY);
    ::lseek(file, 4, SEEK_SET);
    with_stdin(file, [&] {
      const auto source = io::open_source(name);
      CHECK(source->name() == name);
      CHECK(source->remaining() == 6);
      CHECK(read_all(*source) == "456789");
    });
    ::close(file);
  }
}

TEST_CASE("source: a descriptor by its path is read from where it is") {
  const int file = ::open(folder().write("begun", "0123456789").c_str(), O_RDONLY);
  for (const char* where : {"/dev/fd/", "/proc/self/fd/"}) {
    ::lseek(file, 4, SEEK_SET);
    const auto source = io::open_source(where + std::to_string(file));
    CHECK(source->remaining() == 6);
    CHECK(read_all(*source) == "456789");
  }
  ::close(file);
  const Thrown closed = thrown([&] { io::open_source("/dev/fd/" + std::to_string(file)); });
  CHECK(closed.status == 3);
  CHECK(closed.what == "/dev/fd/" + std::to_string(file) + ": Bad file descriptor");
}

TEST_CASE("source: what cannot be opened") {
  const Thrown missing = thrown([&] { io::open_source(folder().path("none")); });
  CHECK(missing.status == 3);
  CHECK(missing.what == folder().path("none") + ": No such file or directory");
  CHECK(thrown([&] { io::open_source(folder().path("")); }).what == folder().path("") + ": is a directory");
  CHECK(contains(thrown([&] { io::open_source(folder().write("c", "") + "/x"); }).what, "Not a directory"));
  CHECK(thrown([&] { io::open_source(""); }).status == 3);
}

TEST_CASE("source: files without a size are read") {
  CHECK(read_all(*io::open_source(folder().write("d", ""))).empty());
  CHECK(contains(read_all(*io::open_source("/proc/self/status")), "Pid:"));
  CHECK(read_all(*io::open_source("/dev/null")).empty());
}

TEST_CASE("format: by option, then first bytes, then name") {
  using io::Format;
  CHECK(detected("x.csv", "\x93NUMPY") == Format::npy);
  CHECK(detected("x.bin", "\x93NUMPY") == Format::npy);
  CHECK(detected("x.npy", "1,2") == Format::npy);
  for (const char* name : {"x.csv", "x.tsv", "x.txt", "x.CSV", "x.y.Csv"}) CHECK(detected(name, "1,2") == Format::csv);
  for (const char* name : {"x.raw", "x.bin", "x.BIN"}) CHECK(detected(name, "PK\x03\x04") == Format::raw);
  CHECK(detected("x.csv", "\x93NUMPY", {.from = Format::raw}) == Format::raw);
  for (const char* name : {"x", "x.dat", "csv", ".npyx"}) {
    const Thrown unknown = thrown([&] { detected(name, "1,2"); });
    CHECK(unknown.status == 3);
    CHECK(contains(unknown.hint, "--from"));
  }
  CHECK(contains(thrown([&] { detected("x.npz", "PK\x03\x04"); }).what, "npz, not npy"));
  CHECK(contains(thrown([&] { detected("x.csv.gz", "\x1f\x8b"); }).hint, "gunzip"));
  const Pipe named("\x93NUMPY", 1);
  CHECK(io::detect_format(*io::open_source(named.path()), {}) == Format::npy);
  const Pipe unnamed("1,2\n");
  CHECK(contains(thrown([&] { io::detect_format(*io::open_source(unnamed.path()), {}); }).hint, "--from"));
}

TEST_CASE("format: of two files each takes the options that are for its format") {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }\n";
  const std::string array = folder().write("two.npy", npy(header, ""));
  const std::string raw = folder().write("two.raw", "abcd"), csv = folder().write("two.csv", "1\n");
  const io::ReadOptions all{.dtype = DType::f32,
                            .shape = Shape{1},
                            .offset = 4,
                            .endian = io::Endian::big,
                            .delimiter = ",",
                            .header = false,
                            .columns = "1",
                            .missing_nan = true};
  const auto each = [](const std::string& a, const std::string& b, const io::ReadOptions& options) {
    return io::options_for_each(*io::open_source(a), *io::open_source(b), options);
  };
  const auto [none, those] = each(array, raw, {.from = io::Format::raw, .dtype = DType::f32, .shape = Shape{1}});
  CHECK(none.from == io::Format::npy);
  CHECK(!none.dtype);
  CHECK(!none.shape);
  CHECK(those.from == io::Format::raw);
  CHECK(those.dtype == DType::f32);
  CHECK(those.shape == Shape{1});
  const auto [of_raw, of_csv] = each(raw, csv, all);
  CHECK(of_raw.shape == Shape{1});
  CHECK(of_raw.offset == 4);
  CHECK(of_raw.endian == io::Endian::big);
  CHECK(!of_raw.delimiter);
  CHECK(!of_raw.header);
  CHECK(!of_raw.columns);
  CHECK(!of_raw.missing_nan);
  CHECK(!of_csv.shape);
  CHECK(of_csv.offset == 0);
  CHECK(of_csv.endian == io::Endian::little);
  CHECK(of_csv.delimiter == ",");
  CHECK(of_csv.columns == "1");
  CHECK(of_csv.missing_nan);
  CHECK(of_csv.dtype == DType::f32);
  // What neither has a use for is refused; of two npy --dtype is checked.
  CHECK(contains(thrown([&] { each(array, array, all); }).what, "two.npy: --shape is for raw input"));
  CHECK(contains(thrown([&] { each(array, raw, all); }).what, "two.npy: --delimiter is for csv input"));
  CHECK(each(array, array, {.dtype = DType::f32}).second.dtype == DType::f32);
}

TEST_CASE("format: two files that are read before either is known of the other are refused the same") {
  const io::Read npy{"a.npy", io::Format::npy, DType::f64}, raw{"-", io::Format::raw, DType::f32};
  io::check_options_of_both(npy, raw, {.dtype = DType::f32, .shape = Shape{1}});
  io::check_options_of_both(npy, npy, {.dtype = DType::f64});
  CHECK(contains(thrown([&] { io::check_options_of_both(npy, npy, {.shape = Shape{1}}); }).what, "a.npy: --shape"));
  CHECK(contains(thrown([&] { io::check_options_of_both(raw, npy, {.header = true}); }).what, "<stdin>: --header"));
  CHECK(contains(thrown([&] { io::check_options_of_both(npy, npy, {.dtype = DType::f32}); }).what,
                 "a.npy: its elements are f64, not f32"));
}

TEST_CASE("source: an interrupt ends the wait for a pipe that has no writer") {
  const std::string path = folder().path("silent");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(io::is_stream(path));
  CHECK_FALSE(io::is_stream(folder().write("no.pipe", "1")));
  const io::Interrupt interrupt;
  const auto source = io::open_source(path, &interrupt);  // does not wait
  interrupt.raise();
  CHECK_THROWS_AS(source->peek(1), io::Interrupted);
}

TEST_CASE("format: names") {
  for (const io::Format format : {io::Format::npy, io::Format::raw, io::Format::csv})
    CHECK(io::parse_format(io::name_of(format)) == format);
  CHECK_FALSE(io::parse_format("npz"));
  CHECK(io::format_of_path("a/b.c/x.npy") == io::Format::npy);
  CHECK_FALSE(io::format_of_path("a.csv/x"));
  CHECK_FALSE(io::format_of_path("-"));
}
