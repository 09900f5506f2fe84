#include "select.hpp"

#include "../../kernels/error.hpp"
#include "../../kernels/machine/device.hpp"
#include "../../kernels/registry.hpp"
#include "../../kernels/transpose/choose.hpp"
#include "../names.hpp"
#include "../text.hpp"

#include <algorithm>

namespace rung::cli {
namespace {

bool is_group(const std::string& name) { return name == "best" || name == "ladder" || name == "all"; }

bool runs_on(Family family, Machine machine, const std::string& name) {
  return is_group(name) || find_kernel(family, machine, name) != nullptr;
}

/// The names that are no group and that `machine` has no kernel of.
std::vector<std::string> missing(Family family, Machine machine, const std::vector<std::string>& names) {
  std::vector<std::string> absent;
  for (const auto& name : names)
    if (!runs_on(family, machine, name)) absent.push_back(name);
  return absent;
}

constexpr const char* simulates = "-d sim runs the CUDA kernels on this machine's cores, slowly";

UsageError wrong_machine(Family family, Machine machine, const std::string& name) {
  const std::string reason = "kernel " + name + " does not run on " + std::string(name_of(machine));
  if (machine == Machine::cpu) return UsageError(reason, simulates);
  if (find_kernel(family, Machine::cpu, name)) return UsageError(reason, "-d cpu runs it");
  return UsageError(reason, "see rung list kernels");
}

/// Kernels that `best` prefers, by name; the others follow, last rung first.
std::string preferred(const Problem& p, Machine machine) {
  const bool cpu = machine == Machine::cpu;
  if (p.family == Family::reduce) return cpu ? "cpu-parallel" : p.whole_array() ? "vector" : "axis";
  if (p.family == Family::transpose) return cpu ? "cpu-blocked" : std::string(best_transpose(p));
  return cpu ? "cpu-parallel" : p.reverse ? "vector" : "strided";
}

std::vector<const Kernel*> best_first(const Problem& p, Machine machine) {
  auto list = kernels(p.family, machine);
  std::reverse(list.begin(), list.end());
  // The same command gives the same bits: kernels that cannot promise it come last.
  std::stable_partition(list.begin(), list.end(), [](const Kernel* k) { return !k->info().atomic_order; });
  const std::string first = preferred(p, machine);
  std::stable_partition(list.begin(), list.end(), [&](const Kernel* k) { return k->info().name == first; });
  return list;
}

/// "-k axis, or all"; empty where no kernel of the machine can run this.
std::string able(const Problem& p, Machine machine, const Launch& launch, const DeviceProperties& device) {
  std::vector<std::string> names;
  for (const Kernel* kernel : kernels(p.family, machine))
    if (kernel->plan(p, launch, device)) names.emplace_back(kernel->info().name);
  return names.empty() ? "" : join(names, ", ") + " can: -k " + names[0] + ", or -k all";
}

/// "permutes more than two axes: window and strided do" has said it; the hint is then what to type.
std::string what_to_type(const std::string& hint, const std::vector<Skipped>& skipped) {
  const auto says_who = [](const Skipped& s) {
    return s.reason.ends_with(" does") || s.reason.ends_with(" do") || s.reason.ends_with(" take others");
  };
  const std::size_t colon = hint.find(": -k ");
  if (colon == std::string::npos || !std::all_of(skipped.begin(), skipped.end(), says_who)) return hint;
  return hint.substr(colon + 2);
}

UsageError none_left(const Problem& p, Machine machine, const std::vector<Skipped>& skipped, const std::string& hint) {
  const std::string family(name_of(p.family)), where(name_of(machine));
  if (skipped.empty())
    return UsageError("the " + where + " has no such " + family + " kernels",
                      machine == Machine::cpu ? simulates : "see rung list kernels");
  std::vector<Remark> remarks;
  for (const auto& [name, reason] : skipped) remarks.push_back({name, reason});
  const std::string reasons = join(by_text(remarks), "; ");
  if (skipped.size() == 1) return UsageError("kernel " + reasons, hint);
  return UsageError("no " + family + " kernel of the " + where + (hint.empty() ? "" : ", of those asked for,") +
                        " can run this: " + reasons,
                    hint);
}

}  // namespace

bool asks_for_several(const std::vector<std::string>& names) {
  return names.size() > 1 || names.front() == "ladder" || names.front() == "all";
}

bool only_groups(const std::vector<std::string>& names) { return std::all_of(names.begin(), names.end(), is_group); }

namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names and aliases of the kernels of a family.
std::vector<std::string> kernel_names(Family family) {
  std::vector<std::string> names;
  for (const Kernel* k : kernels())
    for (const auto& name : {k->info().name, k->info().aliases[0], k->info().aliases[1]})
      if (k->info().family == family && !name.empty() && !contains(names, name)) names.emplace_back(name);
  return names;
}

/// "transpose and reverse": the families that have a kernel of that name or alias.
std::string families_with(const std::string& name) {
  std::vector<std::string> families;
  for (std::size_t k = 0; k < family_names.size(); ++k)
    if (contains(kernel_names(static_cast<Family>(k)), name)) families.emplace_back(family_names[k]);
  return join(families, " and ");
}

/// A kernel of another family is named as that, by its name or by one that is nearly it.
UsageError unknown_kernel(Family family, const std::string& name, const std::vector<std::string>& valid,
                          const std::vector<std::string>& with_aliases) {
  const std::string own(name_of(family));
  if (const std::string families = families_with(name); !families.empty())
    return UsageError(name + " is a kernel of " + families + ", not of " + own,
                      "those of " + own + ": " + join(valid, ", "));
  if (!nearest(name, with_aliases).empty()) return unknown_name(own + " kernel", name, with_aliases);
  std::vector<std::string> others;
  for (std::size_t k = 0; k < family_names.size(); ++k) {
    const auto more = kernel_names(static_cast<Family>(k));
    others.insert(others.end(), more.begin(), more.end());
  }
  const std::string near = nearest(name, others);
  if (near.empty()) return unknown_name(own + " kernel", name, valid);
  return UsageError("unknown " + own + " kernel " + quoted(name),
                    near + " is a kernel of " + families_with(near) + "; valid: " + join(valid, ", "));
}

}  // namespace

