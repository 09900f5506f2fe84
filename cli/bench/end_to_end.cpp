#include "end_to_end.hpp"

#include "ratios.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

namespace rung::cli {
namespace {

class ProcessSampler final : public Sampler {
 public:
  ProcessSampler(std::vector<const ProcessSubject*> subjects, const TimeProcess& time)
      : subjects_(std::move(subjects)), time_(time) {}
  std::size_t subjects() const override { return subjects_.size(); }
  Sample sample(std::size_t subject) override { return {time_(subjects_[subject]->run), false, std::nullopt}; }
  double elapsed() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::vector<const ProcessSubject*> subjects_;
  const TimeProcess& time_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void time_processes(BenchPoint& point, std::vector<ProcessSubject>& subjects, const StopRule& rule,
                    const TimeProcess& time) {
  std::vector<ProcessSubject*> timed;
  for (ProcessSubject& subject : subjects)
    if (subject.row.verdict != RowVerdict::fail) timed.push_back(&subject);
  if (timed.empty()) return;
  const bool simulated = point.machine == Machine::sim;
  std::vector<const ProcessSubject*> in_turn(timed.begin(), timed.end());
  // The same command a second time, half a round apart, as the method has it for kernels.
  const auto place = static_cast<std::ptrdiff_t>((timed.size() + 1) / 2);
  if (!simulated) in_turn.insert(in_turn.begin() + place, timed.front());
  ProcessSampler sampler(in_turn, time);
  std::vector<Series> series = run_rounds(sampler, rule);
  if (!simulated) {
    const auto itself = series.begin() + place;
    point.noise = paired_ratio(itself->seconds, series.front().seconds);
    series.erase(itself);
  }
  for (std::size_t k = 0; k < timed.size(); ++k) {
    BenchRow& row = timed[k]->row;
    row.dropped = series[k].dropped;
    row.stopped = name_of(series[k].stopped);
    if (const Summary summary = summarise(series[k].seconds); summary.n != 0) row.seconds = summary;
  }
  if (!simulated) {
    std::vector<BenchRow*> rows_timed;
    for (ProcessSubject* subject : timed) rows_timed.push_back(&subject->row);
    compare_rows(rows_timed, series);
  }
}

RunOptions process_run(const RunOptions& asked, std::vector<std::string> kernels, const DeviceWish& device,
                       const io::ReadOptions& read, const std::string& file, const std::string& output) {
  RunOptions run;
  run.family = asked.family;
  run.op = asked.op;
  run.acc = asked.acc;
  run.axes = asked.axes;
  run.launch = asked.launch;
  run.kernels = std::move(kernels);
  run.device = device;
  run.read = read;
  run.files = {file};
  run.output = output;
  return run;
}

double cached_share(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  const auto bytes = static_cast<std::size_t>(known ? status.st_size : 0);
  void* mapped = bytes == 0 ? nullptr : ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (!known || mapped == MAP_FAILED) return 0;
  if (bytes == 0) return 1;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const bool told = ::mincore(mapped, bytes, pages.data()) == 0;
  ::munmap(mapped, bytes);
  if (!told) return 0;
  const auto there = std::count_if(pages.begin(), pages.end(), [](unsigned char flags) { return (flags & 1) != 0; });
  return static_cast<double>(there) / static_cast<double>(pages.size());
}

std::optional<FileVersion> file_version(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileVersion{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec};
}

bool same_bytes(const std::string& a, const std::string& b) {
  std::ifstream one(a, std::ios::binary), other(b, std::ios::binary);
  if (!one || !other) return false;
  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::vector<char> left(chunk), right(chunk);
  while (true) {
    one.read(left.data(), chunk);
    other.read(right.data(), chunk);
    const auto got = static_cast<std::size_t>(one.gcount());
    if (one.gcount() != other.gcount() || std::memcmp(left.data(), right.data(), got) != 0) return false;
    if (got < chunk) return one.eof() && other.eof();
  }
}

}  // namespace rung::cli
