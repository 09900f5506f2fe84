#include "reports.hpp"

#include "../../kernels/error.hpp"
#include "output.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

namespace rung::cli {
namespace {

/// Whether two paths name one file, that is there or is to be.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (std::filesystem::equivalent(a, b, ignored)) return std::filesystem::is_regular_file(a, ignored);
  return std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored) &&
         !std::filesystem::exists(a, ignored);
}

}  // namespace

ReportFiles::ReportFiles(const RunOptions& options, bool data_on_stdout) {
  struct Wish {
    const char* option;
    const std::string& path;
    Print print;
  };
  const std::array<Wish, 3> wishes{{{"--json", options.json, to_json},
                                    {"--csv", options.csv, to_csv},
                                    {"--markdown", options.markdown, to_markdown}}};
  std::vector<std::string> taken = options.files;
  taken.push_back(options.output);
  for (const auto& [option, path, print] : wishes) {
    if (path.empty()) continue;
    for (const std::string& other : taken)
      if (path != "-" && other != "-" && same_file(path, other))
        throw UsageError(std::string(option) + " " + path + " would overwrite an input or another output",
                         "name a file of its own for each");
    taken.push_back(path);
    if (path == "-" && (data_on_stdout || on_stdout_))
      throw UsageError(std::string(option) + " -: standard output has something else to carry", "name a file");
    on_stdout_ = on_stdout_ || path == "-";
    files_.emplace_back(io::open_sink(path), print);
  }
}

void ReportFiles::write(const Report& report) {
  for (auto& [sink, print] : files_) write_text(*sink, print(report));
}

}  // namespace rung::cli
