#include "taken.hpp"

#include "../../kernels/error.hpp"
#include "../io/io.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rung::cli {
namespace {

/// Where a file that is not there will be: links are followed, those to nothing too.
std::filesystem::path destination(std::filesystem::path path) {
  constexpr int most = 40;  // as Linux
  std::error_code ignored;
  for (int k = 0; k < most && std::filesystem::is_symlink(path, ignored); ++k)
    path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
  // Made absolute first: of a relative name that is not there it would leave ./ in.
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
}

}  // namespace

TakenFiles::Place TakenFiles::of_status(const struct stat& status) {
  Place place;
  place.regular = S_ISREG(status.st_mode);
  place.fifo = S_ISFIFO(status.st_mode);
  place.socket = S_ISSOCK(status.st_mode);
  place.device = status.st_dev;
  place.number = status.st_ino;
  return place;
}

TakenFiles::Place TakenFiles::of_path(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return of_status(status);
  Place place;
  place.missing = errno == ENOENT;
  place.path = destination(path);
  return place;
}

TakenFiles::Place TakenFiles::of_descriptor(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? of_status(status) : Place();
}

bool TakenFiles::same(const Place& a, const Place& b) {
  if ((a.regular && b.regular) || (a.fifo && b.fifo) || (a.socket && b.socket))
    return a.device == b.device && a.number == b.number;
  return a.missing && b.missing && a.path == b.path;
}

TakenFiles::Place TakenFiles::of_input(const std::string& path) {
  return path == "-" ? of_descriptor(STDIN_FILENO) : of_path(path);
}

bool TakenFiles::same_file(const std::string& a, const std::string& b) {
  const Place place = of_path(a);
  return place.regular && same(place, of_path(b));
}

bool TakenFiles::same_pipe(const std::string& a, const std::string& b) {
  const Place place = of_input(a);
  return (place.fifo || place.socket) && same(place, of_input(b));
}

void TakenFiles::add_input(const std::string& path) {
  taken_.push_back(of_input(path));
  if (taken_.back().fifo) read_fifos_.push_back(taken_.back());
}

void TakenFiles::refuse_read_fifo(const std::string& name, const Place& place) const {
  for (const Place& read : read_fifos_)
    if (place.fifo && place.device == read.device && place.number == read.number)
      throw UsageError(name + ": the input and the output are the same FIFO", "each would wait for the other");
}

void TakenFiles::add_output(const std::string& path, bool data_on_stdout) {
  const bool standard = io::is_stdout(path);
  if (!standard || data_on_stdout) {
    const Place place = standard ? of_descriptor(STDOUT_FILENO) : of_path(path);
    refuse_read_fifo(path == "-" ? "<stdout>" : path, place);
    taken_.push_back(place);
  }
  if (data_on_stdout) stdout_carries_ = "the result";
}

UsageError TakenFiles::stdout_is_taken(const std::string& report, const std::string& by) {
  return UsageError(report + ": standard output has " + by + " to carry",
                    by == "the result" ? "name a file for the report, or one for the result with -o" : "name a file");
}

void TakenFiles::add_report(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  if (io::is_stdout(path)) {
    const std::string report = option + " " + path;
    if (!stdout_carries_.empty()) throw stdout_is_taken(report, stdout_carries_);
    stdout_carries_ = "another report";
    report_on_stdout_ = report;
  }
  const Place place = path == "-" ? of_descriptor(STDOUT_FILENO) : of_path(path);
  refuse_read_fifo(option + " " + path, place);
  for (const Place& other : taken_)
    if (same(place, other))
      throw UsageError(option + " " + path +
                           (place.fifo ? " is the pipe that another output goes to, too"
                                       : " would overwrite an input or another output"),
                       "name a file of its own for each");
  taken_.push_back(place);
}

}  // namespace rung::cli
