// The two fixed kernels that are nothing else: what reading, and copying, can reach on this machine.
#pragma once
#include "../kernel.hpp"

#include <vector>

namespace rung {

// Each in the folder of its machine; copies: ceiling-copy, else ceiling-read.
std::vector<const Runnable*> gpu_ceilings(bool copies);
std::vector<const Runnable*> cpu_ceilings(bool copies);

}  // namespace rung
