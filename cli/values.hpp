// Option values as text to values. All throw UsageError that names the option.
#pragma once
#include "../reference/tolerance.hpp"
#include "options.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rung::cli {

/// A count: decimal digits, or a power as 2^28. Nothing else: no sign, hex, exponent or fraction.
std::uint64_t parse_count(const std::string& option, std::string_view text);

/// A count that fits 32 bits and is not 0: threads, blocks, items.
unsigned parse_launch(const std::string& option, std::string_view text);

/// A decimal number of 0 or more, with an exponent or without, of the size of an f64.
Decimal parse_decimal(const std::string& option, std::string_view text);

/// "4096x4096", "2^20", "scalar" for no dimensions. Throws too when the product overflows.
Shape parse_shape(const std::string& option, std::string_view text);

/// "2,0,-1": integers, at least one.
std::vector<std::ptrdiff_t> parse_axes(const std::string& option, std::string_view text);

/// "vector,shuffle": names, none of them empty.
std::vector<std::string> parse_list(const std::string& option, std::string_view text);

DType parse_dtype_name(std::string_view text);
io::Format parse_format_name(std::string_view text);
DeviceWish parse_device(std::string_view text);

}  // namespace rung::cli
