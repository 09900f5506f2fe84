// Sectors, wavefronts and turns of requests, by arithmetic; and of kernels, where the count follows from the algorithm.
#include "../kernels/machine/device.hpp"
#include "../kernels/machine/sim/profile.hpp"
#include "../kernels/machine/sim/sim.hpp"
#include "../kernels/registry.hpp"
#include "sim_language.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace rung;
using namespace rung::sim;

namespace {

/// Lane k at first + k · stride, for the lanes of the mask.
Request strided(std::uint32_t size, std::uint64_t first, std::int64_t stride, std::uint32_t mask = ~0u) {
  Request r{mask, size, {}};
  for (unsigned lane = 0; lane < 32; ++lane) r.offset[lane] = first + static_cast<std::uint64_t>(stride * lane);
  return r;
}

/// The profile of one run of a kernel over zeros.
Profile profile_of(const Problem& problem, const char* name) {
  const auto device = open_sim();
  const Kernel* kernel = find_kernel(problem.family, Machine::sim, name);
  REQUIRE(kernel);
  const Plan plan = kernel->plan(problem, {}, device->properties());
  REQUIRE(plan);
  const DeviceBuffer in(*device, problem.input_bytes()), out(*device, problem.output_bytes()),
      workspace(*device, plan.workspace);
  device->fill(in.get(), 0, problem.input_bytes());
  const auto saved = options();
  Profiler profiler;
  options().recorder = &profiler;
  kernel->run(problem, {}, device->properties(), {in.get(), out.get(), workspace.get()}, {});
  options() = saved;
  device->synchronize();
  return profiler.take();
}

Profile transposed(const char* name, DType dtype = DType::f32, std::size_t side = 128) {
  return profile_of(transpose_problem(dtype, {side, side}, {1, 0}), name);
}

double each(const Profile& p, Traffic traffic) {
  return static_cast<double>(p.of(traffic).units) / static_cast<double>(p.of(traffic).requests);
}

}  // namespace

TEST_CASE("sectors: a stride of s words touches min(32, 4 s) of them") {
  for (unsigned s = 1; s <= 64; ++s) {
    CAPTURE(s);
    const Cost cost = sectors(strided(4, 0, 4 * s));
    CHECK(cost.units == std::min(32u, 4 * s));
    CHECK(cost.ideal == 4);
    CHECK(cost.bytes == 128);
    CHECK(cost.lanes == 32);
  }
}

TEST_CASE("sectors: descending, shared, misaligned and partial requests") {
  CHECK(sectors(strided(4, 1 << 20, -4, ~0u)).units == 5);  // the last lane starts 124 bytes below: one sector more
  CHECK(sectors(strided(4, (1 << 20) + 124, -4)).units == 4);
  CHECK(sectors(strided(4, 64, 0)).units == 1);
  CHECK(sectors(strided(4, 64, 0)).bytes == 4);
  CHECK(sectors(strided(4, 4, 4)).units == 5);
  CHECK(sectors(strided(4, 4, 4)).ideal == 4);
  CHECK(sectors(strided(4, 0, 4, 1u)).units == 1);
  CHECK(sectors(strided(1, 0, 1)).units == 1);
  CHECK(sectors(strided(16, 0, 16)).units == 16);
  CHECK(sectors(strided(16, 16, 16)).units == 17);
  CHECK(sectors(strided(8, 28, 64, 1u)).units == 2);  // one access across a border
}

TEST_CASE("wavefronts: a stride of s words meets gcd(s, 32)-fold in a bank") {
  for (unsigned s = 1; s <= 33; ++s) {
    CAPTURE(s);
    unsigned divisor = 32;
    while (s % divisor != 0) divisor /= 2;
    CHECK(wavefronts(strided(4, 0, 4 * s)).units == divisor);
    CHECK(wavefronts(strided(4, 0, 4 * s)).ideal == 1);
  }
  CHECK(wavefronts(strided(4, 40, 0)).units == 1);  // a broadcast
  CHECK(wavefronts(strided(1, 0, 1)).units == 1);   // four lanes a word
  CHECK(wavefronts(strided(4, 0, 128, 0x0000000fu)).units == 4);
}

