#include "names.hpp"

#include "text.hpp"

#include <algorithm>

namespace rung::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

std::string nearest(std::string_view typed, const std::vector<std::string>& valid) {
  // Beyond a third of the letters a suggestion is a guess. Long texts are no names, and the table is quadratic.
  constexpr std::size_t longest_name = 64;
  if (typed.size() > longest_name) return {};
  // The beginning of one name alone says which: --out, of --output, is as near to --op.
  const auto begins = [&](const std::string& name) { return typed.size() > 3 && name.starts_with(typed); };
  if (std::count_if(valid.begin(), valid.end(), begins) == 1) return *std::find_if(valid.begin(), valid.end(), begins);
  std::string best;
  std::size_t least = std::max<std::size_t>(1, (typed.size() + 1) / 3) + 1;
  for (const auto& name : valid) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      best = name;
    }
  }
  return best;
}

UsageError unknown_name(const std::string& kind, std::string_view typed, const std::vector<std::string>& valid) {
  const std::string suggestion = nearest(typed, valid);
  const std::string list = "valid: " + join(valid, ", ");
  return UsageError("unknown " + kind + " " + quoted(typed),
                    suggestion.empty() ? list : "did you mean " + suggestion + "? " + list);
}

std::size_t choose(const std::string& kind, std::string_view typed, const std::vector<std::string>& valid) {
  const auto found = std::find(valid.begin(), valid.end(), typed);
  if (found == valid.end()) throw unknown_name(kind, typed, valid);
  return static_cast<std::size_t>(found - valid.begin());
}

}  // namespace rung::cli
