#include "../cli/io/number.hpp"
#include "io_files.hpp"

#include <cmath>
#include <limits>

using namespace rung;
using namespace rung::io_test;

namespace {

/// The value of a whole text; nothing when any of it is refused.
template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  if (io::parse_number(text.data(), end, value) != end) return std::nullopt;
  return value;
}

template <class T>
std::optional<int> parse16(std::string_view text) {
  const auto value = parse<T>(text);
  return value ? std::optional<int>(value->bits) : std::nullopt;
}

template <class T>
std::string text_of(T value) {
  return io::to_text(dtype_of<T>, &value);
}

std::string digits_of(double value) {
  char text[1200];
  std::snprintf(text, sizeof text, "%.1100f", value);  // exact: no binary64 has more fractional digits
  return text;
}

constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("numbers: spellings that are accepted") {
  const std::pair<const char*, double> cases[] = {{"1", 1},
                                                  {"+1", 1},
                                                  {"-1", -1},
                                                  {".5", .5},
                                                  {"5.", 5},
                                                  {"-.5", -.5},
                                                  {"+.5", .5},
                                                  {"1e3", 1000},
                                                  {"1E3", 1000},
                                                  {"1e+3", 1000},
                                                  {"1e-3", 1e-3},
                                                  {"007", 7},
                                                  {"0.1", 0.1},
                                                  {"-15.361000", -15.361},
                                                  {"inf", inf},
                                                  {"INF", inf},
                                                  {"+inf", inf},
                                                  {"-Inf", -inf},
                                                  {"Infinity", inf},
                                                  {"-INFINITY", -inf},
                                                  {"1.7976931348623157e308", 1.7976931348623157e308},
                                                  {"0e999999999999999999999", 0},
                                                  {"4.9e-324", 4.9e-324},
                                                  {"2.2250738585072011e-308", 2.2250738585072011e-308}};
  for (const auto& [text, value] : cases) {
    CAPTURE(std::string(text));
    REQUIRE(parse<double>(text));
    CHECK(*parse<double>(text) == value);
  }
  for (const char* text : {"nan", "NaN", "NAN", "+nan", "-nan"}) {
    REQUIRE(parse<double>(text));
    CHECK(std::isnan(*parse<double>(text)));
  }
  CHECK(parse<double>("0." + std::string(6000, '0') + "1") == 0.0);
  CHECK(parse<double>("0.1" + std::string(6000, '0')) == 0.1);
  CHECK(parse<double>(std::string(400, '0') + "7") == 7.0);
}

TEST_CASE("numbers: spellings that are refused, whatever the type") {
  for (const char* text : {"",
                           "+",
                           "-",
                           ".",
                           "e5",
                           "1e",
                           "1e+",
                           "1e5.5",
                           "1.2.3",
                           "1-2",
                           "1 2",
                           "++1",
                           "+-1",
                           "-+1",
                           "--1",
                           "0x10",
                           "0x",
                           "1_000",
                           "1,5",
                           "1'000",
                           "5%",
                           "$5",
                           "(5)",
                           "1d0",
                           "1f",
                           "1L",
                           "true",
                           "abc",
                           "nan(1)",
                           "nan()",
                           "nanx",
                           "infx",
                           "in",
                           "na",
                           "NA",
                           "1.#INF",
                           "1.#QNAN",
                           "\xe2\x88\x92"
                           "1",
                           " 1",
                           "1 ",
                           "1\r",
                           "١"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse<double>(text));
    CHECK_FALSE(parse<float>(text));
    CHECK_FALSE(parse16<F16>(text));
    CHECK_FALSE(parse<std::int32_t>(text));
    CHECK_FALSE(parse<std::uint64_t>(text));
    CHECK_FALSE(io::has_number_syntax(text));
  }
  CHECK_FALSE(parse<double>(std::string_view("1\0", 2)));
}