TEST_CASE("wavefronts: accesses of 8 bytes by half warps, of 16 by quarters") {
  CHECK(wavefronts(strided(8, 0, 8)).units == 2);
  CHECK(wavefronts(strided(8, 0, 8)).ideal == 2);
  CHECK(wavefronts(strided(16, 0, 16)).units == 4);
  CHECK(wavefronts(strided(16, 0, 16)).ideal == 4);
  CHECK(wavefronts(strided(8, 0, 8, 0xffffu)).ideal == 1);
  CHECK(wavefronts(strided(8, 0, 256)).units == 32);   // 16 in one bank, twice
  CHECK(wavefronts(strided(8, 0, 264)).units == 2);    // 33 words of 8 bytes
  CHECK(wavefronts(strided(16, 0, 512)).units == 32);  // 8 in one bank, four times
}

TEST_CASE("turns: lanes at the busiest address") {
  CHECK(turns(strided(4, 0, 0)).units == 32);
  CHECK(turns(strided(4, 0, 4)).units == 1);
  Request r = strided(4, 0, 4);
  for (unsigned lane = 0; lane < 32; ++lane) r.offset[lane] = lane % 8 * 4;
  CHECK(turns(r).units == 4);
}

TEST_CASE("patterns: one stride, groups, and none") {
  const auto pattern = [](const Request& r) { return pattern_of(r, sectors(r)); };
  const Pattern one = pattern(strided(4, 8, 512));
  CHECK(one.regular);
  CHECK(one.group == 32);
  CHECK(one.inner == 512);
  CHECK(one.into == 8);
  Request r = strided(4, 0, 4);
  for (unsigned lane = 0; lane < 32; ++lane) r.offset[lane] = lane % 8 * 512 + lane / 8 * 4;
  const Pattern groups = pattern(r);
  CHECK(groups.regular);
  CHECK(groups.group == 8);
  CHECK(groups.inner == 512);
  CHECK(groups.outer == 4);
  r.offset[31] += 4096;
  CHECK(!pattern(r).regular);
  CHECK(pattern(strided(4, 0, 4, 1u << 7)).regular);
}

TEST_CASE("profile: transposes of f32, 128 x 128") {
  const Profile read = transposed("row-read"), write = transposed("row-write"), block = transposed("block2d");
  CHECK(read.of(Traffic::global_load).requests == 128 * 128 / 32);
  CHECK(each(read, Traffic::global_load) == 4);
  CHECK(each(read, Traffic::global_store) == 32);
  CHECK(each(write, Traffic::global_load) == 32);
  CHECK(each(write, Traffic::global_store) == 4);
  // A warp of 8 x 4 threads: four rows of 32 bytes; eight columns of 16.
  CHECK(each(block, Traffic::global_load) == 4);
  CHECK(each(block, Traffic::global_store) == 8);
  const Profile tile = transposed("tile"), padded = transposed("tile-padded");
  CHECK(each(tile, Traffic::shared_load) == 32);
  CHECK(each(tile, Traffic::shared_store) == 1);
  CHECK(each(padded, Traffic::shared_load) == 1);
  CHECK(each(padded, Traffic::shared_store) == 1);
  for (const Profile* p : {&tile, &padded}) {
    CHECK(each(*p, Traffic::global_load) == 4);
    CHECK(each(*p, Traffic::global_store) == 4);
    CHECK(p->barriers == 16);
    CHECK(p->blocks == 16);
    CHECK(p->threads == 128 * 128);
  }
  REQUIRE(!tile.lines.empty());
  CHECK(tile.lines[0].at.starts_with("tile.cu:"));
  CHECK(tile.lines[0].traffic == Traffic::shared_load);
  CHECK(tile.lines[0].worst.inner == 128);
  CHECK(tile.lines[0].worst.busiest == 32);
}

TEST_CASE("profile: pieces of one value of 16 bytes are one access") {
  const Profile p = transposed("row-read", DType::c128);
  CHECK(p.of(Traffic::global_load).requests == 128 * 128 / 32);
  CHECK(each(p, Traffic::global_load) == 16);
  CHECK(each(p, Traffic::global_store) == 32);
}

TEST_CASE("profile: reverses store in descending order, which sectors do not mind") {
  for (const char* name : {"direct", "shared"}) {
    CAPTURE(name);
    const Profile p = profile_of(reverse_problem(DType::i32, {4096}, {}), name);
    CHECK(each(p, Traffic::global_load) == 4);
    CHECK(each(p, Traffic::global_store) == 4);
    CHECK(p.of(Traffic::global_store).requests == 128);
  }
}

