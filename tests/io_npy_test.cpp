#include "io_files.hpp"

#include <numeric>

using namespace rung;
using namespace rung::io_test;

namespace {

const Folder& folder() {
  static const Folder folder;
  return folder;
}

HostArray load(std::string_view bytes, std::string* warning = nullptr) {
  return io::read_array(folder().write("a.npy", bytes), {}, [&](const std::string& text) {
    if (warning) *warning = text;
  });
}

Thrown refusal(std::string_view bytes) {
  return thrown([&] { load(bytes); });
}

std::string dictionary(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }\n";
}

const std::vector<float> three{1.5f, -2.f, 3.f};

}  // namespace

TEST_CASE("npy: every type by its type string") {
  const std::pair<const char*, DType> types[] = {
      {"|b1", DType::boolean}, {"|i1", DType::i8},  {"<i2", DType::i16}, {"<i4", DType::i32},  {"<i8", DType::i64},
      {"|u1", DType::u8},      {"<u2", DType::u16}, {"<u4", DType::u32}, {"<u8", DType::u64},  {"<f2", DType::f16},
      {"<f4", DType::f32},     {"<f8", DType::f64}, {"<c8", DType::c64}, {"<c16", DType::c128}};
  for (const auto& [descr, dtype] : types) {
    CAPTURE(std::string(descr));
    std::string data(3 * size_of(dtype), '\0');
    std::iota(data.begin(), data.end(), '\1');
    const HostArray array = load(npy(dictionary(descr, "(3,)"), data));
    CHECK(array.dtype == dtype);
    CHECK(array.shape == Shape{3});
    CHECK(std::string(reinterpret_cast<const char*>(array.data.get()), array.bytes()) == data);
  }
}

TEST_CASE("npy: versions 1, 2 and 3; others are refused") {
  for (const int version : {1, 2, 3})
    CHECK(values<float>(load(npy(dictionary("<f4", "(3,)"), bytes_of(three), version))) == three);
  for (const int version : {0, 4, 255})
    CHECK(contains(refusal(npy(dictionary("<f4", "(3,)"), bytes_of(three), version)).what, "npy version"));
  std::string minor = npy(dictionary("<f4", "(3,)"), bytes_of(three));
  minor[7] = 1;
  CHECK(contains(refusal(minor).what, "npy version 1.1 is not known"));
}

