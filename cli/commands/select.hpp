// Which machine and which kernels: what -d and -k say, and what `auto` and `best` choose.
#pragma once
#include "../../kernels/kernel.hpp"
#include "../options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

/// Whether -k asks for several kernels, so that there is no one result.
bool asks_for_several(const std::vector<std::string>& names);

/// Whether -k names no kernel of its own: best, ladder and all are there on every machine.
bool only_groups(const std::vector<std::string>& names);

/// Throws UsageError for names that no machine of this build has, listing those there are: all, or those of one
/// machine.
void check_kernel_names(Family family, const std::vector<std::string>& names,
                        std::optional<Machine> listed = std::nullopt);

struct MachineChoice {
  Machine machine = Machine::cpu;
  int ordinal = 0;
  std::string reason;  ///< for -v
};

/// What the command line alone decides; nothing when the size of the data has a say.
/// Throws UsageError when the kernels named do not run on the machine named, or on no one machine; DeviceError when
/// they run on a GPU, and there is none.
std::optional<MachineChoice> machine_by_request(const RunOptions& options);

/// For `best` on `auto`: the machine that is done first with data that lies in a file.
MachineChoice machine_by_size(Family family, std::size_t bytes, const ConsoleOptions& console);

struct Selected {
  const Kernel* kernel = nullptr;
  Plan plan;
};

struct Skipped {
  std::string name, reason;
};

struct Selection {
  std::vector<Selected> run;
  std::vector<Skipped> skipped;
};

/// The kernels to run, in the order asked for, each once. Throws UsageError when none is left.
Selection select_kernels(const Problem& problem, const std::vector<std::string>& names, Machine machine,
                         const Launch& launch, const DeviceProperties& device);

/// The first of the machine's kernels, best first, whose plan does not refuse.
Selected select_best(const Problem& problem, Machine machine, const Launch& launch, const DeviceProperties& device);

}  // namespace rung::cli
