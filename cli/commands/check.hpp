// --check: every kernel and every library against the oracle, and against each other's times.
#pragma once
#include "../../reference/oracle.hpp"
#include "../io/io.hpp"
#include "../report/report.hpp"
#include "execute.hpp"
#include "select.hpp"

#include <vector>

namespace rung::cli {

/// Whether all data are integers so small that every order of summation gives the same bits (gen --dist exact
/// makes such data): sums are then compared bit for bit, which settles what a bound cannot.
bool every_order_agrees(const Problem& problem, const void* input, const Oracle& oracle);

/// What the answers are judged by.
struct Judge {
  Oracle oracle;
  bool exact_data = false;
};
Judge make_judge(const Problem& problem, const void* input);

/// Runs once and compares; times it (but on sim, where one run is the time) and compares again. No time for a
/// result that is wrong, and none where there are no elements to work on.
Row check_one(Execution& execution, const Runnable& what, const Plan& plan, const Launch& launch, const Judge& judge);

/// Adds to `run` a row a kernel, a row a reference and the skipped ones, with speedups over every reference that
/// is right. Returns false when a kernel is wrong. `progress` counts kernels.
bool check_all(Run& run, Device& device, Execution& execution, const Selection& selection, const Launch& launch,
               const Judge& judge, const io::Progress& progress = {});

}  // namespace rung::cli
