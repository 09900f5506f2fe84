// The kernels that this project promises. A rung that is added is one line more here.
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace rung;

namespace {

const std::set<std::string> promised_cuda{
    "reduce interleaved-modulo",
    "reduce interleaved-strided",
    "reduce sequential",
    "reduce first-add",
    "reduce unroll-warp",
    "reduce unroll-full",
    "reduce grid-stride",
    "reduce atomic",
    "reduce shared-atomic",
    "reduce coarse-atomic",
    "reduce shuffle",
    "reduce vector",
    "reduce axis",
    "transpose row-read",
    "transpose row-write",
    "transpose block2d",
    "transpose tile",
    "transpose tile-padded",
    "transpose tile-coarse",
    "transpose vector",
    "transpose window",
    "transpose narrow",
    "transpose bytes",
    "transpose strided",
    "reverse direct",
    "reverse shared",
    "reverse vector",
    "reverse strided",
};

const std::set<std::string> promised_cpu{
    "reduce cpu-serial", "reduce cpu-parallel", "transpose cpu-naive", "transpose cpu-blocked", "reverse cpu-parallel",
};

std::set<std::string> registered(Machine machine) {
  std::set<std::string> names;
  for (const Kernel* k : kernels())
    if (k->machine() == machine)
      names.insert(std::string(name_of(k->info().family)) + " " + std::string(k->info().name));
  return names;
}

}  // namespace

TEST_CASE("the list of kernels is the promised one") {
  const auto compare = [](Machine machine, const std::set<std::string>& promised) {
    const auto here = registered(machine);
    for (const auto& name : promised) CHECK_MESSAGE(here.count(name), name_of(machine), " lacks ", name);
    for (const auto& name : here)
      CHECK_MESSAGE(promised.count(name), name_of(machine), " has ", name, ", not in this list");
  };
  compare(Machine::sim, promised_cuda);
  compare(Machine::cpu, promised_cpu);
  if (!registered(Machine::gpu).empty()) compare(Machine::gpu, promised_cuda);  // else a build without CUDA
}

TEST_CASE("names and aliases are found, and belong to one kernel each") {
  for (const Machine machine : {Machine::gpu, Machine::cpu, Machine::sim})
    for (const Family family : {Family::reduce, Family::transpose, Family::reverse}) {
      std::set<std::string_view> seen;
      for (const Kernel* k : kernels(family, machine)) {
        CHECK(find_kernel(family, machine, k->info().name) == k);
        CHECK(seen.insert(k->info().name).second);
        for (const std::string_view alias : k->info().aliases) {
          if (alias.empty()) continue;
          CHECK(find_kernel(family, machine, alias) == k);
          CHECK(seen.insert(alias).second);
        }
      }
      CHECK(find_kernel(family, machine, "") == nullptr);
      CHECK(find_kernel(family, machine, "no-such-kernel") == nullptr);
    }
}

TEST_CASE("every kernel says what it is") {
  for (const Kernel* k : kernels()) {
    CHECK_FALSE(k->info().summary.empty());
    CHECK_FALSE(k->info().teaches.empty());
    CHECK(k->info().summary.find('\n') == std::string_view::npos);
    CHECK(k->info().teaches.find('\n') == std::string_view::npos);
  }
}

TEST_CASE("kernels are listed in the order of the ladder") {
  for (const Family family : {Family::reduce, Family::transpose, Family::reverse}) {
    const auto list = kernels(family, Machine::sim);
    CHECK(std::is_sorted(list.begin(), list.end(),
                         [](const Kernel* a, const Kernel* b) { return a->info().order < b->info().order; }));
  }
}
