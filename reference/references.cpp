#include "reference.hpp"

#include <iterator>

namespace rung {
namespace {

using Owned = std::vector<std::unique_ptr<Reference>>;

void append(Owned& list, Owned more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Owned build(Machine machine) {
  Owned list;
#ifdef RUNG_HAS_CUDA
  if (machine == Machine::gpu) {
    append(list, cub_references());
    append(list, thrust_cuda_references());
    append(list, cublas_references());
  }
#endif
  if (machine == Machine::cpu) append(list, thrust_cpu_references());
  return list;
}

}  // namespace

const std::vector<const Reference*>& references(Machine machine) {
  struct List {
    explicit List(Machine m) : owned(build(m)) {
      for (const auto& reference : owned) pointers.push_back(reference.get());
    }
    Owned owned;
    std::vector<const Reference*> pointers;
  };
  static const List gpu(Machine::gpu), cpu(Machine::cpu), sim(Machine::sim);
  return (machine == Machine::gpu ? gpu : machine == Machine::cpu ? cpu : sim).pointers;
}

}  // namespace rung
