#include "taken.hpp"

#include "../../kernels/error.hpp"
#include "../io/io.hpp"

#include <sys/stat.h>
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

TakenFiles::Place TakenFiles::of_path(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return {S_ISREG(status.st_mode), false, status.st_dev, status.st_ino, {}};
  return {false, errno == ENOENT, 0, 0, destination(path)};
}

TakenFiles::Place TakenFiles::of_descriptor(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return {};
  return {S_ISREG(status.st_mode), false, status.st_dev, status.st_ino, {}};
}

bool TakenFiles::same(const Place& a, const Place& b) {
  if (a.regular && b.regular) return a.device == b.device && a.number == b.number;
  return a.missing && b.missing && a.path == b.path;
}

void TakenFiles::add_input(const std::string& path) {
  taken_.push_back(path == "-" ? of_descriptor(STDIN_FILENO) : of_path(path));
}

void TakenFiles::add_output(const std::string& path, bool data_on_stdout) {
  if (path != "-")
    taken_.push_back(of_path(path));
  else if (data_on_stdout)
    taken_.push_back(of_descriptor(STDOUT_FILENO));
  if (data_on_stdout) stdout_carries_ = "something else";
}

void TakenFiles::add_report(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  if (io::is_stdout(path)) {
    if (!stdout_carries_.empty())
      throw UsageError(option + " " + path + ": standard output has " + stdout_carries_ + " to carry", "name a file");
    stdout_carries_ = "another report";
    report_on_stdout_ = true;
  }
  const Place place = path == "-" ? of_descriptor(STDOUT_FILENO) : of_path(path);
  for (const Place& other : taken_)
    if (same(place, other))
      throw UsageError(option + " " + path + " would overwrite an input or another output",
                       "name a file of its own for each");
  taken_.push_back(place);
}

}  // namespace rung::cli
