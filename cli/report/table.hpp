// Tables of text: aligned for terminals, or as Markdown.
#pragma once
#include "../text.hpp"

#include <string>
#include <utility>
#include <vector>

namespace rung::cli {

struct Column {
  std::string head;
  bool right = false;  ///< numbers
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Two spaces between columns, none at the ends of lines. Cells are printable; `paint` may put colour around one.
  std::string text() const;
  template <class Paint>
  std::string text(Paint&& paint) const;
  std::string markdown() const;

 private:
  std::string aligned(const std::string& cell, std::size_t column, std::size_t width, bool last) const;
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// paint(cell, column) returns what goes before and after the cell's text.
template <class Paint>
std::string Table::text(Paint&& paint) const {
  const auto width = widths();
  std::string out;
  const auto line = [&](auto&& cell_of, bool painted) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = printable(cell_of(c));
      const auto [before, after] = painted ? paint(cell, c) : std::pair<std::string, std::string>();
      out += (c ? "  " : "") + before + aligned(cell, c, width[c], c + 1 == columns_.size()) + after;
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  };
  line([&](std::size_t c) { return columns_[c].head; }, false);
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; }, true);
  return out;
}

}  // namespace rung::cli