TEST_CASE("profile: a ragged end is a request of fewer lanes") {
  const Profile p = profile_of(reverse_problem(DType::i32, {100}, {}), "direct");
  CHECK(p.of(Traffic::global_load).requests == 4);
  CHECK(p.of(Traffic::global_load).lanes == 100);
  CHECK(p.of(Traffic::global_load).units == 13);  // 4 + 4 + 4, and one of 16 bytes
  CHECK(p.of(Traffic::global_load).bytes == 400);
}

TEST_CASE("profile: trees in shared memory") {
  const auto problem = reduce_problem(DType::i32, {512}, {0}, Op::sum, Acc::same);
  // Steps of 256, 128 ... 1 additions: each two loads and a store. By warps of 32 lanes, the strided tree needs
  // 8 + 4 + 2 + 1 and five times 1; its step of stride s meets min(2 s, lanes, 32)-fold in a bank.
  const Profile strided_tree = profile_of(problem, "interleaved-strided");
  const Profile sequential = profile_of(problem, "sequential");
  unsigned requests = 0, conflicts = 0;
  for (unsigned stride = 1, lanes = 256; lanes > 0; stride *= 2, lanes /= 2) {
    const unsigned warps = (lanes + 31) / 32;
    requests += warps;
    conflicts += warps * std::min({2 * stride, lanes, 32u});
  }
  // One more load for the result.
  CHECK(sequential.of(Traffic::shared_load).requests == 2 * requests + 1);
  CHECK(sequential.of(Traffic::shared_load).units == 2 * requests + 1);
  CHECK(sequential.of(Traffic::shared_store).requests == 16 + requests);
  CHECK(strided_tree.of(Traffic::shared_load).requests == 2 * requests + 1);
  CHECK(strided_tree.of(Traffic::shared_store).units == 16 + conflicts);
  CHECK(strided_tree.of(Traffic::shared_load).units == 2 * conflicts + 1);
  CHECK(sequential.barriers == 1 + 9);
}

TEST_CASE("profile: atomics of a warp on one address take a turn each") {
  const auto problem = reduce_problem(DType::i32, {1024}, {0}, Op::sum, Acc::same);
  const Profile p = profile_of(problem, "atomic");
  CHECK(p.of(Traffic::global_atomic).requests == 32);
  CHECK(p.of(Traffic::global_atomic).units == 1024);
  CHECK(each(profile_of(problem, "shared-atomic"), Traffic::global_atomic) == 1);
}

TEST_CASE("profile: taken, it is forgotten") {
  Profiler profiler;
  profiler.begin_launch({{2, 1, 1}, {32, 1, 1}, 0});
  profiler.begin_block(32);
  for (std::uint16_t thread = 0; thread < 32; ++thread)
    profiler.access({Space::global, Access::load, 4, thread, nowhere, thread * 4u});
  profiler.warp_barrier(0, 0xffffu);  // half of the lanes go on
  for (std::uint16_t thread = 0; thread < 32; ++thread)
    profiler.access({Space::global, Access::load, 4, thread, nowhere, thread * 4u});
  profiler.end_block();
  const Profile p = profiler.take();
  CHECK(p.blocks == 2);
  CHECK(p.of(Traffic::global_load).requests == 2);
  CHECK(p.of(Traffic::global_load).lanes == 64);
  CHECK(profiler.take().of(Traffic::global_load).requests == 0);
}

TEST_CASE("profile: lanes that met are apart from what they did before") {
  for (const bool block : {false, true}) {
    CAPTURE(block);
    Profiler profiler;
    profiler.begin_block(32);
    unsigned shift = 0;
    const auto access = [&](std::uint16_t thread) {
      profiler.access({Space::shared, Access::store, 4, thread, nowhere, thread * 4u + shift});
    };
    // Lane 5 passes the place twice before the lanes meet, the others once; then all once more.
    access(5);
    for (std::uint16_t thread = 0; thread < 32; ++thread) access(thread);
    if (block)
      profiler.block_barrier();
    else
      profiler.warp_barrier(0, ~0u);
    shift = 33 * 4;  // lane 4 comes to the bank where lane 5 was
    for (std::uint16_t thread = 0; thread < 32; ++thread) access(thread);
    profiler.end_block();
    const Profile p = profiler.take();
    CHECK(p.of(Traffic::shared_store).units == 3);
    CHECK(p.of(Traffic::shared_store).requests == 3);  // 32 lanes, lane 5 alone, 32 lanes
    CHECK(p.of(Traffic::shared_store).lanes == 65);
    CHECK(p.barriers == block);
  }
}

