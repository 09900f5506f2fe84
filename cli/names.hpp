// Names that users type: the nearest valid one, and one error for all kinds of unknown name.
#pragma once
#include "../kernels/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rung::cli {

/// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The valid name that a typing error most likely meant; empty when none is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& valid);

/// `unknown KIND "typed"`, with a hint that names the nearest and lists the valid ones.
UsageError unknown_name(const std::string& kind, std::string_view typed, const std::vector<std::string>& valid);

/// The place of `typed` among `valid`; throws unknown_name. `kind` is what the names are: "operation".
std::size_t choose(const std::string& kind, std::string_view typed, const std::vector<std::string>& valid);

}  // namespace rung::cli
