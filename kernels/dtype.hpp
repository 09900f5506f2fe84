// Element types: their names, sizes and kinds, and the storage types that C++ lacks.
#pragma once
#include "machine/qualifiers.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace rung {

enum class DType : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128 };
enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  ///< as on the command line
  std::size_t size;       ///< bytes of one element
  Kind kind;
};

inline constexpr std::array<DTypeInfo, 15> dtype_table{{
    {DType::boolean, "bool", 1, Kind::boolean},
    {DType::i8, "i8", 1, Kind::signed_integer},
    {DType::i16, "i16", 2, Kind::signed_integer},
    {DType::i32, "i32", 4, Kind::signed_integer},
    {DType::i64, "i64", 8, Kind::signed_integer},
    {DType::u8, "u8", 1, Kind::unsigned_integer},
    {DType::u16, "u16", 2, Kind::unsigned_integer},
    {DType::u32, "u32", 4, Kind::unsigned_integer},
    {DType::u64, "u64", 8, Kind::unsigned_integer},
    {DType::f16, "f16", 2, Kind::floating},
    {DType::bf16, "bf16", 2, Kind::floating},
    {DType::f32, "f32", 4, Kind::floating},
    {DType::f64, "f64", 8, Kind::floating},
    {DType::c64, "c64", 8, Kind::complex},
    {DType::c128, "c128", 16, Kind::complex},
}};
inline constexpr std::size_t dtype_count = dtype_table.size();

constexpr const DTypeInfo& info(DType t) { return dtype_table[static_cast<std::size_t>(t)]; }
constexpr std::size_t size_of(DType t) { return info(t).size; }
constexpr std::string_view name_of(DType t) { return info(t).name; }
constexpr bool is_integer(DType t) { return info(t).kind <= Kind::unsigned_integer; }  ///< bool included
constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (const auto& row : dtype_table)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

inline namespace RUNG_ABI {

/// One byte; any value but 0 is true.
struct Bool {
  std::uint8_t byte;
};

/// IEEE 754 binary16, stored as its bits.
struct F16 {
  std::uint16_t bits;
};

/// bfloat16: the upper half of a binary32, stored as its bits.
struct BF16 {
  std::uint16_t bits;
};

/// (re, im), laid out as NumPy, C and CUDA do.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

RUNG_HD float to_float(F16 v) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(v.bits));
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(v.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (v.bits >> 10) & 31u, mantissa = v.bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
#endif
}

RUNG_HD float to_float(BF16 v) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(static_cast<unsigned>(v.bits) << 16);
#else
  return std::bit_cast<float>(static_cast<std::uint32_t>(v.bits) << 16);
#endif
}

/// Which DType a C++ element type is.
template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(T) == 0, "not an element type");
  return DType{};
}();
template <>
inline constexpr DType dtype_of<Bool> = DType::boolean;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::i16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::u16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::u32;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::u64;
template <>
inline constexpr DType dtype_of<F16> = DType::f16;
template <>
inline constexpr DType dtype_of<BF16> = DType::bf16;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<Complex<float>> = DType::c64;
template <>
inline constexpr DType dtype_of<Complex<double>> = DType::c128;

template <class... T>
struct TypeList {};
using AllTypes = TypeList<Bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                          std::uint32_t, std::uint64_t, F16, BF16, float, double, Complex<float>, Complex<double>>;

/// Calls visit.operator()<T>() with the C++ element type of `dtype`; returns what it returns.
template <class Visit>
decltype(auto) visit_dtype(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::boolean:
      return visit.template operator()<Bool>();
    case DType::i8:
      return visit.template operator()<std::int8_t>();
    case DType::i16:
      return visit.template operator()<std::int16_t>();
    case DType::i32:
      return visit.template operator()<std::int32_t>();
    case DType::i64:
      return visit.template operator()<std::int64_t>();
    case DType::u8:
      return visit.template operator()<std::uint8_t>();
    case DType::u16:
      return visit.template operator()<std::uint16_t>();
    case DType::u32:
      return visit.template operator()<std::uint32_t>();
    case DType::u64:
      return visit.template operator()<std::uint64_t>();
    case DType::f16:
      return visit.template operator()<F16>();
    case DType::bf16:
      return visit.template operator()<BF16>();
    case DType::f32:
      return visit.template operator()<float>();
    case DType::f64:
      return visit.template operator()<double>();
    case DType::c64:
      return visit.template operator()<Complex<float>>();
    case DType::c128:
      break;
  }
  return visit.template operator()<Complex<double>>();
}

}  // namespace RUNG_ABI
}  // namespace rung