TEST_CASE("profile: pieces are joined while they lie side by side, and never when they do not always") {
  // So many places of 4 bytes side by side in each lane; in a second phase the last of them lies `off` bytes further.
  const auto requests = [](std::uint32_t places, std::uint64_t start, std::uint64_t off) {
    Profiler profiler;
    profiler.begin_block(32);
    for (const bool second : {false, true}) {
      for (std::uint16_t thread = 0; thread < 32; ++thread)
        for (std::uint32_t k = 0; k < places; ++k)
          profiler.access({Space::global, Access::load, 4, thread, k + 1,
                           start + thread * 4u * places + k * 4u + (second && k + 1 == places ? off : 0)});
      profiler.block_barrier();
    }
    profiler.end_block();
    return profiler.take().of(Traffic::global_load).requests;
  };
  CHECK(requests(2, 0, 0) == 2);
  CHECK(requests(2, 0, 4096) == 4);
  CHECK(requests(2, 4, 0) == 4);  // not aligned to 8 bytes
  CHECK(requests(4, 0, 0) == 2);
  CHECK(requests(4, 8, 0) == 4);  // aligned to 8 bytes, not to 16: two of 8
}

TEST_CASE("profile: half warps that meet by themselves keep their turns") {
  Profiler profiler;
  profiler.begin_launch({.grid = {1, 1, 1}, .block = {32, 1, 1}});
  profiler.begin_block(32);
  // As sim runs them: one half to its end, then the other; three accesses of each lane.
  for (const unsigned half : {0u, 16u})
    for (unsigned turn = 0; turn < 3; ++turn) {
      for (std::uint16_t t = 0; t < 16; ++t)
        profiler.access(
            {Space::shared, Access::load, 4, static_cast<std::uint16_t>(half + t), Place{1}, (half + t) * 4u});
      if (turn < 2) profiler.warp_barrier(0, half ? 0xffff0000u : 0xffffu);
    }
  profiler.end_block();
  const Profile profile = profiler.take();
  CHECK(profile.of(Traffic::shared_load).requests == 3);
  CHECK(profile.of(Traffic::shared_load).lanes == 96);
}

TEST_CASE("profile: what ran before its leader is not lost") {
  Profiler profiler;
  profiler.begin_launch({.grid = {1, 1, 1}, .block = {32, 1, 1}});
  profiler.begin_block(32);
  const auto load = [&](unsigned t, unsigned place, std::uint64_t offset) {
    profiler.access({Space::shared, Access::load, 4, static_cast<std::uint16_t>(t), Place{place}, offset});
  };
  for (unsigned t = 0; t < 32; ++t) load(t, 2, t * 8 + 4);
  profiler.block_barrier();
  for (unsigned t = 0; t < 32; ++t) load(t, 1, t * 8), load(t, 2, t * 8 + 4);
  profiler.end_block();
  const Profile profile = profiler.take();
  // Place 2 twice and place 1 once, for each of 32 lanes.
  CHECK(profile.of(Traffic::shared_load).bytes == 3 * 32 * 4);
  CHECK(profile.of(Traffic::shared_load).lanes == 3 * 32);
}

TEST_CASE("occupancy: by threads, blocks and shared memory, whichever is least") {
  const auto of = [](std::uint32_t threads, std::size_t shared) {
    return occupancy({{1, 1, 1}, {threads, 1, 1}, shared}, 0);
  };
  CHECK(of(1024, 0) == 1);
  CHECK(of(256, 0) == 1);
  CHECK(of(32, 0) == 0.5);                           // 32 blocks of a warp
  CHECK(of(768, 0) == 0.75);                         // two blocks of 24 warps
  CHECK(of(256, (std::size_t{75} << 10)) == 0.375);  // three blocks of 76 KiB
  CHECK(occupancy({{1, 1, 1}, {256, 1, 1}, 0}, std::uint64_t{113} << 10) == 0.25);
}
