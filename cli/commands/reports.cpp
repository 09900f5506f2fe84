#include "reports.hpp"

namespace rung::cli {

ReportFiles::ReportFiles(const RunOptions& options, bool data_on_stdout) {
  const std::array<ReportWish<Report>, 3> wishes{{{"--json", options.json, to_json},
                                                  {"--csv", options.csv, to_csv},
                                                  {"--markdown", options.markdown, to_markdown}}};
  TakenFiles taken;
  for (const std::string& file : options.files) taken.add_input(file);
  // Of several kernels that are right the one value goes to standard output, unless a report does. Whether there will
  // be one value, or an array that is left out, is not known yet.
  const bool value_on_stdout = options.family == Family::reduce && options.output == "-" && !asks_for_stdout(wishes);
  taken.add_output(options.output, data_on_stdout || value_on_stdout);
  files_ = open_reports(taken, wishes);
  on_stdout_ = taken.report_on_stdout();
}

}  // namespace rung::cli