TEST_CASE("numbers: underflow gives the nearest value, overflow none") {
  CHECK(parse<double>("1e-400") == 0.0);
  CHECK(std::signbit(*parse<double>("-1e-400")));
  CHECK(parse<double>("2.4703282292062327e-324") == 0.0);  // just below half of the least denormal
  CHECK(parse<double>("2.4703282292062328e-324") == 4.9e-324);
  CHECK(parse<double>("1e-99999999999999999999") == 0.0);
  CHECK_FALSE(parse<double>("1e400"));
  CHECK_FALSE(parse<double>("-1e400"));
  CHECK_FALSE(parse<double>("1e99999999999999999999"));
  CHECK_FALSE(parse<double>(std::string(400, '9')));
  CHECK(parse<double>("1.797693134862315807e308") == std::numeric_limits<double>::max());
  CHECK_FALSE(parse<double>("1.797693134862315808e308"));

  CHECK(parse<float>("1e-50") == 0.0f);
  CHECK(parse<float>("1.4e-45") == std::numeric_limits<float>::denorm_min());
  CHECK(parse<float>("0.7e-45") == 0.0f);
  CHECK(parse<float>("3.4028235e38") == std::numeric_limits<float>::max());
  CHECK_FALSE(parse<float>("3.4028236e38"));
  CHECK_FALSE(parse<float>("1e39"));
}

TEST_CASE("numbers: f32 is rounded once") {
  // 1 + 2^-24 is half way between 1 and the next binary32; the double nearest to a little more is that half.
  CHECK(parse<float>("1.000000059604644775390625") == 1.0f);
  CHECK(parse<float>("1.0000000596046447753906250000000000000001") == std::nextafter(1.0f, 2.0f));
}

TEST_CASE("numbers: 16-bit floats are rounded once, to even") {
  CHECK(parse16<F16>("1") == 0x3c00);
  CHECK(parse16<F16>("-2") == 0xc000);
  CHECK(parse16<F16>("-0") == 0x8000);
  CHECK(parse16<F16>("65504") == 0x7bff);
  CHECK(parse16<F16>("65519.999999999999999999999999") == 0x7bff);
  CHECK_FALSE(parse16<F16>("65520"));
  CHECK_FALSE(parse16<F16>("1e10"));
  CHECK_FALSE(parse16<F16>("1e400"));
  CHECK(parse16<F16>("inf") == 0x7c00);
  CHECK(parse16<F16>("-inf") == 0xfc00);
  CHECK(parse16<F16>("nan") == 0x7e00);
  CHECK(parse16<F16>("1.00048828125") == 0x3c00);  // 1 + 2^-11, half way
  CHECK(parse16<F16>("1.00048828125000000000000000000000000001") == 0x3c01);
  CHECK(parse16<F16>("1.00146484375") == 0x3c02);
  CHECK(parse16<F16>("1.00146484374999999999999999999999999999") == 0x3c01);
  CHECK(parse16<F16>("5.9604644775390625e-8") == 0x0001);
  CHECK(parse16<F16>("2.98023223876953125e-8") == 0x0000);
  CHECK(parse16<F16>("2.980232238769531250000000000000000001e-8") == 0x0001);
  CHECK(parse16<F16>("6.103515625e-5") == 0x0400);
  CHECK(parse16<F16>("1e-400") == 0x0000);
  CHECK(parse16<BF16>("1") == 0x3f80);
  CHECK(parse16<BF16>("1.00390625") == 0x3f80);  // 1 + 2^-8, half way
  CHECK(parse16<BF16>("1.003906250000000000000000000000000001") == 0x3f81);
  CHECK(parse16<BF16>("3.3895313892515355e38") == 0x7f7f);
  CHECK_FALSE(parse16<BF16>("3.4e38"));
  CHECK(parse16<BF16>("9.183549615799121e-41") == 0x0001);
}

