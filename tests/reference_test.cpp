// The library references: every problem has a call or a reason, and every call is right by the oracle.
#include "../reference/reference.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "../kernels/machine/device.hpp"
#include "../reference/compare.hpp"

namespace {

using namespace rung;

bool has_order(DType dtype) { return info(dtype).kind != Kind::complex; }

/// Every family, operation, type and accumulator: whole arrays, rows and columns; movers in simple and general form.
std::vector<Problem> every_problem(std::size_t n) {
  std::vector<Problem> list;
  for (const auto& row : dtype_table) {
    for (std::size_t k = 0; k < op_names.size(); ++k) {
      const Op op = static_cast<Op>(k);
      const bool arithmetic = op == Op::sum || op == Op::prod || op == Op::mean;
      if (!arithmetic && (!has_order(row.dtype) || n == 0)) continue;
      if (op == Op::mean && n == 0) continue;
      for (const Acc acc : {Acc::wide, Acc::same}) {
        list.push_back(reduce_problem(row.dtype, {n}, {}, op, acc));
        list.push_back(reduce_problem(row.dtype, {7, n}, {1}, op, acc));
        list.push_back(reduce_problem(row.dtype, {n, 7}, {0}, op, acc));
      }
    }
    list.push_back(transpose_problem(row.dtype, {n, 13}, {1, 0}));
    list.push_back(transpose_problem(row.dtype, {3, n, 5}, {0, 2, 1}));
    list.push_back(transpose_problem(row.dtype, {2, 3, n, 5}, {3, 1, 0, 2}));
    list.push_back(reverse_problem(row.dtype, {n}, {}));
    list.push_back(reverse_problem(row.dtype, {5, n}, {0}));
  }
  return list;
}

/// Elements as users have them: every value of the integers, floats around 1 that are finite, bools.
template <class T>
void fill(T* out, std::size_t count, std::mt19937& random, float centre, float radius) {
  std::uniform_real_distribution<float> offset(-radius, radius);
  const auto real = [&](std::mt19937& r) { return centre + offset(r); };
  for (std::size_t k = 0; k < count; ++k) {
    if constexpr (std::is_same_v<T, Bool>)
      out[k].byte = random() % 2;
    else if constexpr (std::is_integral_v<T>)
      out[k] = static_cast<T>(random());
    else if constexpr (std::is_same_v<T, F16>)
      out[k].bits = static_cast<std::uint16_t>(0x3800 + (random() & 0x83ff));  // ±[0.5, 1)
    else if constexpr (std::is_same_v<T, BF16>)
      out[k].bits = static_cast<std::uint16_t>(0x3f00 + (random() & 0x807f));  // ±[0.5, 1)
    else if constexpr (std::is_floating_point_v<T>)
      out[k] = real(random);
    else
      out[k] = {real(random), offset(random)};
  }
}

std::vector<std::byte> input_of(const Problem& p) {
  std::mt19937 random(20250101);
  std::vector<std::byte> bytes(p.input_bytes());
  // Products of long rows stay in range when every factor is near 1, and the bound can then say something.
  const bool product = p.family == Family::reduce && p.op == Op::prod;
  const float centre = product ? 1.0f : 0.0f, scale = product ? 1e-4f : 2.0f;
  visit_dtype(p.dtype,
              [&]<class T>() { fill(reinterpret_cast<T*>(bytes.data()), p.input_elements(), random, centre, scale); });
  return bytes;
}

std::string describe(const Reference& r, const Problem& p) {
  return r.name() + " " + std::string(name_of(p.family)) + " " + std::string(name_of(p.op)) + " " +
         std::string(name_of(p.dtype)) + " " + std::string(name_of(p.acc)) + " " + std::to_string(p.outer) + "x" +
         std::to_string(p.n) + "x" + std::to_string(p.inner);
}

/// Runs every call of a machine's references on `n` elements an axis, and counts them.
std::size_t run_all(Device& device, std::size_t n) {
  std::size_t runs = 0;
  for (const Reference* reference : references(device.machine())) {
    for (const Problem& p : every_problem(n)) {
      if (reference->call(p).empty()) continue;
      const Plan plan = reference->plan(p, {}, device.properties());
      if (!plan && plan.refusal.find("no cuBLAS") != std::string::npos) continue;
      CAPTURE(describe(*reference, p));
      CHECK(plan.refusal == "");
      if (!plan) continue;
      const std::vector<std::byte> in = input_of(p);
      std::vector<std::byte> out(p.output_bytes());
      const DeviceBuffer from(device, in.size()), to(device, out.size()), workspace(device, plan.workspace);
      device.upload(from.get(), in.data(), in.size());
      device.fill(to.get(), 0xa5, out.size());
      reference->run(p, {}, device.properties(), {from.get(), to.get(), workspace.get()}, {});
      device.synchronize();
      device.download(out.data(), to.get(), out.size());
      const Comparison c = compare(p, oracle(p, in.data()), out.data(), plan.chain);
      if (c.verdict != Verdict::pass && !c.first.empty()) MESSAGE("got ", c.first[0].got, ", want ", c.first[0].want);
      CHECK(c.verdict == Verdict::pass);
      ++runs;
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("reference: every problem has a call, or a reason why there is none") {
  for (const Machine machine : {Machine::gpu, Machine::cpu}) {
    for (const Reference* reference : references(machine)) {
      CHECK(reference->machine() == machine);
      CHECK(reference->version().find_first_of("0123456789") != std::string::npos);
      for (const Problem& p : every_problem(100)) {
        CAPTURE(describe(*reference, p));
        const bool called = !reference->call(p).empty();
        // Without a GPU its plans are all refused, for want of a driver.
        const Plan plan = reference->plan(p, {}, {});
        if (!called) CHECK(plan.refusal.size() > 5);
        if (called && machine == Machine::cpu) CHECK(plan.refusal == "");
        if (!called) CHECK(reference->difference(p) == "");
      }
    }
  }
  CHECK(references(Machine::sim).empty());
  REQUIRE(references(Machine::cpu).size() == 1);
  CHECK(references(Machine::cpu)[0]->name() == "thrust-tbb");
}

TEST_CASE("reference: the calls of the GPU's libraries") {
  const auto& list = references(Machine::gpu);
  if (list.empty()) {
    MESSAGE("built without CUDA");
    return;
  }
  std::vector<std::string> names;
  for (const Reference* reference : list) names.push_back(reference->name());
  REQUIRE(names == std::vector<std::string>{"cub", "thrust", "cublas"});
  const auto reduce = [](DType dtype, Op op, Acc acc) { return reduce_problem(dtype, {1000}, {}, op, acc); };
  const Reference &cub = *list[0], &thrust = *list[1], &cublas = *list[2];
  CHECK(cub.call(reduce(DType::i32, Op::sum, Acc::wide)) == "cub::DeviceReduce::Sum");
  CHECK(cub.call(reduce(DType::f32, Op::argmax, Acc::wide)) == "cub::DeviceReduce::ArgMax");
  CHECK(cub.call(reduce(DType::f32, Op::max, Acc::wide)) == "cub::DeviceReduce::Max");
  CHECK(cub.difference(reduce(DType::f32, Op::max, Acc::wide)) != "");
  CHECK(cub.difference(reduce(DType::i32, Op::max, Acc::wide)) == "");
  CHECK(cub.call(reduce_problem(DType::f32, {10, 10}, {1}, Op::sum, Acc::same)) == "cub::DeviceSegmentedReduce::Sum");
  CHECK(cub.call(transpose_problem(DType::f32, {4, 5}, {1, 0})) == "");
  CHECK(thrust.call(transpose_problem(DType::f32, {4, 5}, {1, 0})) == "thrust::gather");
  CHECK(thrust.call(reverse_problem(DType::u8, {9}, {})) == "thrust::reverse_copy");
  CHECK(cublas.call(transpose_problem(DType::c64, {4, 5}, {1, 0})) == "cublasCgeam");
  CHECK(cublas.call(transpose_problem(DType::i32, {4, 5}, {1, 0})) == "");
  CHECK(cublas.plan(transpose_problem(DType::i32, {4, 5}, {1, 0}), {}, {}).refusal ==
        "cuBLAS transposes f32, f64, c64, c128 only");
}

TEST_CASE("reference: Thrust on the CPU is right by the oracle") {
  const auto device = open_device(Machine::cpu);
  for (const std::size_t n : {1u, 2u, 1000u, 30011u}) {
    CAPTURE(n);
    CHECK(run_all(*device, n) > 100);
  }
  CHECK(run_all(*device, 0) > 20);
}

TEST_CASE("reference: the GPU's libraries are right by the oracle") {
  if (gpu_count() == 0 || references(Machine::gpu).empty()) {
    MESSAGE("no GPU, or built without CUDA");
    return;
  }
  const auto device = open_device(Machine::gpu);
  for (const std::size_t n : {1u, 1000u, 30011u}) {
    CAPTURE(n);
    CHECK(run_all(*device, n) > 120);
  }
}
