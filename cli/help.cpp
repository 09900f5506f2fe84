#include "help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace rung::cli {

const char* const overview =
    "rung runs hand-written array kernels over files and pipes, checks them against the libraries, and says how much "
    "faster or slower they are.\n"
    R"(
Usage:
  rung reduce    [--op OP] [--axis N]... [options] [FILE...]
  rung transpose [--axes P]              [options] [FILE]
  rung reverse   [--axis N]...           [options] [FILE]
  rung bench     reduce|transpose|reverse [options] [FILE]
  rung explain   reduce|transpose|reverse [options] [FILE]
  rung compare   OLD.json NEW.json [--fail-if slower:2%]
  rung list      [kernels [NAME...]|references|machines|dtypes|formats]
  rung info      [FILE...]
  rung gen       SHAPE [--dtype T] [--dist D] [--seed N] [-o FILE]
  rung diff      A B [--max-ulp N] [--rtol R] [--atol A]
  rung help      SUBCOMMAND
  rung --version

)"
    "Arrays are .npy, raw binary or CSV; - or no FILE is standard input, where raw and CSV need --from. Without FILE, "
    "and without such an option of reading, bench and explain make their input. Of several FILEs one that cannot be "
    "used is reported, and the others go on; each takes the input options that are for its format. An option that is "
    "given again replaces the one before; only --axis, --sweep and --fail-if add up.\n"
    R"(
Examples:
  rung reduce --op max temps.csv
  rung transpose big.npy -o t.npy
  rung gen 8192x8192 --dtype f32 | rung transpose -k ladder --check

)";

const char* const exit_statuses =
    "Exit status:\n"
    "  0  done; also when the reader of the output went away (SIGPIPE), unless an error came before\n"
    "  1  a check failed, diff found differences, explain a fault in a kernel, or compare what --fail-if forbids; what "
    "is unverifiable has not failed\n"
    "  2  usage; also options that do not fit the data: an axis, a column, a type, a format that it does not have\n"
    "  3  input or output; also data that is cut short, or is not what its format says\n"
    "  4  device: a GPU that is not there, asked for by -d gpu or by the name of a CUDA kernel, or that has too little "
    "memory; a launch that fails; a fault that sim finds in a kernel\n"
    "Of several FILEs that of the first that failed.\n";

std::size_t terminal_width() {
  winsize terminal{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) != 0) return 0;
  return terminal.ws_col;
}

std::size_t help_width() {
  constexpr std::size_t usual = 80, least = 64, most = 100;
  std::size_t width = 0;
  if (const char* text = std::getenv("COLUMNS")) {
    const std::string_view columns(text);
    const auto read = std::from_chars(columns.data(), columns.data() + columns.size(), width);
    if (read.ec != std::errc{} || read.ptr != columns.data() + columns.size()) width = 0;
  }
  if (width == 0) width = terminal_width();
  return width == 0 ? usual : std::clamp(width, least, most);
}

namespace {

/// Where the lines that go on from this one start.
std::size_t hanging_indent(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == 0 || start == std::string_view::npos) return 0;
  const std::size_t run = line.find("  ", start);
  const std::size_t after = run == std::string_view::npos ? run : line.find_first_not_of(' ', run);
  constexpr std::size_t widest = 30;
  return after == std::string_view::npos || after > widest ? start + 2 : after;
}

void add_wrapped(std::string& out, std::string line, std::size_t width, bool command) {
  const std::string mark = command ? " \\" : "", indent(hanging_indent(line), ' ');
  while (line.size() > width) {
    const std::size_t first = line.find_first_not_of(' ');
    // At the last blank that leaves room, else at the first there is.
    std::size_t blank = line.rfind(' ', width - mark.size());
    if (blank == std::string::npos || blank < first) blank = line.find(' ', first);
    if (blank == std::string::npos) break;
    out += line.substr(0, line.find_last_not_of(' ', blank) + 1) + mark + "\n";
    line = indent + line.substr(line.find_first_not_of(' ', blank));
  }
  out += line + "\n";
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  bool commands = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.empty() || line.back() == ':') commands = line == "Examples:";
    add_wrapped(out, std::move(line), width, commands);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace rung::cli