TEST_CASE("numbers: every 16-bit float, and every half way between two") {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const double value = to_float(F16{static_cast<std::uint16_t>(bits)});
    const double next = bits + 1 == 0x7c00 ? 65536.0 : to_float(F16{static_cast<std::uint16_t>(bits + 1)});
    const std::string half = digits_of((value + next) / 2);
    const bool even = bits % 2 == 0;
    REQUIRE(parse16<F16>(digits_of(value)) == bits);
    if (bits + 1 < 0x7c00 || even) REQUIRE(parse16<F16>(half) == (even ? bits : bits + 1));
    REQUIRE(parse16<F16>(half + "1").has_value() == (bits + 1 < 0x7c00));
    if (bits + 1 < 0x7c00) REQUIRE(parse16<F16>(half + "1") == bits + 1);
  }
}

TEST_CASE("numbers: integers are exact and in range") {
  CHECK(parse<std::int64_t>("9007199254740993") == 9007199254740993);
  CHECK(parse<std::uint64_t>("18446744073709551615") == 18446744073709551615u);
  CHECK(parse<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse<std::int64_t>("+5") == 5);
  CHECK(parse<std::int8_t>("-128") == -128);
  CHECK(parse<std::uint8_t>("255") == 255);
  CHECK(parse<std::uint8_t>("-0") == 0);
  CHECK(parse<std::int32_t>("007") == 7);
  CHECK_FALSE(parse<std::uint64_t>("18446744073709551616"));
  CHECK_FALSE(parse<std::int64_t>("9223372036854775808"));
  CHECK_FALSE(parse<std::int8_t>("128"));
  CHECK_FALSE(parse<std::uint8_t>("256"));
  CHECK_FALSE(parse<std::uint8_t>("-1"));
  for (const char* text : {"3.0", "1e3", "inf", "nan", "5."}) CHECK_FALSE(parse<std::int32_t>(text));
  CHECK(parse<Bool>("1")->byte == 1);
  CHECK(parse<Bool>("0")->byte == 0);
  for (const char* text : {"2", "-1", "true", "1.0"}) CHECK_FALSE(parse<Bool>(text));
}

TEST_CASE("numbers: why a text is refused") {
  const auto reason = [](DType dtype, std::string_view text) { return io::explain_number(dtype, text).reason; };
  const auto hint = [](DType dtype, std::string_view text) { return io::explain_number(dtype, text).hint; };
  CHECK(reason(DType::f64, "") == "empty");
  CHECK(contains(hint(DType::f64, ""), "--missing nan"));
  CHECK(contains(hint(DType::f64, "NA"), "--missing nan"));
  for (const char* missing : {"", "NA", "NULL"}) {
    CHECK(contains(hint(DType::i32, missing), "--dtype f64 --missing nan"));
    CHECK_FALSE(contains(hint(DType::f32, missing), "--dtype"));
  }
  CHECK(contains(hint(DType::f64, "NULL"), "write NA"));
  CHECK(reason(DType::f64, "abc") == "'abc' is not a number");
  CHECK(reason(DType::f64, "1e400") == "'1e400' is out of range for f64");
  CHECK(reason(DType::u8, "300") == "'300' is out of range for u8 (0 to 255)");
  CHECK(reason(DType::u8, "-1") == "'-1' is out of range for u8 (0 to 255)");
  CHECK(reason(DType::f16, "65520") == "'65520' is out of range for f16");
  CHECK(reason(DType::i32, "3.0") == "'3.0' is not an integer");
  CHECK(contains(hint(DType::i32, "1e3"), "--dtype f64"));
  CHECK(contains(reason(DType::boolean, "2"), "0 and 1"));
  CHECK(contains(reason(DType::boolean, "true"), "0 and 1"));
  CHECK(contains(reason(DType::f64, "0x10"), "hexadecimal"));
  CHECK(contains(reason(DType::f64, "-0X1p3"), "hexadecimal"));
  CHECK(contains(hint(DType::f64, "1,5"), "decimal commas"));
  CHECK(contains(hint(DType::f64, "1_000"), "thousands"));
  CHECK(contains(hint(DType::f64, "1'000"), "thousands"));
  CHECK(contains(reason(DType::f64,
                        "\xe2\x88\x92"
                        "1"),
                 "U+2212"));
  CHECK(contains(reason(DType::f64, "1\r2"), "carriage return"));
  CHECK(contains(reason(DType::f64, std::string(5000, 'x')), "xxx...' is not a number"));
  CHECK(reason(DType::f64, std::string(5000, 'x')).size() < 80);
  CHECK(reason(DType::f64, "a\x1b[31mb") == "'a\\x1b[31mb' is not a number");
  CHECK(reason(DType::f64, "\xff") == "'\\xff' is not a number");
}

