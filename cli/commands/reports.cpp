#include "reports.hpp"

namespace rung::cli {

ReportFiles::ReportFiles(const RunOptions& options, bool several) {
  const std::array<ReportWish<Report>, 3> wishes{{{"--json", options.json, to_json},
                                                  {"--csv", options.csv, to_csv},
                                                  {"--markdown", options.markdown, to_markdown}}};
  TakenFiles taken;
  for (const std::string& file : options.files) taken.add_input(file);
  // One value is in a report too, and so gives standard output up to it; an array is not. Of several kernels no array
  // goes there. Whether a reduction along axes leaves an array is known with the data: array_on_stdout.
  const bool reduces = options.family == Family::reduce;
  const bool surely_array =
      !several && (!reduces || output_format(options.to, options.output, io::Format::csv) != io::Format::csv);
  const bool gives_way = asks_for_stdout(wishes);
  taken.add_output(options.output, io::is_stdout(options.output) && (surely_array || (reduces && !gives_way)));
  files_ = open_reports(taken, wishes);
  on_stdout_ = taken.report_on_stdout();
}

}  // namespace rung::cli
