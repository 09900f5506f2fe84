#include "array.hpp"

#include "error.hpp"

#include <cstdlib>

namespace rung {
namespace {

std::size_t checked_product(std::size_t a, std::size_t b, const Shape& shape) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw FileError("shape " + to_string(shape) + " overflows the size of memory");
  return product;
}

}  // namespace

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  bool empty = false;
  for (const std::size_t extent : shape) empty |= extent == 0;
  for (const std::size_t extent : shape) count = checked_product(count, extent == 0 ? 1 : extent, shape);
  return empty ? 0 : count;
}

std::size_t byte_count(const Shape& shape, DType dtype) {
  return checked_product(element_count(shape), size_of(dtype), shape);
}

std::string to_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::size_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

Bytes allocate_bytes(std::size_t count) {
  constexpr std::size_t alignment = 64;
  if (count > SIZE_MAX - alignment) throw FileError("cannot allocate " + std::to_string(count) + " bytes of memory");
  void* memory = std::aligned_alloc(alignment, (count + alignment) / alignment * alignment);
  if (!memory) throw FileError("cannot allocate " + std::to_string(count) + " bytes of memory");
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

}  // namespace rung
