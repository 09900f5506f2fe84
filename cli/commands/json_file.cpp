#include "json_file.hpp"

#include "commands.hpp"

namespace rung::cli {

JsonFile::JsonFile(const std::string& path, const std::vector<std::string>& inputs, bool text) {
  const auto as_it_is = [](const std::string& report) { return report; };
  const std::array<ReportWish<std::string>, 1> wishes{{{"--json", path, as_it_is}}};
  TakenFiles taken;
  for (const std::string& file : inputs) taken.add_input(file);
  if (text && !asks_for_stdout(wishes)) taken.add_output("-", true);
  files_ = open_reports(taken, wishes);
  on_stdout_ = !taken.report_on_stdout().empty();
}

void JsonFile::tell(const std::string& text) const {
  if (on_stdout_) return;
  if (asked())
    tell_stdout(text);
  else
    write_stdout(text);
}

}  // namespace rung::cli