TEST_CASE("npy: both byte orders, complex by halves") {
  for (const char* native : {"<f4", "=f4", "|f4", "f4"})
    CHECK(values<float>(load(npy(dictionary(native, "(3,)"), bytes_of(three)))) == three);
  std::string swapped = bytes_of(three);
  for (std::size_t i = 0; i < swapped.size(); i += 4) std::reverse(&swapped[i], &swapped[i] + 4);
  CHECK(values<float>(load(npy(dictionary(">f4", "(3,)"), swapped))) == three);
  CHECK(values<std::int16_t>(load(npy(dictionary(">i2", "(2,)"), std::string("\x01\x2c\xff\xfe", 4)))) ==
        std::vector<std::int16_t>{300, -2});
  // (1 + 2j) as big-endian c8
  const HostArray complex = load(npy(dictionary(">c8", "()"), std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
  CHECK(io::to_text(complex.dtype, complex.data.get()) == "1+2j");
  CHECK(values<std::uint64_t>(load(npy(dictionary(">u8", "(1,)"), std::string("\x80\0\0\0\0\0\0\x01", 8)))) ==
        std::vector<std::uint64_t>{0x8000000000000001u});
}

TEST_CASE("npy: keys in any order, either quotes, space anywhere, with and without the last commas") {
  for (const char* text : {"{\"shape\":(3,),\"descr\":'<f4',\"fortran_order\":False}",
                           "{'fortran_order': False, 'shape': (3,), 'descr': \"<f4\"}",
                           "  { 'descr' : '<f4' ,\n'fortran_order' :\tFalse , 'shape' : ( 3 , ) , }   \n  ",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (3L,), }"})
    CHECK(values<float>(load(npy(text, bytes_of(three)))) == three);
  // A long header puts the data past 64 KiB; an odd one leaves it misaligned.
  CHECK(values<float>(load(npy(dictionary("<f4", "(3,)") + std::string(100'000, ' '), bytes_of(three), 2))) == three);
  for (std::size_t pad = 0; pad < 8; ++pad) {
    const HostArray array = load(npy(dictionary("<f4", "(3,)") + std::string(pad, ' '), bytes_of(three)));
    CHECK(values<float>(array) == three);
    CHECK(reinterpret_cast<std::uintptr_t>(array.data.get()) % sizeof(float) == 0);
  }
}

TEST_CASE("npy: malformed headers are refused with what is wrong") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a dictionary"},
      {"garbage", "not a dictionary"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", "ends too early"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,", "not a tuple of integers"},
      {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
      {"{'descr': '<f4', 'shape': (3,)}", "'fortran_order' is missing"},
      {"{'fortran_order': False, 'shape': (3,)}", "'descr' is missing"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "'descr' stands twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}", "unknown key 'extra'"},
      {"{'descr': '<f4', 'fortran_order': 1, 'shape': (3,)}", "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", "one-tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [3]}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "not a tuple"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "negative"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3.0,)}", "',' or ')'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (03,)}", "leading zero"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0x3,)}", "',' or ')'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "not a tuple of integers"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 3)}", "',' or ')'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", "too large"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (np.int64(3),)}", "not a tuple of integers"},
      {"{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3,)}", "escape"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}", "unknown type '<f4, '"},
      {"{'descr' '<f4', 'fortran_order': False, 'shape': (3,)}", "':' is missing"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}", "',' or '}'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", "text after the dictionary"},
      {"{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (3,)}", "',' or '}'"},
      {"{'descr': '<f3', 'fortran_order': False, 'shape': (3,)}", "unknown type '<f3'"},
      {"{'descr': '', 'fortran_order': False, 'shape': (3,)}", "unknown type ''"},
      {"{'descr': '<', 'fortran_order': False, 'shape': (3,)}", "unknown type '<'"}};
  for (const auto& [text, reason] : cases) {
    CAPTURE(std::string(text));
    const Thrown error = refusal(npy(text, bytes_of(three)));
    CHECK(error.status == 3);
    CHECK(contains(error.what, folder().path("a.npy") + ": npy header: "));
    CHECK_MESSAGE(contains(error.what, reason), error.what);
  }
  CHECK(refusal(npy(dictionary("<f4", "(3,)") + '\0', bytes_of(three))).status == 3);
}

TEST_CASE("npy: types that are not ours are refused by name") {
  const std::pair<const char*, const char*> cases[] = {
      {"'|O'", "objects"},    {"'<U5'", "strings"},        {"'|S3'", "strings"},
      {"'<M8[ns]'", "times"}, {"'<m8[s]'", "differences"}, {"'|V8'", "void"},
      {"'<f16'", "extended"}, {"'<c32'", "extended"},      {"[('x', '<f4')]", "structured"}};
  for (const auto& [descr, reason] : cases) {
    CAPTURE(std::string(descr));
    const Thrown error = refusal(
        npy("{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': (1,)}", std::string(16, '\0')));
    CHECK(error.status == 3);
    CHECK_MESSAGE(contains(error.what, reason), error.what);
  }
  const std::string offset = std::to_string(10 + dictionary("<V2", "(1,)").size());
  CHECK(contains(refusal(npy(dictionary("<V2", "(1,)"), "ab")).hint, "--dtype bf16 --offset " + offset));
}

TEST_CASE("npy: zip archives are told from npy") {
  CHECK(contains(refusal("PK\x03\x04 and more").what, "npz, not npy"));
  CHECK(contains(refusal("PK\x05\x06").what, "npz, not npy"));
}

TEST_CASE("npy: 0-d and zero sizes") {
  const HostArray scalar = load(npy(dictionary("<f8", "()"), bytes_of(std::vector<double>{7.5})));
  CHECK(scalar.shape.empty());
  CHECK(values<double>(scalar) == std::vector<double>{7.5});
  for (const bool fortran : {false, true}) {
    CHECK(load(npy(dictionary("<f8", "(0,)", fortran), "")).shape == Shape{0});
    CHECK(load(npy(dictionary("<f8", "(3, 0, 5)", fortran), "")).shape == Shape{3, 0, 5});
  }
}

TEST_CASE("npy: Fortran order is a storage order") {
  // NumPy's reference: element (i, j, k, …) of a Fortran array lies at i + s0·(j + s1·(k + …)).
  for (const Shape& shape : {Shape{5},
                             {2, 3},
                             {3, 2},
                             {1, 7},
                             {70, 33},
                             {33, 70},
                             {2, 3, 4},
                             {40, 1, 50},
                             {1, 1, 1},
                             {3, 40, 5},
                             {2, 3, 4, 5},
                             {35, 2, 1, 3, 34}}) {
    CAPTURE(to_string(shape));
    const std::size_t count = element_count(shape);
    std::vector<std::int32_t> stored(count), wanted(count);
    for (std::size_t flat = 0; flat < count; ++flat) {
      std::size_t rest = flat, at = 0, stride = count;
      for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
        stride /= shape[k];
        at += rest % shape[k] * stride;
      }
      stored[at] = wanted[flat] = static_cast<std::int32_t>(flat);
    }
    std::string text = "(";
    for (const std::size_t extent : shape) text += std::to_string(extent) + ",";
    const std::string file = npy(dictionary("<i4", text + ")", true), bytes_of(stored));
    const HostArray array = load(file);
    CHECK(array.shape == shape);
    CHECK(values<std::int32_t>(array) == wanted);
    CHECK(values<std::int32_t>(io::read_array(Pipe(file, 4096).path(), {}, {})) == wanted);
  }
  std::string big(12, '\0');  // big-endian and Fortran at once: (2, 3) of i2, columns first
  for (std::size_t i = 0; i < 6; ++i) big[2 * i + 1] = static_cast<char>(i);
  CHECK(values<std::int16_t>(load(npy(dictionary(">i2", "(2, 3)", true), big))) ==
        std::vector<std::int16_t>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("npy: sizes are checked before memory is taken") {
  const Thrown shorter = refusal(npy(dictionary("<f4", "(4,)"), std::string(10, 'x')));
  CHECK(shorter.status == 3);
  CHECK(contains(shorter.what, "declares 16 bytes"));
  CHECK(contains(shorter.what, ", 10 are there"));
  CHECK(contains(refusal(npy(dictionary("<f8", "(4294967296, 4294967296)"), "xx")).what, "overflows"));
  CHECK(contains(refusal(npy(dictionary("<f8", "(2305843009213693953,)"), "xxxxxxxx")).what, "overflows"));
  const std::string terabytes = npy(dictionary("<f4", "(1000000000000,)"), std::string(16, 'x'));
  CHECK(contains(refusal(terabytes).what, "declares 4000000000000 bytes"));
  const Pipe pipe(terabytes);
  CHECK(contains(thrown([&] { io::read_array(pipe.path(), {}, {}); }).what, ", 16 are there"));
}

TEST_CASE("npy: truncated anywhere, it is an error, from files and pipes") {
  const std::string whole = npy(dictionary("<f4", "(3,)"), bytes_of(three));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(refusal(whole.substr(0, size)).status == 3);
    const Pipe pipe(whole.substr(0, size));
    CHECK(thrown([&] { io::read_array(pipe.path(), {.from = io::Format::npy}, {}); }).status == 3);
  }
  const Pipe pipe(whole, 1);
  CHECK(values<float>(io::read_array(pipe.path(), {}, {})) == three);
}

TEST_CASE("npy: bytes after the array are a warning") {
  std::string warning;
  CHECK(values<float>(load(npy(dictionary("<f4", "(3,)"), bytes_of(three) + "more"), &warning)) == three);
  CHECK(contains(warning, "a.npy: 4 bytes after the array"));
  const Pipe pipe(npy(dictionary("<f4", "(3,)"), bytes_of(three) + "more"));
  warning.clear();
  CHECK(values<float>(io::read_array(pipe.path(), {}, [&](const std::string& text) { warning = text; })) == three);
  CHECK(contains(warning, "after the array"));
}

TEST_CASE("npy: options that do not fit it") {
  const std::string path = folder().write("b.npy", npy(dictionary("<f4", "(3,)"), bytes_of(three)));
  CHECK(values<float>(io::read_array(path, {.dtype = DType::f32}, {})) == three);
  const Thrown other = thrown([&] { io::read_array(path, {.dtype = DType::f64}, {}); });
  CHECK(other.status == 2);
  CHECK(contains(other.what, "f32, not f64"));
  CHECK(thrown([&] { io::read_array(path, {.shape = Shape{3}}, {}); }).status == 2);
  CHECK(thrown([&] { io::read_array(path, {.delimiter = ","}, {}); }).status == 2);
}

TEST_CASE("npy: mapped data is used where it lies") {
  const std::string dictionary_text = dictionary("<f4", "(3,)");
  const std::string padded = dictionary_text + std::string(128 - 10 - dictionary_text.size(), ' ');
  const auto source = io::open_source(folder().write("c.npy", npy(padded, bytes_of(three))));
  const std::byte* const start = source->peek(1).data();
  const HostArray array = io::read_array(*source, {}, {});
  CHECK(array.data.get() == start + 128);
  CHECK(values<float>(array) == three);
}

TEST_CASE("npy: inspect") {
  const auto source =
      io::open_source(folder().write("d.npy", npy(dictionary(">i2", "(2, 3)", true), std::string(12, 'x'), 3)));
  const io::Header header = io::inspect(*source, {}, {});
  CHECK(header.format == io::Format::npy);
  CHECK(header.dtype == DType::i16);
  CHECK(header.shape == Shape{2, 3});
  CHECK(header.fortran_order);
  CHECK(header.endian == io::Endian::big);
  CHECK(header.data_offset == 12 + dictionary(">i2", "(2, 3)", true).size());
  CHECK(header.note == "npy 3.0");
}

TEST_CASE("npy: what is written, to the byte") {
  const std::string path = folder().path("out.npy");
  const auto written = [&](const HostArray& array) {
    const auto sink = io::open_sink(path);
    io::write_array(*sink, array, io::Format::npy);
    sink->commit();
    return folder().read("out.npy");
  };
  const auto preamble = [](std::string text) {
    text.resize(117, ' ');
    return std::string("\x93NUMPY\x01\0\x76\0", 10) + text + '\n';
  };
  CHECK(written(make_array<float>({3}, three)) ==
        preamble("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }") + bytes_of(three));
  CHECK(written(make_array<std::uint8_t>({}, {9})) ==
        preamble("{'descr': '|u1', 'fortran_order': False, 'shape': (), }") + "\x09");
  CHECK(written(make_array<std::int64_t>({2621, 0}, {})) ==
        preamble("{'descr': '<i8', 'fortran_order': False, 'shape': (2621, 0), }"));
  const Shape many(30'000, 1);
  const std::string deep = written(make_array<std::uint8_t>(many, {5}));
  CHECK(deep[6] == 2);
  CHECK((deep.size() - 1) % 64 == 0);
  CHECK(load(deep).shape == many);
  CHECK(thrown([&] { io::check_writable(DType::bf16, {3}, io::Format::npy); }).status == 2);
  CHECK(thrown([&] { io::check_writable(DType::c128, {3, 4, 5}, io::Format::npy); }).status == 0);
}
