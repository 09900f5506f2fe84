// Runs one behind the other, each of which reads what the one before it wrote, or writes what that one reads: kernels
// that come in while the one before them ends must wait for it.
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <numeric>

using namespace rung;
using namespace rung::test;

namespace {

/// What its plan asks for beside input and output.
DeviceBuffer workspace_for(Device& on, const Plan& plan) { return {on, plan.workspace}; }

/// There and back eleven times, and there; `there` and `back` undo each other.
void check_round_trips(const Kernel& kernel, const Problem& there, const Problem& back, Tally& tally) {
  Device& on = *device(kernel.machine());
  const Plan first = plan_of(kernel, there), second = plan_of(kernel, back);
  if (!first || !second) return tally.refused(first ? second.refusal : first.refusal);
  const auto data = noise(there.input_bytes(), 3);
  const DeviceBuffer a(on, data.size()), b(on, data.size()), workspace = workspace_for(on, first);
  on.upload(a.get(), data.data(), data.size());
  on.fill(b.get(), 0xcd, data.size());
  on.synchronize();
  for (unsigned round = 0; round < 12; ++round) {
    if (round > 0) kernel.run(back, {}, on.properties(), {b.get(), a.get(), workspace.get()}, {});
    kernel.run(there, {}, on.properties(), {a.get(), b.get(), workspace.get()}, {});
  }
  kernel.run(back, {}, on.properties(), {b.get(), a.get(), workspace.get()}, {});
  on.synchronize();
  std::vector<std::byte> found(data.size());
  on.download(found.data(), a.get(), found.size());
  tally.ran();
  if (found != data) tally.failed(describe(there));
}

constexpr DType types[] = {DType::u8, DType::u16, DType::f32, DType::f64, DType::c128};

/// Larger on a GPU, where what does not wait has to meet what it should have waited for.
std::vector<Shape> shapes_of(Machine machine) {
  if (machine == Machine::sim) return {{67, 129}, {64, 128}, {5, 300}, {300, 9}, {1, 500}};
  return {{1031, 515}, {1024, 512}, {257, 4099}, {9, 60001}, {60000, 12}, {3001, 40}, {1, 500001}};
}

const Kernel* kernel_of(Family family, Machine machine, std::string_view name) {
  for (const Kernel* kernel : chosen(family, machine))
    if (kernel->info().name == name) return kernel;
  return nullptr;
}

}  // namespace

TEST_CASE("kernels: transposes that follow each other") {
  each_kernel(Family::transpose, [](const Kernel& kernel) {
    Tally tally(subject(kernel));
    for (const DType dtype : types)
      for (const Shape& shape : shapes_of(kernel.machine()))
        check_round_trips(kernel, transpose_problem(dtype, shape, {1, 0}),
                          transpose_problem(dtype, {shape[1], shape[0]}, {1, 0}), tally);
  });
}

TEST_CASE("kernels: reverses that follow each other") {
  each_kernel(Family::reverse, [](const Kernel& kernel) {
    Tally tally(subject(kernel));
    for (const DType dtype : types)
      for (const Shape& shape : shapes_of(kernel.machine()))
        for (const std::vector<std::size_t>& axes : {std::vector<std::size_t>{0, 1}, {0}, {1}}) {
          const Problem p = reverse_problem(dtype, shape, axes);
          check_round_trips(kernel, p, p, tally);
        }
  });
}

TEST_CASE("kernels: reductions that follow each other") {
  for (const Machine machine : machines()) {
    const Kernel *axis = kernel_of(Family::reduce, machine, "axis"),
                 *whole = kernel_of(Family::reduce, machine, "vector");
    if (!axis || !whole) continue;
    Device& on = *device(machine);
    // Sums of rows of the one or the other input, of groups of those, and of all, always in the same memory.
    const std::size_t rows = machine == Machine::sim ? 60 : 6000, cols = machine == Machine::sim ? 37 : 501;
    for (const std::size_t way : {0, 1}) {
      const auto sum = [](const Shape& shape, const std::vector<std::size_t>& axes) {
        return reduce_problem(DType::i64, shape, axes, Op::sum, Acc::same);
      };
      const Problem steps[] = {way ? sum({cols, rows}, {0}) : sum({rows, cols}, {1}), sum({rows / 6, 6}, {1}),
                               sum({rows / 6}, {})};
      const Kernel* const kernels[] = {axis, axis, whole};
      std::vector<DeviceBuffer> inputs, spaces;
      std::int64_t expected[2]{};
      for (const int k : {0, 1}) {
        std::vector<std::int64_t> values(rows * cols);
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = static_cast<std::int64_t>(i * 2654435761u % 100003) * (k ? -3 : 1);
        expected[k] = std::accumulate(values.begin(), values.end(), std::int64_t{0});
        inputs.emplace_back(on, values.size() * 8);
        on.upload(inputs.back().get(), values.data(), values.size() * 8);
      }
      for (const int k : {0, 1, 2}) spaces.push_back(workspace_for(on, plan_of(*kernels[k], steps[k])));
      constexpr std::size_t rounds = 16;
      const DeviceBuffer of_rows(on, rows * 8), of_groups(on, rows / 6 * 8), totals(on, rounds * 8);
      on.synchronize();
      for (std::size_t round = 0; round < rounds; ++round) {
        const void* const in[] = {inputs[round % 2].get(), of_rows.get(), of_groups.get()};
        void* const out[] = {of_rows.get(), of_groups.get(), static_cast<std::int64_t*>(totals.get()) + round};
        for (const int k : {0, 1, 2})
          kernels[k]->run(steps[k], {}, on.properties(), {in[k], out[k], spaces[static_cast<std::size_t>(k)].get()},
                          {});
      }
      on.synchronize();
      std::int64_t found[rounds];
      on.download(found, totals.get(), sizeof found);
      for (std::size_t round = 0; round < rounds; ++round) CHECK(found[round] == expected[round % 2]);
    }
  }
}
