// Texts that explain's reports share.
#pragma once
#include "../report/table.hpp"
#include "report.hpp"

namespace rung::cli {

/// One decimal.
std::string decimal(double value);
std::string percent(const std::optional<double>& share);
std::string per_request(const sim::Tally& tally);
std::string ideal_per_request(const sim::Tally& tally);
/// "grid 32, block 512; then grid 1, block 512"
std::string launches_text(const sim::Profile& profile);
std::string explain_heading(const ExplainReport& report);
/// "tile.cu:23 shared load: 32.0 wavefronts a request for 1.0, 512 requests"
std::string line_text(const sim::Line& line);
std::string remedy_text(const Remedy& remedy, sim::Traffic traffic);
/// One row a kernel that ran; `quote` goes around names.
Table kernel_table(const ExplainReport& report, const std::string& quote);
/// Those with excess, three at most; or all.
std::vector<sim::Line> shown_lines(const ExplainRow& row, bool every_line);

}  // namespace rung::cli
