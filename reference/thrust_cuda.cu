// Thrust's CUDA back-end: reverse_copy, gather, and the table of its calls.
#include "thrust_cuda.cuh"
#include "thrust_reference.hpp"

#include <thrust/version.h>

namespace rung {

ThrustMemory::Place ThrustMemory::place(std::size_t bytes) {
  int device = 0;
  check(cudaGetDevice(&device));
  return {device, bytes};
}

char* ThrustMemory::allocate(std::ptrdiff_t bytes) {
  const Place where = place(static_cast<std::size_t>(bytes));
  const std::lock_guard lock(mutex_);
  std::vector<char*>& free = kept_[where];
  char* memory = nullptr;
  if (free.empty()) {
    check(cudaMalloc(&memory, where.bytes));
  } else {
    memory = free.back();
    free.pop_back();
  }
  return memory;
}

void ThrustMemory::deallocate(char* memory, std::size_t bytes) {
  const Place where = place(bytes);
  const std::lock_guard lock(mutex_);
  kept_[where].push_back(memory);
}

ThrustMemory& thrust_memory() {
  static ThrustMemory memory;
  return memory;
}

namespace {

ThrustTable table() {
  ThrustTable t;
  add_thrust_cuda_reductions(t);
  add_thrust_movers<OnGpu>(t);
  return t;
}

}  // namespace

std::vector<std::unique_ptr<Reference>> thrust_cuda_references() {
  std::vector<std::unique_ptr<Reference>> list;
  list.push_back(std::make_unique<ThrustReference>(
      ThrustReference::Description{
          .name = "thrust",
          .version = thrust_version(THRUST_VERSION),
          .machine = Machine::gpu,
          .types =
              "sum of u8, i32, i64, f32, f64 and c64 (same), min, max, argmin, argmax of i32 and f32, along rows sum "
              "of f32 (same)"},
      table()));
  return list;
}

}  // namespace rung
