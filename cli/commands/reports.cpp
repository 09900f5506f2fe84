#include "reports.hpp"

#include "../../kernels/error.hpp"
#include "taken.hpp"

#include <array>

namespace rung::cli {

ReportFiles::ReportFiles(const RunOptions& options, bool data_on_stdout) {
  struct Wish {
    const char* option;
    const std::string& path;
    std::string (*print)(const Report&);
  };
  const std::array<Wish, 3> wishes{{{"--json", options.json, to_json},
                                    {"--csv", options.csv, to_csv},
                                    {"--markdown", options.markdown, to_markdown}}};
  TakenFiles taken;
  for (const std::string& file : options.files) taken.add_input(file);
  taken.add_output(options.output, data_on_stdout);
  for (const auto& [option, path, print] : wishes) taken.add_report(option, path);
  for (const auto& [option, path, print] : wishes) {
    if (path.empty()) continue;
    const bool standard = io::is_stdout(path);
    if (standard && (data_on_stdout || on_stdout_))
      throw UsageError(std::string(option) + " " + path + ": standard output has something else to carry",
                       "name a file");
    on_stdout_ = on_stdout_ || standard;
    files_.emplace_back(io::open_sink(path), print);
  }
}

}  // namespace rung::cli
