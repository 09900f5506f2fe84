#include "../text.hpp"
#include "report.hpp"

#include <cmath>
#include <vector>

namespace rung::cli {
namespace {

std::string what(const DiffSide& side) {
  return printable(shown_name(side.file)) + " is " + std::string(name_of(side.dtype)) + " " + to_string(side.shape);
}

/// "[2,0]"
std::string index_text(std::size_t flat, const Shape& shape) {
  std::vector<std::string> parts;
  for (const std::size_t index : coordinates_of(flat, shape)) parts.push_back(std::to_string(index));
  return "[" + join(parts, ",") + "]";
}

std::string values_text(const Mismatch& m, const Shape& shape) {
  return index_text(m.index, shape) + " " + m.got + " and " + m.want;
}

std::string in_brackets(const std::vector<std::string>& remarks) {
  return remarks.empty() ? "\n" : " (" + join(remarks, ", ") + ")\n";
}

/// The distance in ulp, of types that have one.
std::vector<std::string> steps_text(const Mismatch& m, DType dtype) {
  if (!m.ulp || is_integer(dtype)) return {};
  return {*m.ulp == 0 ? "sign of zero" : std::to_string(*m.ulp) + " ulp"};
}

std::string worst_text(const Mismatch& m, DType dtype, const Shape& shape) {
  constexpr int digits = 6, all_digits = 20;
  std::vector<std::string> remarks;
  if (m.absolute > 0) remarks.push_back("absolute " + significant(m.absolute, is_integer(dtype) ? all_digits : digits));
  if (m.absolute > 0 && m.relative) remarks.push_back("relative " + significant(*m.relative, digits));
  for (auto& steps : steps_text(m, dtype)) remarks.push_back(std::move(steps));
  return "worst: " + values_text(m, shape) + in_brackets(remarks);
}

}  // namespace

Shape coordinates_of(std::size_t flat, const Shape& shape) {
  Shape indices(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; flat /= shape[k]) indices[k] = flat % shape[k];
  return indices;
}

std::string diff_text(const DiffReport& report) {
  const auto& [file, dtype, shape] = report.a;
  if (!report.found) return what(report.a) + ", " + what(report.b) + "\n";
  if (report.equal()) return {};
  const std::size_t count = element_count(shape);
  std::string text = std::to_string(report.found->mismatches) + " of " + std::to_string(count) +
                     (count == 1 ? " element differs\n" : " elements differ\n");
  for (const Mismatch& m : report.found->first)
    text += "  " + values_text(m, shape) + in_brackets(steps_text(m, dtype));
  if (report.found->worst) text += worst_text(*report.found->worst, dtype, shape);
  return text;
}

}  // namespace rung::cli
