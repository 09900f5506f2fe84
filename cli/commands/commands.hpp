// The subcommands. Each returns an exit status, 0 or 1; the others are thrown as Error.
#pragma once
#include "../console.hpp"
#include "../io/io.hpp"
#include "../options.hpp"
#include "../report/report.hpp"
#include "../text.hpp"

#include <functional>
#include <string>
#include <vector>

namespace rung::cli {

/// args: the command line as typed, for reports.
int run_command(const RunOptions& options, const std::vector<std::string>& args);
int bench_command(const BenchOptions& options, const std::vector<std::string>& args);
int explain_command(const ExplainOptions& options, const std::vector<std::string>& args);
int compare_command(const CompareOptions& options, const std::vector<std::string>& args);
int list_command(const ListOptions& options, const std::vector<std::string>& args);
int info_command(const InfoOptions& options, const std::vector<std::string>& args);
int gen_command(const GenOptions& options);
int diff_command(const DiffOptions& options, const std::vector<std::string>& args);

/// Text to standard output, all of it or FileError.
void write_stdout(const std::string& text);

/// For a command whose status repeats the text: a reader that has gone does not change it.
void tell_stdout(const std::string& text);

/// Help that was not asked for: to standard error.
void print_help(const std::string& text);

/// True when `file` is standard input and that is a terminal, where nobody means to type an array.
bool reads_terminal(const std::string& file);

/// Calls work(file) for each. Where there are several, an error of one (its data, or options that do not fit it) is
/// printed, told to `failed` for a report, and the next goes on, as wc does; returns the first status that is not 0. A
/// reader that has gone ends it, and takes nothing from the status of the files before. A hint that would be the last
/// one again is not printed again.
template <class Work>
int for_each_file(const std::vector<std::string>& files, Work&& work,
                  const std::function<void(const Failure&)>& failed) {
  if (files.size() == 1) return work(files[0]);
  int status = 0;
  std::string hint;
  const auto report = [&](const std::string& file, const std::string& reason, const Error& error) {
    failed({file, reason, error.hint(), error.exit_status()});
    print_error(UsageError(reason, error.hint() == hint ? std::string() : error.hint()));
    if (!error.hint().empty()) hint = error.hint();
    return error.exit_status();
  };
  for (const auto& file : files) {
    int one = 0;
    try {
      one = work(file);
    } catch (const io::Closed&) {
      if (status == 0) throw;
      return status;
    } catch (const FileError& error) {
      one = report(file, error.what(), error);
    } catch (const UsageError& error) {
      const std::string reason = error.what();
      one = report(file, reason.starts_with(shown_name(file)) ? reason : shown_name(file) + ": " + reason, error);
    }
    if (status == 0) status = one;
  }
  return status;
}

}  // namespace rung::cli
