// The switch of the mutants (mutate_sites.hpp), linked to the tests by mutate.py, which names what to turn on:
// RUNG_MUTANT=ID one of them; RUNG_MUTANT_TRACE=FILE none, but the numbers of all that were asked for go there.
#include "../kernels/machine/sim/sim.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" {
unsigned char rung_mutant_state[RUNG_MUTANTS];  // what is not 0 makes its place call rung_mutant_asked
}

namespace {

int on = -1;
bool asked[RUNG_MUTANTS];
const char* trace = nullptr;

__attribute__((constructor)) void start() {
  if (const char* id = std::getenv("RUNG_MUTANT")) rung_mutant_state[on = std::atoi(id)] = 1;
  trace = std::getenv("RUNG_MUTANT_TRACE");
  if (trace)
    for (int id = 1; id < RUNG_MUTANTS; ++id) rung_mutant_state[id] = 1;
  // Mutants run side by side, one a core; and many wait for ever.
  rung::sim::options().os_threads = 1;
  rung::sim::options().stall_seconds = 1;
}

__attribute__((destructor)) void finish() {
  std::FILE* file = trace ? std::fopen(trace, "w") : nullptr;
  if (!file) return;
  for (int id = 1; id < RUNG_MUTANTS; ++id)
    if (asked[id]) std::fprintf(file, "%d\n", id);
  std::fclose(file);
}

}  // namespace

int rung_mutant_asked(int id) {
  if (id == on) return 1;
  asked[id] = true;
  rung_mutant_state[id] = 0;  // once is enough
  return 0;
}
