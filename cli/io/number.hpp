// Numbers as text: strict decimal in, shortest round-trip out. No locale is ever consulted.
#pragma once
#include "../../kernels/dtype.hpp"

#include <string>
#include <string_view>

namespace rung::io {

/// Reads the longest number at the start of [first, last), correctly rounded. Returns its end; null when there is
/// none or when it is out of T's range (underflow gives the nearest value). The caller checks what follows.
/// Not for complex types.
template <class T>
const char* parse_number(const char* first, const char* last, T& value);

/// The whole text is a decimal number, inf or nan, of whatever size.
bool has_number_syntax(std::string_view text);

/// Whole numbers of no more digits are exact in a double.
inline constexpr std::size_t exact_digits = 15;

/// Whether `text`, which parse_number read as `value`, is a whole number that `value` is not: one beyond 2^53 that was
/// rounded.
bool loses_integer(std::string_view text, double value);

struct Complaint {
  std::string reason, hint;
};

/// Why `text` is not a value of `dtype`; only for texts that parse_number refused, wholly or in part.
Complaint explain_number(DType dtype, std::string_view text);

/// Longest that write_number writes.
inline constexpr std::size_t number_width = 64;

/// Writes the shortest digits that read back to the same value; returns the end. Complex as "re+imj".
template <class T>
char* write_number(char* out, T value);

}  // namespace rung::io
