// Arrays on the host: shape, element type and bytes, always in C order and native byte order.
#pragma once
#include "dtype.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace rung {

using Shape = std::vector<std::size_t>;

/// Product of the extents; 1 for no dimensions. Throws FileError on overflow of size_t.
std::size_t element_count(const Shape& shape);

/// element_count times the element size. Throws FileError on overflow of size_t.
std::size_t byte_count(const Shape& shape, DType dtype);

/// "4096x300"; "scalar" for no dimensions.
std::string to_string(const Shape& shape);

/// The start of an array's bytes, sharing ownership of whatever holds them (a buffer, a file mapping).
using Bytes = std::shared_ptr<std::byte>;

/// A buffer of `count` bytes aligned to 64, not initialised. Throws FileError when memory is short.
Bytes allocate_bytes(std::size_t count);

/// Element bytes in C order, little-endian, aligned to the element size.
struct HostArray {
  DType dtype = DType::f64;
  Shape shape;
  Bytes data;  ///< byte_count(shape, dtype) bytes; may be null when that is 0; input arrays are never written to

  std::size_t size() const { return element_count(shape); }
  std::size_t bytes() const { return byte_count(shape, dtype); }
};

}  // namespace rung
