// CUDA's kernel language on the simulator: answers by hand, from the CUDA Programming Guide.
#include "sim_language.hpp"
#include "../kernels/error.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/machine/sim/recorder.hpp"
#include "../kernels/machine/sim/sim.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace {

/// Runs `kernel` on `count` zeroed elements of device memory and returns them; no checker may find anything.
template <class T, class Kernel>
std::vector<T> run(std::size_t count, Kernel kernel) {
  const auto device = rung::open_sim();
  const rung::DeviceBuffer buffer(*device, count * sizeof(T));
  device->fill(buffer.get(), 0, count * sizeof(T));
  kernel(static_cast<T*>(buffer.get()));
  device->synchronize();
  std::vector<T> result(count);
  device->download(result.data(), buffer.get(), count * sizeof(T));
  return result;
}

}  // namespace

TEST_CASE("sim: shuffles") {
  const auto out = run<int>(64 * 12, language::shuffles);
  for (int t = 0; t < 64; ++t) {
    CAPTURE(t);
    const int lane = t % 32, warp = t - lane, *o = &out[static_cast<std::size_t>(t) * 12];
    CHECK(o[0] == 10 * (warp + 5));
    CHECK(o[1] == 10 * (warp + 5));  // the lane is taken modulo the width
    CHECK(o[2] == 10 * (t / 8 * 8 + 3));
    CHECK(o[3] == 10 * (lane >= 3 ? t - 3 : t));
    CHECK(o[4] == 10 * (lane % 8 >= 3 ? t - 3 : t));
    CHECK(o[5] == 10 * (lane < 29 ? t + 3 : t));
    CHECK(o[6] == 10 * (lane % 8 < 5 ? t + 3 : t));
    CHECK(o[7] == 10 * (t ^ 1));
    CHECK(o[8] == 10 * (t ^ 16));
    CHECK(o[9] == 10 * (lane < 16 ? t : t ^ 16));  // later segments cannot be reached, earlier ones can
    CHECK(o[10] == (warp == 0 ? 4960 : 15200));
    CHECK(o[11] == lane + 1);
  }
}

TEST_CASE("sim: shuffles of disjoint masks side by side") {
  const auto out = run<int>(32, language::halves);
  CHECK(out[0] == 8);
  for (int lane = 8; lane < 32; ++lane) CHECK(out[static_cast<std::size_t>(lane)] == 16);
}

TEST_CASE("sim: shuffles of every type that CUDA shuffles") {
  const auto out = run<double>(32 * 8, language::typed_shuffles);
  for (int t = 0; t < 32; ++t) {
    CAPTURE(t);
    const int from = t < 31 ? t + 1 : t;
    const double* o = &out[static_cast<std::size_t>(t) * 8];
    CHECK(o[0] == 0.5 * from);
    CHECK(o[1] == 0.25 * from);
    CHECK(o[2] == -1099511627776.0 * from);
    CHECK(o[3] == 1125899906842624.0 + from);
    CHECK(o[4] == -from);
    CHECK(o[5] == std::ldexp(1.0, from));
    CHECK(o[6] == -from);
    CHECK(o[7] == 4000000000.0 + from);
  }
}

TEST_CASE("sim: votes, matches and reductions of a warp, the last one short") {
  const auto out = run<unsigned>(70 * 8, language::votes);
  for (unsigned t = 0; t < 70; ++t) {
    CAPTURE(t);
    const unsigned warp = t / 32, lanes = warp == 2 ? 6 : 32, first = warp * 32, *o = &out[t * 8];
    unsigned ballot = 0, match = 0, sum = 0, exclusive = 0;
    for (unsigned k = first; k < first + lanes; ++k) {
      ballot |= (k % 3 == 0 ? 1u : 0u) << (k - first);
      match |= (k / 10 == t / 10 ? 1u : 0u) << (k - first);
      sum += k;
      exclusive ^= k;
    }
    CHECK(o[0] == ballot);
    CHECK(o[1] == (warp == 1));
    CHECK(o[2] == (warp < 2));
    CHECK(o[3] == match);
    CHECK(o[4] == sum);
    CHECK(static_cast<int>(o[5]) == -static_cast<int>(first + lanes - 1));
    CHECK(o[6] == exclusive);
    CHECK(o[7] == (lanes == 32 ? 0xffffffffu : 0x3fu));
  }
}

TEST_CASE("sim: barriers that count") {
  const auto out = run<int>(2 * 96 * 3, language::block_votes);
  for (std::size_t t = 0; t < 192; ++t) {
    CHECK(out[t * 3] == 32);
    CHECK((out[t * 3 + 1] != 0) == (t >= 96));
    CHECK((out[t * 3 + 2] != 0) == (t >= 96));
  }
}

