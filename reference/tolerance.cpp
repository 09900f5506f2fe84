#include "tolerance.hpp"

#include <charconv>

namespace rung {

double rounded(const Decimal& decimal) {
  const std::string text = decimal.digits + 'e' + std::to_string(decimal.exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace rung
