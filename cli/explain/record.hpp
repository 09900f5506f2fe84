// Runs one kernel with a recorder attached and every check of the simulator on.
#pragma once
#include "../../kernels/kernel.hpp"
#include "report.hpp"

#include <functional>

namespace rung::cli {

/// Called now and then with the share of the kernel's blocks that have run.
using Share = std::function<void(double)>;

/// On sim; after a plan without refusal. Findings that were there before are forgotten.
ExplainRow record(const Kernel& kernel, const Problem& problem, const Launch& launch, const DeviceProperties& device,
                  const Buffers& buffers, const Share& share = {});

/// The kernels that have findings.
std::vector<std::string> faulty_kernels(const ExplainReport& report);

}  // namespace rung::cli
