#include "../text.hpp"

#include "fields.hpp"
#include "report.hpp"

#include <algorithm>
#include <utility>

namespace rung::cli {
namespace {

/// Every reference of any run, once, in order.
std::vector<std::string> reference_names(const Report& report) {
  std::vector<std::string> names;
  for (const auto& run : report.runs)
    for (const auto& reference : run.references)
      if (std::find(names.begin(), names.end(), reference.name) == names.end()) names.push_back(reference.name);
  return names;
}

std::string speedup_over(const std::string& name, const Run& run, const Row& row) {
  for (std::size_t i = 0; i < run.references.size() && i < row.speedup.size(); ++i)
    if (run.references[i].name == name) return csv_number(row.speedup[i]);
  return {};
}

constexpr std::size_t kind_column = 8, note_column = 17;

std::vector<std::string> row_cells(const Run& run, const Row& row) {
  return {run.input,
          std::string(name_of(run.family)),
          run.operation,
          std::string(name_of(run.dtype)),
          to_string(run.shape),
          run.acc ? std::string(name_of(*run.acc)) : "",
          std::string(name_of(run.machine)),
          run.device,
          std::string(name_of(row.kind)),
          row.name,
          std::string(name_of(row.verdict)),
          csv_number(row.error),
          csv_number(row.bound),
          csv_number(row.seconds),
          csv_number(run.bandwidth(row)),
          std::to_string(row.mismatches),
          row.launch,
          row.note,
          value_text(run)};
}

/// As row_cells; what there is not stays empty.
std::vector<std::string> failure_cells(const Failure& failure) {
  std::vector<std::string> cells(row_cells(Run(), Row()).size());
  cells[0] = failure.input;
  cells[kind_column] = "failure";
  cells[note_column] = failure.error;
  return cells;
}

}  // namespace

/// One line a row, a FILE that failed is one too, and in each the environment: a line says where it comes from wherever
/// it is copied to. Times in seconds, bandwidth in bytes a second.
std::string to_csv(const Report& report) {
  const auto references = reference_names(report);
  std::string out =
      "input,family,operation,dtype,shape,accumulator,machine,device,kind,kernel,verdict,error,bound,seconds,"
      "bytes_per_second,mismatches,launch,note,result";
  for (const auto& name : references) out += "," + csv_field("speedup over " + name);
  out += ",schema";
  for (const auto& fact : report.environment) out += "," + csv_field(fact.first);
  out += '\n';
  const auto add = [&](std::vector<std::string> cells) {
    cells.emplace_back(report_schema);
    for (const auto& fact : report.environment) cells.push_back(fact.second);
    out += csv_line(std::move(cells));
  };
  for (const auto& run : report.runs)
    for (const auto& row : run.rows) {
      auto cells = row_cells(run, row);
      for (const auto& name : references) cells.push_back(speedup_over(name, run, row));
      add(std::move(cells));
    }
  for (const auto& failure : report.failures) {
    auto cells = failure_cells(failure);
    cells.resize(cells.size() + references.size());
    add(std::move(cells));
  }
  return out;
}

}  // namespace rung::cli
