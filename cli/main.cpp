#include "../kernels/error.hpp"
#include "commands/commands.hpp"
#include "console.hpp"
#include "io/io.hpp"
#include "options.hpp"

#include <csignal>
#include <new>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rung::cli {
namespace {

int perform(const Command& command, const std::vector<std::string>& args) {
  struct Performer {
    const std::vector<std::string>& args;
    int operator()(const PrintText& o) const {
      write_stdout(o.text);
      return 0;
    }
    int operator()(const NothingAsked& o) const {
      print_help(o.text);
      return 2;
    }
    int operator()(const RunOptions& o) const { return run_command(o, args); }
    int operator()(const BenchOptions& o) const { return bench_command(o, args); }
    int operator()(const ExplainOptions& o) const { return explain_command(o, args); }
    int operator()(const CompareOptions& o) const { return compare_command(o, args); }
    int operator()(const ListOptions& o) const { return list_command(o, args); }
    int operator()(const InfoOptions& o) const { return info_command(o, args); }
    int operator()(const GenOptions& o) const { return gen_command(o); }
    int operator()(const DiffOptions& o) const { return diff_command(o, args); }
  };
  return std::visit(Performer{args}, command);
}

}  // namespace
}  // namespace rung::cli

int main(int argc, char** argv) {
  // A reader that goes away ends the command quietly, with the output's files in order: EPIPE, then Closed.
  std::signal(SIGPIPE, SIG_IGN);
  // A file over the limit of ulimit is an error of writing, EFBIG, that leaves nothing half done.
  std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::string> args(argv + (argc > 0), argv + argc);
  constexpr int resource_status = 3;
  try {
    return rung::cli::perform(rung::cli::parse_command_line(args), args);
  } catch (const rung::io::Closed&) {
    return 0;
  } catch (const rung::Error& error) {
    rung::cli::print_error(error);
    return error.exit_status();
  } catch (const std::bad_alloc&) {
    rung::cli::print_error(rung::FileError("out of memory"));
  } catch (const std::exception& error) {
    // oneTBB's words, in an exception of no type of its own.
    if (std::string_view(error.what()).starts_with("pthread_create"))
      rung::cli::print_error(rung::FileError("cannot start a thread", "is there a limit: ulimit -u, or -v?"));
    else
      rung::cli::print_error(rung::FileError(std::string("unexpected: ") + error.what()));
  }
  return resource_status;
}