TEST_CASE("sim: atomics, from one and from several threads of the host") {
  const auto saved = rung::sim::options();
  for (const unsigned threads : {1u, 4u}) {
    CAPTURE(threads);
    rung::sim::options().os_threads = threads;
    // 256 threads, g = 0 … 255.
    const auto bytes = run<unsigned char>(512, [](unsigned char* p) {
      language::atomics(reinterpret_cast<int*>(p), reinterpret_cast<unsigned*>(p + 64),
                        reinterpret_cast<unsigned long long*>(p + 128), reinterpret_cast<float*>(p + 192),
                        reinterpret_cast<double*>(p + 256), reinterpret_cast<unsigned short*>(p + 320));
    });
    int i[9];
    unsigned u[6];
    unsigned long long w[4];
    float f[2];
    double d;
    unsigned short h;
    std::memcpy(i, &bytes[0], sizeof i);
    std::memcpy(u, &bytes[64], sizeof u);
    std::memcpy(w, &bytes[128], sizeof w);
    std::memcpy(f, &bytes[192], sizeof f);
    std::memcpy(&d, &bytes[256], sizeof d);
    std::memcpy(&h, &bytes[320], sizeof h);
    const int want[9] = {32640, -32640, -255, 255, 31, 0, 0, 7, 99};
    for (int k = 0; k < 9; ++k) CHECK(i[k] == want[k]);
    CHECK(u[0] == 256);  // 256 · (2^31 + 1), modulo 2^32
    CHECK(u[1] == 0);    // nothing is below 0
    CHECK(u[2] == 0x800000ffu);
    CHECK(u[3] == 6);  // 256 steps round 0 … 9
    CHECK(u[4] == 4);  // 256 steps down round 9 … 0
    CHECK(u[5] == 0xffffff00u);
    CHECK(w[0] == 256ull << 33);
    CHECK(w[1] == (1ull << 40) + 255);
    CHECK(static_cast<long long>(w[2]) == -(1ll << 40) - 255);
    CHECK(w[3] == 1ull << 63);
    CHECK(f[0] == 128.0f);
    CHECK(f[1] == 2.5f);
    CHECK(d == 64.0);
    CHECK(h == 768);
  }
  rung::sim::options() = saved;
}

TEST_CASE("sim: indices and dimensions") {
  const auto out = run<unsigned>(12 * 60, language::indices);
  std::size_t k = 0;
  for (unsigned bz = 0; bz < 2; ++bz)
    for (unsigned by = 0; by < 2; ++by)
      for (unsigned bx = 0; bx < 3; ++bx)
        for (unsigned z = 0; z < 3; ++z)
          for (unsigned y = 0; y < 4; ++y)
            for (unsigned x = 0; x < 5; ++x, ++k)
              CHECK(out[k] == x + 10 * y + 100 * z + 1000 * bx + 10000 * by + 100000 * bz);
}

TEST_CASE("sim: integer intrinsics") {
  const auto out = run<unsigned long long>(11, language::intrinsics);
  CHECK(out[0] == 9 + 10 * 100);
  CHECK(out[1] == 5 + 41 * 1000);
  CHECK(out[2] == 31 + 32 * 100 + 63 * 10000);
  CHECK(out[3] == 0xc0000000u);
  CHECK(out[4] == 1ull << 63);
  CHECK(out[5] == 0x77221100u);
  CHECK(out[6] == 0x18u);
  CHECK(out[7] == 0x18000000u);
  CHECK(out[8] == 3);
  CHECK(out[9] == 0x3f800000u);
  CHECK(out[10] == 0xc000000000000000ull);
}

TEST_CASE("sim: 16 bytes an access") {
  const auto device = rung::open_sim();
  std::vector<unsigned> data(4 * 64 * 5);
  std::iota(data.begin(), data.end(), 7u);
  const rung::DeviceBuffer in(*device, data.size() * 4), out(*device, data.size() * 4);
  device->upload(in.get(), data.data(), data.size() * 4);
  language::copy16(in.get(), out.get(), 5);
  device->synchronize();
  std::vector<unsigned> copy(data.size());
  device->download(copy.data(), out.get(), copy.size() * 4);
  CHECK(copy == data);
  language::copy16(in.get(), out.get(), 6);
  CHECK_THROWS_AS(device->synchronize(), rung::DeviceError);
}

