#include "cost.hpp"

#include "../text.hpp"

#include <unistd.h>

#include <cmath>

namespace rung::cli {
namespace {

// Of kernels that were explained with 2^22 f32 elements on a server's core: 0.2 to 1 us an element, by how many
// accesses each takes; and ten times the bytes of the arrays, most of them what the race checker knows of each byte.
constexpr double seconds_an_element = 1e-6, bytes_a_byte = 10;
constexpr double bearable_seconds = 120, bearable_bytes = 4.0 * (std::uint64_t{1} << 30);

std::string duration_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  return seconds < 2 * hour ? std::to_string(std::lround(seconds / minute)) + " minutes"
                            : std::to_string(std::lround(seconds / hour)) + " hours";
}

}  // namespace

std::string cost_warning(const SimulatedWork& work) {
  const double seconds = seconds_an_element * static_cast<double>(work.elements) * static_cast<double>(work.kernels);
  const double bytes = bytes_a_byte * static_cast<double>(work.bytes);
  if (seconds < bearable_seconds && bytes < bearable_bytes) return {};
  std::string text = std::to_string(work.elements) + " elements by " + std::to_string(work.kernels) +
                     (work.kernels == 1 ? " kernel" : " kernels") + " may be simulated for ";
  text += seconds < bearable_seconds ? "minutes" : duration_text(seconds);
  text += ", in some " + bytes_text(static_cast<std::uint64_t>(bytes)) + " of memory";
  if (work.memory != 0 && bytes > static_cast<double>(work.memory))
    text += ", and this machine has " + bytes_text(work.memory);
  return text + "; a smaller array, such as -n or --shape makes, has the same counts a request";
}

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

}  // namespace rung::cli