void check_kernel_names(Family family, const std::vector<std::string>& names, std::optional<Machine> listed) {
  const std::vector<std::string> groups{"best", "ladder", "all"}, own = kernel_names(family);
  std::vector<std::string> valid = groups, with_aliases = groups;
  with_aliases.insert(with_aliases.end(), own.begin(), own.end());
  for (const Kernel* k : kernels())
    if (k->info().family == family && (!listed || k->machine() == *listed) && !contains(valid, k->info().name))
      valid.emplace_back(k->info().name);
  for (const auto& name : names)
    if (!contains(with_aliases, name)) throw unknown_kernel(family, name, valid, with_aliases);
}

namespace {

/// `reason` is why the cpu would be taken in any case. To ask for a GPU starts CUDA: only for one who reads the answer.
MachineChoice the_cpu(const ConsoleOptions& console, const std::string& reason) {
  std::string why;
  const bool absent = console.verbose && gpu_count(&why) == 0;
  return {Machine::cpu, 0, absent ? "there is no GPU: " + why : reason};
}

}  // namespace

std::optional<MachineChoice> machine_by_request(const RunOptions& o) {
  const auto& names = o.kernels;
  if (o.device.machine) {
    const Machine machine = *o.device.machine;
    const auto absent = missing(o.family, machine, names);
    if (!absent.empty() && machine != Machine::gpu) throw wrong_machine(o.family, machine, absent[0]);
    // A gpu that is not there is told first (exit 4): such a build has no GPU kernels to be missing.
    if (!absent.empty() && gpu_count() > 0) throw wrong_machine(o.family, machine, absent[0]);
    return MachineChoice{machine, o.device.ordinal, "as --device says"};
  }
  const bool named = !only_groups(names);
  if (named && missing(o.family, Machine::cpu, names).empty())
    return MachineChoice{Machine::cpu, 0, "the kernels named are the cpu's"};
  if (names.size() == 1 && names[0] == "best") {
    if (o.family == Family::transpose) return std::nullopt;
    return the_cpu(o.console, "one pass over a file takes the cores less time than the copy to a GPU");
  }
  std::string why;
  const Machine machine = gpu_count(&why) > 0 ? Machine::gpu : Machine::cpu;
  const auto absent = missing(o.family, machine, names);
  // sim has every kernel of a GPU, in every build: a GPU would run them all.
  if (!absent.empty() && machine == Machine::cpu && missing(o.family, Machine::sim, names).empty())
    throw DeviceError("kernel " + absent[0] + " needs a GPU, and there is none: " + why, simulates);
  if (!absent.empty()) throw wrong_machine(o.family, machine, absent[0]);
  return MachineChoice{machine, 0, machine == Machine::gpu ? "there is a GPU" : "there is no GPU: " + why};
}

MachineChoice machine_by_size(Family family, std::size_t bytes, const ConsoleOptions& console) {
  // Starting CUDA takes 0.2 to 0.3 s on an H200 machine; the cores transpose this much in that time.
  constexpr std::size_t pays_from = std::size_t{256} << 20;
  if (family != Family::transpose) return the_cpu(console, "one pass over a file is done sooner here");
  if (bytes < pays_from) return the_cpu(console, "the array is done before CUDA would have started");
  std::string why;
  if (gpu_count(&why) > 0) return {Machine::gpu, 0, "a transpose of this size pays for the copies"};
  return {Machine::cpu, 0, "there is no GPU: " + why};
}

Selected select_best(const Problem& p, Machine machine, const Launch& launch, const DeviceProperties& device) {
  std::vector<Skipped> refused;
  for (const Kernel* kernel : best_first(p, machine)) {
    Plan plan = kernel->plan(p, launch, device);
    if (plan) return {kernel, std::move(plan)};
    refused.push_back({std::string(kernel->info().name), plan.refusal});
  }
  throw none_left(p, machine, refused, {});
}

Selection select_kernels(const Problem& p, const std::vector<std::string>& names, Machine machine, const Launch& launch,
                         const DeviceProperties& device) {
  Selection selection;
  std::vector<const Kernel*> taken;
  const auto take = [&](const Kernel* kernel) {
    if (std::find(taken.begin(), taken.end(), kernel) != taken.end()) return;
    taken.push_back(kernel);
    Plan plan = kernel->plan(p, launch, device);
    if (plan)
      selection.run.push_back({kernel, std::move(plan)});
    else
      selection.skipped.push_back({std::string(kernel->info().name), plan.refusal});
  };
  for (const auto& name : names) {
    if (name == "best") {
      take(select_best(p, machine, launch, device).kernel);
    } else if (name == "ladder" || name == "all") {
      for (const Kernel* kernel : kernels(p.family, machine))
        if (name == "all" || kernel->info().ladder) take(kernel);
    } else if (const Kernel* kernel = find_kernel(p.family, machine, name)) {
      take(kernel);
    } else {
      throw wrong_machine(p.family, machine, name);
    }
  }
  if (selection.run.empty())
    throw none_left(p, machine, selection.skipped, what_to_type(able(p, machine, launch, device), selection.skipped));
  return selection;
}

}  // namespace rung::cli
