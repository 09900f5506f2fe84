// Small texts that more than one part of the command prints: lists, times, sizes. No locale has a say in them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rung::cli {

std::string join(const std::vector<std::string>& parts, std::string_view separator);

struct Remark {
  std::string name, text;
};

/// "atomic, shuffle: only floats": names that share a text, on one line, in the order of their first.
std::vector<std::string> by_text(const std::vector<Remark>& remarks);

/// The parts between separators; one empty part for an empty text.
std::vector<std::string> split(std::string_view text, char separator);

/// For a terminal: control characters, and bytes that are not of UTF-8, as \xNN. A name or a field from elsewhere then
/// stays on its line and gives the terminal no orders. Of its own result it changes nothing.
std::string printable(std::string_view text);

/// An input's name in messages: "<stdin>" for "-".
std::string shown_name(const std::string& file);

/// Characters of a text that is printable and UTF-8: the columns it takes, as long as none is twice as wide.
std::size_t display_width(std::string_view text);

/// In double quotes, printable: an error stays one line whatever was typed.
std::string quoted(std::string_view text);

/// As `digits` significant digits in plain or exponent notation: "0.0123", "1.5e-09".
std::string significant(long double value, int digits);

/// The same without an exponent: all digits before the point, "12345", and at most six after it.
std::string plain(double value, int digits);

/// Three or four digits and a unit: "1.234 ms".
std::string seconds_text(double seconds);

/// "512 bytes", "64.0 MiB".
std::string bytes_text(std::uint64_t bytes);

/// Owned copies, for tables of names that are string views.
template <class Names>
std::vector<std::string> strings(const Names& names) {
  return {std::begin(names), std::end(names)};
}

}  // namespace rung::cli
