// What a simulation will take, roughly, so that one of hours is not begun unawares.
#pragma once
#include <cstdint>
#include <string>

namespace rung::cli {

/// Work of a simulation, and the memory there is for it.
struct SimulatedWork {
  std::uint64_t elements = 0;  ///< of the input
  std::uint64_t bytes = 0;     ///< of input and output
  std::uint64_t kernels = 1;
  std::uint64_t memory = 0;  ///< bytes of the machine; 0: not known
};

/// For a warning: "1073741824 elements by 3 kernels may be simulated for 54 minutes, ..."; empty for what takes a
/// minute or two and little memory.
std::string cost_warning(const SimulatedWork& work);

/// Bytes of memory of this machine; 0 where it does not say.
std::uint64_t physical_memory();

}  // namespace rung::cli
