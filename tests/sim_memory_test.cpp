// Device memory of the simulator: exact bounds, reuse, more than 4 GiB, and what is refused.
#include "../kernels/error.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/machine/sim/sim.hpp"
#include "sim_language.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

unsigned char* bytes(const rung::DeviceBuffer& buffer) { return static_cast<unsigned char*>(buffer.get()); }

/// Whether the checkers let one thread write `size` bytes at p.
bool allowed(unsigned char* p, unsigned size) {
  language::touch(p, size);
  return rung::sim::take_findings().empty();
}

}  // namespace

TEST_CASE("sim memory: bounds are exact to the byte on both sides") {
  const auto device = rung::open_sim();
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{4095}, std::size_t{4096},
                                  std::size_t{4097}, std::size_t{1000001}}) {
    CAPTURE(count);
    const rung::DeviceBuffer before(*device, 4096), buffer(*device, count), after(*device, 4096);
    unsigned char* p = bytes(buffer);
    CHECK(allowed(p, 1));
    CHECK(allowed(p + count - 1, 1));
    CHECK(!allowed(p + count, 1));
    CHECK(!allowed(p - 1, 1));
    CHECK(!allowed(p + count + 4095, 1));
    CHECK(!allowed(p - 4096, 1));
    for (const unsigned size : {2u, 4u, 8u, 16u}) {
      CAPTURE(size);
      // The last aligned place that fits, and the one after it, which may straddle the end.
      const std::size_t past = count / size * size;
      if (past != 0) CHECK(allowed(p + past - size, size));
      CHECK(!allowed(p + past, size));
    }
  }
}

TEST_CASE("sim memory: aligned as cudaMalloc aligns, and none for nothing") {
  const auto device = rung::open_sim();
  for (const std::size_t count : {0u, 1u, 255u, 257u, 5000u}) {
    const rung::DeviceBuffer buffer(*device, count);
    REQUIRE(buffer.get() != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.get()) % 256 == 0);
    if (count == 0) CHECK(!allowed(bytes(buffer), 1));
  }
}

TEST_CASE("sim memory: released memory is used again, and a fault until then") {
  const auto device = rung::open_sim();
  unsigned char* first = static_cast<unsigned char*>(device->allocate(10000));
  CHECK(allowed(first + 9999, 1));
  device->release(first);
  CHECK(!allowed(first, 1));
  CHECK(device->allocate(10000) == first);
  CHECK(allowed(first + 9999, 1));
  device->release(first);

  // A released page stays a fault when a buffer elsewhere takes its place in the tables.
  void* small = device->allocate(1);
  const rung::DeviceBuffer wall(*device, 1);
  device->release(small);
  const rung::DeviceBuffer elsewhere(*device, 1 << 20);
  CHECK(allowed(bytes(elsewhere), 1));
  CHECK(!allowed(static_cast<unsigned char*>(small), 1));

  // Neighbours merge: two released pieces hold one of their size.
  void* a = device->allocate(8 << 12);
  void* b = device->allocate(8 << 12);
  const rung::DeviceBuffer fence(*device, 1);
  device->release(a);
  device->release(b);
  void* both = device->allocate(16 << 12);
  CHECK(both == a);
  device->release(both);

  // Ten thousand times a buffer that the reservation holds but a few times.
  for (int k = 0; k < 10000; ++k) {
    const rung::DeviceBuffer large(*device, std::size_t{1} << 24);
    REQUIRE(large.get() != nullptr);
  }
}

TEST_CASE("sim memory: offsets past 4 GiB") {
  const auto device = rung::open_sim();
  const std::size_t count = (std::size_t{5} << 30) + 3;
  const rung::DeviceBuffer buffer(*device, count);
  CHECK(allowed(bytes(buffer) + count - 1, 1));
  CHECK(allowed(bytes(buffer) + (std::size_t{4} << 30), 16));
  CHECK(!allowed(bytes(buffer) + count, 1));
  unsigned char last = 9;
  device->download(&last, bytes(buffer) + count - 1, 1);
  CHECK(last == 0);
}

TEST_CASE("sim memory: what is refused") {
  const auto device = rung::open_sim();
  CHECK_THROWS_AS(device->allocate(std::size_t{1} << 50), rung::DeviceError);
  CHECK_THROWS_AS(device->allocate(SIZE_MAX), rung::DeviceError);
  const rung::DeviceBuffer buffer(*device, 100);
  std::vector<unsigned char> host(101, 3);
  CHECK_NOTHROW(device->upload(buffer.get(), host.data(), 100));
  CHECK_THROWS_AS(device->upload(buffer.get(), host.data(), 101), rung::DeviceError);
  CHECK_THROWS_AS(device->download(host.data(), bytes(buffer) + 1, 100), rung::DeviceError);
  CHECK_THROWS_AS(device->fill(host.data(), 0, 1), rung::DeviceError);
  CHECK_NOTHROW(device->upload(nullptr, nullptr, 0));
}

TEST_CASE("sim memory: a Device that stands for an H200") {
  const auto device = rung::open_sim();
  CHECK(device->machine() == rung::Machine::sim);
  CHECK(!device->uses_host_memory());
  const auto& p = device->properties();
  CHECK(p.name == "CPU machine for CUDA kernels");
  CHECK(p.multiprocessors == 132);
  CHECK(p.max_threads_per_block == 1024);
  CHECK(p.shared_per_block == 232448);
  CHECK(p.l2_bytes == 52428800);
  CHECK(device->time([](rung::Stream) {}, 3) >= 0);
}
