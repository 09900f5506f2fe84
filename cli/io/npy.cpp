#include "common.hpp"
#include "npy_header.hpp"

#include <cstring>

namespace rung::io {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

[[noreturn]] void fail(const Source& source, const std::string& reason, const std::string& hint = {}) {
  throw FileError(shown(source) + ": " + reason, hint);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Header read_npy_header(Source& source, const ReadOptions& options) {
  std::array<std::byte, 12> start{};
  const std::size_t got = source.read(std::span(start).first(8));
  const std::string_view text = as_text(std::span(start).first(got));
  if (text.empty()) fail(source, empty_reason, empty_hint(source));
  if (text.starts_with("PK")) fail(source, "npz, not npy", "unzip it: each member is one npy file");
  if (text.substr(0, magic.size()) != magic.substr(0, text.size()))
    fail(source, "not a npy file: it does not start with \\x93NUMPY");
  if (got < 8) fail(source, "truncated npy file: " + std::to_string(got) + " bytes");

  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(start[i]); };
  const std::string version = std::to_string(byte(6)) + "." + std::to_string(byte(7));
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
    fail(source, "npy version " + version + " is not known (1.0, 2.0 and 3.0 are)");
  const std::size_t length_size = byte(6) == 1 ? 2 : 4;
  if (source.read(std::span(start).subspan(8, length_size)) < length_size)
    fail(source, "truncated npy file: it ends in the header's length");
  std::size_t length = byte(8) | byte(9) << 8;
  if (length_size == 4) length |= static_cast<std::size_t>(byte(10)) << 16 | static_cast<std::size_t>(byte(11)) << 24;

  const Held dictionary = read_up_to(source, length);
  if (dictionary.size < length)
    fail(source, "truncated npy header: " + std::to_string(dictionary.size) + " of " + std::to_string(length) +
                     " bytes are there");
  Header header;
  header.data_offset = 8 + length_size + length;
  header.note = "npy " + version;
  header.version = version;
  NpyDictionary parsed =
      parse_npy_dictionary(as_text({dictionary.data.get(), dictionary.size}), shown(source), header.data_offset);
  header.dtype = parsed.dtype;
  header.shape = std::move(parsed.shape);
  header.fortran_order = parsed.fortran_order;
  header.endian = parsed.endian;
  check_npy_dtype(source.name(), header.dtype, options);
  return header;
}

}  // namespace

void check_npy_dtype(const std::string& name, DType dtype, const ReadOptions& options) {
  if (options.dtype && *options.dtype != dtype)
    throw UsageError(shown(name) + ": its elements are " + std::string(name_of(dtype)) + ", not " +
                         std::string(name_of(*options.dtype)) + " as --dtype says",
                     "leave --dtype out: npy says it");
}

Header inspect_npy(Source& source, const ReadOptions& options, const Warn& warn) {
  Header header = read_npy_header(source, options);
  check_size(source, header, warn);
  return header;
}

std::string npy_preamble(DType dtype, const Shape& shape) {
  std::string dictionary = "{'descr': '" + std::string(npy_descr(dtype)) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) dictionary += (i ? ", " : "") + std::to_string(shape[i]);
  dictionary += shape.size() == 1 ? ",), }" : "), }";

  // Version 1 holds its length in 16 bits; thousands of dimensions need version 2.
  const auto padded = [&](std::size_t fixed) { return (fixed + dictionary.size() + 1 + 63) / 64 * 64 - fixed; };
  const bool small = padded(10) <= 0xffff;
  const std::size_t length = padded(small ? 10 : 12);
  dictionary.append(length - dictionary.size() - 1, ' ');
  std::string preamble(magic);
  preamble += {static_cast<char>(small ? 1 : 2), '\0'};
  for (std::size_t i = 0; i < (small ? 2u : 4u); ++i) preamble += static_cast<char>(length >> (8 * i) & 0xff);
  return preamble + dictionary + '\n';
}

}  // namespace rung::io
