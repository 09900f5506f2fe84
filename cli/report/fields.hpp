// Fields of CSV reports.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

/// In quotes where our reader, or another, would need them.
std::string csv_field(const std::string& text);

/// The shortest digits that read back to the same value; nothing for none.
std::string csv_number(const std::optional<double>& value);

/// A row of a table, quoted where that is needed, with its end.
std::string csv_line(std::vector<std::string> cells);

}  // namespace rung::cli
