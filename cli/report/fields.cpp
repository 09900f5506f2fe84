#include "fields.hpp"

#include "../text.hpp"

#include <array>
#include <charconv>

namespace rung::cli {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string csv_number(const std::optional<double>& value) {
  if (!value) return {};
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), *value).ptr;
  return {text.data(), end};
}

std::string csv_line(std::vector<std::string> cells) {
  for (auto& cell : cells) cell = csv_field(cell);
  return join(cells, ",") + "\n";
}

}  // namespace rung::cli
