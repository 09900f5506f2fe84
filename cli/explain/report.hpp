// What explain found, free of how it is shown.
#pragma once
#include "../../kernels/machine/sim/profile.hpp"
#include "../../kernels/machine/sim/sim.hpp"
#include "../report/report.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

/// The JSON layout; a change that breaks its readers changes the number.
inline constexpr const char* explain_schema = "rung-explain-1";

struct ExplainRow {
  std::string name;  ///< of the kernel
  std::string why;   ///< not empty: skipped, and this is the reason
  sim::Profile profile;
  std::vector<sim::Finding> findings;
  bool skipped() const { return !why.empty(); }
};

struct ExplainReport {
  Environment environment;
  std::string input;  ///< the file's name, or "uniform, seed 0"
  Family family = Family::reduce;
  std::string operation;
  DType dtype = DType::f32;
  Shape shape;
  std::optional<Acc> acc;  ///< reductions
  std::vector<ExplainRow> rows;
};

/// What is counted of a request: "sectors", "wavefronts", "turns".
const char* unit_of(sim::Traffic traffic);

/// Why requests of this form cost more than the ideal, from the addresses that were recorded, in words.
std::string cause_of(sim::Traffic traffic, const sim::Pattern& pattern);

/// The kernel beside which the cost is gone, or less.
struct Remedy {
  std::string kernel;
  bool gone = false;
  sim::Tally tally;  ///< that kernel's, of the same traffic
};

/// The first kernel of the report, those after `row` before those above it, that has what `row` has too much of at its
/// ideal, or else a quarter less of it than `row`; and that has not moved as much to the other direction of the same
/// memory. One that makes no such requests counts where it is after `row`, and has less excess of all kinds.
std::optional<Remedy> remedy_for(const ExplainReport& report, const ExplainRow& row, sim::Traffic traffic);

/// The line that leaves the most lanes idle, where less than half of a warp takes part in its requests and they are a
/// quarter of the kernel's or more. Null where there is none.
const sim::Line* idle_line(const ExplainRow& row);

/// The first kernel, in the order of remedy_for, that makes fewer requests of this traffic, two thirds of `row`'s at
/// most, with twice as many lanes in each.
std::optional<Remedy> fuller_kernel(const ExplainReport& report, const ExplainRow& row, sim::Traffic traffic);

/// The launch with the most threads: what the kernel's row shows.
const sim::LaunchEvent& main_launch(const sim::Profile& profile);

/// Mean lanes that take part in a request.
std::optional<double> lanes_per_request(const sim::Profile& profile);

/// Ideal sectors over sectors, of loads and stores together, or of one tally.
std::optional<double> efficiency(const sim::Profile& profile);

/// For stdout. `every_line`: also those without excess, and all of those with it.
std::string explain_text(const ExplainReport& report, bool color, bool every_line);
std::string explain_json(const ExplainReport& report);
std::string explain_csv(const ExplainReport& report);
std::string explain_markdown(const ExplainReport& report);

}  // namespace rung::cli
