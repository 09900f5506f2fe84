// What reports as JSON share: numbers that JSON has not, names that need not be UTF-8 (docs/reports.md).
#pragma once
#include "report.hpp"

#include <nlohmann/json.hpp>

namespace rung::cli {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they are text, as our CSV and npy readers spell them.
Json json_number(double value);
Json json_number(const std::optional<double>& value);

/// Integers whole, floats as the f64 of the same value, complex as [re, im], bool as true and false.
Json json_element(DType dtype, const void* element);

Json json_object(const Environment& environment);
Json json_array(const std::vector<Failure>& failures);

/// The document's text. What is not UTF-8 is replaced, as a report must be.
std::string json_text(const Json& document);

}  // namespace rung::cli
