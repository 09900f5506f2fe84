// The cpu machine as a Device, and what all of its kernels refuse.
#include "../kernels/error.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/registry.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

using namespace rung;

TEST_CASE("cpu device: says what it is") {
  const auto device = open_device(Machine::cpu);
  const DeviceProperties& properties = device->properties();
  CHECK(device->machine() == Machine::cpu);
  CHECK(device->uses_host_memory());
  CHECK_FALSE(properties.name.empty());
  CHECK(properties.name.find('\n') == std::string::npos);
  CHECK(properties.multiprocessors >= 1);
  CHECK(properties.memory_bytes > (std::size_t{64} << 20));
}

TEST_CASE("cpu device: memory is aligned, never null, and may be written to its end") {
  const auto device = open_device(Machine::cpu);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{4097},
                                  (std::size_t{8} << 20) + 3}) {
    const DeviceBuffer buffer(*device, bytes);
    REQUIRE(buffer.get() != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.get()) % 256 == 0);
    device->fill(buffer.get(), 0x5a, bytes);
    std::vector<unsigned char> host(bytes, 0);
    device->download(host.data(), buffer.get(), bytes);
    CHECK(host == std::vector<unsigned char>(bytes, 0x5a));
    for (std::size_t i = 0; i < bytes; ++i) host[i] = static_cast<unsigned char>(i * 7);
    device->upload(buffer.get(), host.data(), bytes);
    CHECK(std::memcmp(buffer.get(), host.data(), bytes) == 0);
  }
}

TEST_CASE("cpu device: more memory than there is is a device error with the size in it") {
  const auto device = open_device(Machine::cpu);
  CHECK_THROWS_AS(device->allocate(SIZE_MAX), DeviceError);
  CHECK_THROWS_AS(device->allocate(SIZE_MAX / 2), DeviceError);
  const std::size_t too_much = device->properties().memory_bytes + 1;
  CHECK_THROWS_WITH_AS(device->allocate(too_much), doctest::Contains(std::to_string(too_much).c_str()), DeviceError);
}

TEST_CASE("cpu device: time runs as often as told") {
  const auto device = open_device(Machine::cpu);
  unsigned calls = 0;
  const auto count = [&](Stream s) {
    CHECK(s.handle == nullptr);
    ++calls;
  };
  CHECK(device->time(count, 5) >= 0);
  CHECK(calls == 5);
  CHECK(device->time(count, 0) >= 0);
  CHECK(calls == 5);
}

TEST_CASE("cpu ceilings: every byte is read once, or copied, in every shape and for every type") {
  const auto device = open_device(Machine::cpu);
  for (const std::size_t bytes : {1u, 7u, 8u, 100u, 4095u, 4096u, 4097u, 70'001u, 300'003u}) {
    std::vector<std::uint64_t> storage(bytes / 8 + 1);
    auto* in = reinterpret_cast<unsigned char*>(storage.data());
    for (std::size_t k = 0; k < bytes; ++k) in[k] = static_cast<unsigned char>(k * k % 251 + 1);
    // Words of 8 bytes, then single bytes, modulo 2^64.
    std::uint64_t want = 0;
    for (std::size_t k = 0; k < bytes / 8; ++k) want += storage[k];
    for (std::size_t k = bytes / 8 * 8; k < bytes; ++k) want += in[k];
    const Problem p = reduce_problem(DType::u8, {bytes}, {}, Op::max, Acc::wide);
    const DeviceBuffer out(*device, bytes);
    for (const Family family : {Family::reduce, Family::reverse})
      for (const Runnable* shape : device->ceilings(family)) {
        const Plan plan = shape->plan(p, {}, device->properties());
        CAPTURE(plan.launch);
        CAPTURE(bytes);
        const DeviceBuffer workspace(*device, plan.workspace);
        device->fill(workspace.get(), 0xa5, plan.workspace);
        device->fill(out.get(), 0xa5, bytes);
        shape->run(p, {}, device->properties(), {in, out.get(), workspace.get()}, {});
        std::uint64_t sum = 0;
        std::memcpy(&sum, workspace.get(), sizeof sum);
        if (family == Family::reduce)
          CHECK(sum == want);
        else
          CHECK(std::memcmp(out.get(), in, bytes) == 0);
      }
  }
}

TEST_CASE("cpu kernels: launch options are refused by name") {
  const auto device = open_device(Machine::cpu);
  for (const Kernel* kernel : kernels()) {
    if (kernel->machine() != Machine::cpu) continue;
    CAPTURE(std::string(kernel->info().name));
    Problem p = reduce_problem(DType::f32, {100}, {}, Op::sum, Acc::wide);
    if (kernel->info().family == Family::transpose) p = transpose_problem(DType::f32, {10, 10}, {1, 0});
    if (kernel->info().family == Family::reverse) p = reverse_problem(DType::f32, {100}, {});
    CHECK(kernel->plan(p, {}, device->properties()).refusal == "");
    CHECK_FALSE(kernel->plan(p, {}, device->properties()).launch.empty());
    CHECK(kernel->plan(p, {.block = 1}, device->properties()).refusal.starts_with("--block: "));
    CHECK(kernel->plan(p, {.grid = 1}, device->properties()).refusal.starts_with("--grid: "));
    CHECK(kernel->plan(p, {.items = 1}, device->properties()).refusal.starts_with("--items: "));
  }
}
