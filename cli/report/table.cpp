#include "table.hpp"

#include <algorithm>

namespace rung::cli {
namespace {

std::string escaped(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> width;
  for (const auto& column : columns_) width.push_back(display_width(printable(column.head)));
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < width.size(); ++c) width[c] = std::max(width[c], display_width(printable(row[c])));
  return width;
}

std::string Table::aligned(const std::string& cell, std::size_t column, std::size_t width, bool last) const {
  const std::string space(width - display_width(cell), ' ');
  if (columns_[column].right) return space + cell;
  return last ? cell : cell + space;
}

std::string Table::text() const {
  return text([](const std::string&, std::size_t) { return std::pair<std::string, std::string>(); });
}

std::string Table::markdown() const {
  std::string out;
  for (const auto& column : columns_) out += "| " + escaped(column.head) + " ";
  out += "|\n";
  for (const auto& column : columns_) out += column.right ? "|---:" : "|---";
  out += "|\n";
  for (const auto& row : rows_) {
    for (const auto& cell : row) out += "| " + escaped(cell) + (cell.empty() ? "" : " ");
    out += "|\n";
  }
  return out;
}

}  // namespace rung::cli