TEST_CASE("sim: launches that CUDA refuses, and the largest it takes") {
  const auto count = [](unsigned bx, unsigned by, unsigned bz, unsigned x, unsigned y, unsigned z, std::size_t shared) {
    return run<unsigned long long>(
        1, [&](unsigned long long* out) { language::count_threads(out, bx, by, bz, x, y, z, shared); })[0];
  };
  CHECK(count(2, 1, 1, 1024, 1, 1, 227 << 10) == 2048);
  CHECK(count(1, 1, 1, 16, 1, 64, 0) == 1024);
  CHECK(count(1, 65535, 1, 1, 1, 1, 0) == 65535);
  CHECK(count(1, 1, 65535, 1, 1, 1, 0) == 65535);
  CHECK(count(3000000, 1, 1, 1, 1, 1, 0) == 3000000);
  const char* refusal = "invalid configuration argument";
  CHECK_THROWS_WITH_AS(count(1, 1, 1, 1025, 1, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(1, 1, 1, 33, 32, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(1, 1, 1, 1, 1, 65, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(1, 1, 1, 0, 1, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(0, 1, 1, 1, 1, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(1, 65536, 1, 1, 1, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(1, 1, 65536, 1, 1, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(0x80000000u, 1, 1, 1, 1, 1, 0), doctest::Contains(refusal), rung::DeviceError);
  CHECK_THROWS_WITH_AS(count(1, 1, 1, 1, 1, 1, (227 << 10) + 1), doctest::Contains(refusal), rung::DeviceError);
}

TEST_CASE("sim: blocks shared by several threads of the host, launches from several") {
  const auto saved = rung::sim::options();
  const auto sums = [](unsigned blocks) {
    const auto device = rung::open_sim();
    std::vector<int> data(std::size_t{blocks} * 256), out(blocks);
    std::iota(data.begin(), data.end(), 0);
    const rung::DeviceBuffer in(*device, data.size() * 4), result(*device, out.size() * 4);
    device->upload(in.get(), data.data(), data.size() * 4);
    language::tree_sum(static_cast<const int*>(in.get()), static_cast<int*>(result.get()), blocks);
    device->synchronize();
    device->download(out.data(), result.get(), out.size() * 4);
    bool right = true;
    for (unsigned b = 0; b < blocks; ++b) right &= out[b] == static_cast<int>(b * 256 * 256 + 255 * 128);
    return right;
  };
  for (const unsigned threads : {0u, 1u, 2u, 5u, 3u}) {
    CAPTURE(threads);
    rung::sim::options().os_threads = threads;
    for (const unsigned blocks : {1u, 2u, 3u, 17u, 300u}) CHECK(sums(blocks));
  }
  bool right[3] = {};
  std::vector<std::thread> callers;
  for (bool& r : right) callers.emplace_back([&] { r = sums(100) && sums(3); });
  for (std::thread& caller : callers) caller.join();
  for (const bool r : right) CHECK(r);
  rung::sim::options() = saved;
}

TEST_CASE("sim: a recorder is told of every access, block and meeting") {
  struct Counter final : rung::sim::AccessRecorder {
    unsigned blocks = 0, ends = 0, barriers = 0, shared = 0, loads = 0, stores = 0, atomics = 0;
    std::size_t bytes = 0;
    void begin_block(std::uint32_t threads) override { blocks += threads == 256; }
    void end_block() override { ++ends; }
    void block_barrier() override { ++barriers; }
    void access(const rung::sim::AccessEvent& e) override {
      if (e.space == rung::sim::Space::shared)
        ++shared;
      else
        ++(e.kind == rung::sim::Access::load ? loads : e.kind == rung::sim::Access::store ? stores : atomics);
      bytes += e.size;
    }
  } counter;
  const auto device = rung::open_sim();
  const rung::DeviceBuffer in(*device, 3 * 256 * 4), out(*device, 3 * 4);
  device->fill(in.get(), 0, 3 * 256 * 4);
  const auto saved = rung::sim::options();
  rung::sim::options().recorder = &counter;
  language::tree_sum(static_cast<const int*>(in.get()), static_cast<int*>(out.get()), 3);
  rung::sim::options() = saved;
  device->synchronize();
  CHECK(counter.blocks == 3);
  CHECK(counter.ends == 3);
  CHECK(counter.barriers == 3 * 9);
  CHECK(counter.loads == 3 * 256);
  CHECK(counter.stores == 3);
  CHECK(counter.atomics == 0);
  // 256 stores; two loads and a store for each of 255 additions; one load of the sum.
  CHECK(counter.shared == 3 * (256 + 3 * 255 + 1));
  CHECK(counter.bytes == 4 * (3 * 256 + 3 + counter.shared));
}
