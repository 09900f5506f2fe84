#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace rung::cli {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> by_text(const std::vector<Remark>& remarks) {
  std::vector<Remark> lines;
  for (const auto& [name, text] : remarks) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Remark& line) { return line.text == text; });
    if (same == lines.end())
      lines.push_back({name, text});
    else
      same->name += ", " + name;
  }
  std::vector<std::string> joined;
  for (const auto& [names, text] : lines) joined.push_back(names + ": " + text);
  return joined;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace {

/// Bytes of the UTF-8 character that `text` starts with, none of them a control character; 0 where it is no such.
std::size_t plain_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f;
  const std::size_t length = byte(0) >= 0xf5 ? 0 : byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc2 ? 2 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  // U+0080 to U+009F: terminals take U+009B as they take ESC [.
  return byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = plain_character(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string shown_name(const std::string& file) { return file == "-" ? "<stdin>" : file; }

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

std::string significant(long double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*Lg", digits, value);
  return text.data();
}

std::string plain(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return significant(value, digits);
  constexpr int most_decimals = 6;
  const int decimals =
      std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::fabs(value)))), 0, most_decimals);
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  std::string out = text.data();
  if (decimals > 0) out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string seconds_text(double seconds) {
  struct Unit {
    double scale;
    const char* name;
  };
  static constexpr std::array<Unit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  const Unit* unit = &units.back();
  for (const Unit& candidate : units)
    if (seconds >= candidate.scale * 0.9999995) {
      unit = &candidate;
      break;
    }
  const double value = seconds / unit->scale;
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit->name);
  return text.data();
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", value, units[unit]);
  return text.data();
}

}  // namespace rung::cli
