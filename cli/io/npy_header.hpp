// The dictionary of a npy header: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once
#include "io.hpp"

#include <string>
#include <string_view>

namespace rung::io {

struct NpyDictionary {
  DType dtype = DType::f64;
  Endian endian = Endian::little;
  bool fortran_order = false;
  Shape shape;
};

/// Parses exactly the three keys, in any order and quotes; all else is refused. Throws FileError that starts with
/// `file`. `data_offset` is for the hint on types that can be read as raw.
NpyDictionary parse_npy_dictionary(std::string_view text, const std::string& file, std::uint64_t data_offset);

/// The type string that npy has for a type, "<f4"; empty for bf16.
std::string_view npy_descr(DType dtype);

}  // namespace rung::io