TEST_CASE("text: the shortest digits that read back") {
  CHECK(text_of(0.1) == "0.1");
  CHECK(text_of(0.1 + 0.2) == "0.30000000000000004");
  CHECK(text_of(410533.240978) == "410533.240978");
  CHECK(text_of(100000.0) == "100000");
  CHECK(text_of(2251799813685248.5) == "2251799813685248.5");
  CHECK(text_of(1e22) == "1e+22");
  CHECK(text_of(1e-5) == "1e-05");
  CHECK(text_of(0.0001) == "0.0001");
  CHECK(text_of(5e-324) == "5e-324");
  CHECK(text_of(0.0) == "0");
  CHECK(text_of(-0.0) == "-0");
  CHECK(text_of(inf) == "inf");
  CHECK(text_of(-inf) == "-inf");
  CHECK(text_of(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  // Above 2^53 and 2^24 no digit is written that the value does not have.
  CHECK(text_of(9007199254740992.0) == "9007199254740992");
  CHECK(text_of(-9007199254740994.0) == "-9007199254740994");
  CHECK(text_of(123456789012345680000.0) == "1.2345678901234568e+20");
  CHECK(text_of(-123456789012345680000.0) == "-1.2345678901234568e+20");
  CHECK(text_of(33554432.f) == "33554432");
  CHECK(text_of(123456792.f) == "1.2345679e+08");
  CHECK(text_of(-4.8083993e11f) == "-4.8083993e+11");
  CHECK(text_of(0.1f) == "0.1");
  CHECK(text_of(16777215.f) == "16777215");
  CHECK(text_of(3.4028235e38f) == "3.4028235e+38");
  CHECK(text_of(F16{0x2e66}) == "0.1");
  CHECK(text_of(F16{0x7bff}) == "65500");    // 65504 is the only binary16 near it
  CHECK(text_of(F16{0x2400}) == "0.01563");  // 2^-6: 0.01562 is as near, and reads back as the value below
  CHECK(text_of(F16{0x8000}) == "-0");
  CHECK(text_of(F16{0x7c00}) == "inf");
  CHECK(text_of(F16{0xfe00}) == "nan");
  CHECK(text_of(F16{0x0001}) == "6e-08");
  CHECK(text_of(BF16{0x3dcd}) == "0.1");
  CHECK(text_of(BF16{0x7000}) == "1.59e+29");  // 2^97: 1.58 is nearer, and reads back as the value below
  CHECK(text_of(std::int8_t{-56}) == "-56");
  CHECK(text_of(std::uint8_t{65}) == "65");
  CHECK(text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(text_of(Bool{7}) == "1");
  CHECK(text_of(Complex<float>{1.5f, -2.f}) == "1.5-2j");
  CHECK(text_of(Complex<double>{-0.0, inf}) == "-0+infj");
}

TEST_CASE("text: reads back to the same bits") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const F16 half{static_cast<std::uint16_t>(bits)};
    const BF16 brain{static_cast<std::uint16_t>(bits)};
    if (!std::isnan(to_float(half))) REQUIRE(parse16<F16>(text_of(half)) == static_cast<int>(bits));
    if (!std::isnan(to_float(brain))) REQUIRE(parse16<BF16>(text_of(brain)) == static_cast<int>(bits));
  }
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto wide = std::bit_cast<double>(state);
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(state >> 32));
    if (!std::isnan(wide)) REQUIRE(parse<double>(text_of(wide)) == wide);
    if (!std::isnan(narrow)) REQUIRE(parse<float>(text_of(narrow)) == narrow);
  }
}
