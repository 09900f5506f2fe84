// What diff found, free of how it is shown: text for people, JSON for programs.
#pragma once
#include "../../kernels/array.hpp"
#include "../../reference/compare.hpp"
#include "../report/report.hpp"

#include <optional>
#include <string>

namespace rung::cli {

/// The JSON layout; a change that breaks its readers changes the number.
inline constexpr const char* diff_schema = "rung-diff-1";

struct DiffSide {
  std::string file;
  DType dtype = DType::f64;
  Shape shape;
};

struct DiffReport {
  Environment environment;
  DiffSide a, b;
  Tolerance tolerance;
  std::optional<Comparison> found;  ///< nothing where dtype or shape differ: no element was compared

  bool equal() const { return found && found->verdict == Verdict::pass; }
};

/// The indices of element `flat`, in the array's own dimensions.
Shape coordinates_of(std::size_t flat, const Shape& shape);

/// What differs; nothing where nothing does.
std::string diff_text(const DiffReport& report);
std::string diff_json(const DiffReport& report);

}  // namespace rung::cli
