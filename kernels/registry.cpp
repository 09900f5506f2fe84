#include "registry.hpp"

#include <algorithm>
#include <tuple>

namespace rung {
namespace {

auto place(const Kernel& k) { return std::tuple(k.info().family, k.info().order, k.info().name, k.machine()); }

std::vector<std::unique_ptr<Kernel>>& owned() {
  static std::vector<std::unique_ptr<Kernel>> table;
  return table;
}

}  // namespace

bool enlist(std::unique_ptr<Kernel> kernel) {
  owned().push_back(std::move(kernel));
  return true;
}

const std::vector<const Kernel*>& kernels() {
  static const std::vector<const Kernel*> sorted = [] {
    std::vector<const Kernel*> list;
    for (const auto& k : owned()) list.push_back(k.get());
    std::sort(list.begin(), list.end(), [](const Kernel* a, const Kernel* b) { return place(*a) < place(*b); });
    return list;
  }();
  return sorted;
}

std::vector<const Kernel*> kernels(Family family, Machine machine) {
  std::vector<const Kernel*> list;
  for (const Kernel* k : kernels())
    if (k->info().family == family && k->machine() == machine) list.push_back(k);
  return list;
}

const Kernel* find_kernel(Family family, Machine machine, std::string_view name) {
  for (const Kernel* k : kernels(family, machine)) {
    const auto& aliases = k->info().aliases;
    if (!name.empty() && (k->info().name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()))
      return k;
  }
  return nullptr;
}

}  // namespace rung
