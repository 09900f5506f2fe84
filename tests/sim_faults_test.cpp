// Every planted fault is found, at its line, as what it is; clean kernels give no finding.
#include "../kernels/error.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/machine/sim/sim.hpp"
#include "sim_planted.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

using rung::sim::Fault;

namespace {

struct Fixture {
  std::unique_ptr<rung::Device> device = rung::open_sim();
  rung::DeviceBuffer io{*device, 4096 * sizeof(float)}, small{*device, 64 * sizeof(float)};
  rung::sim::Options saved = rung::sim::options();
  ~Fixture() { rung::sim::options() = saved; }

  std::vector<rung::sim::Finding> findings(planted::Run* run) {
    const std::vector<float> ones(4096, 1.0f);
    device->upload(io.get(), ones.data(), 4096 * sizeof(float));
    device->fill(small.get(), 0, 64 * sizeof(float));
    run(static_cast<float*>(io.get()), static_cast<float*>(small.get()));
    return rung::sim::take_findings();
  }
};

/// The source line that a finding names: "sim_planted.cu:12".
std::string line_at(const std::string& place) {
  const std::string file = "sim_planted.cu:";
  if (!place.starts_with(file)) return "not a line of sim_planted.cu: " + place;
  const std::string here = __FILE__;
  std::ifstream source(here.substr(0, here.rfind('/') + 1) + "sim_planted.cu");
  std::string line;
  for (int left = std::stoi(place.substr(file.size())); left > 0; --left) std::getline(source, line);
  return line;
}

struct Planted {
  const char* name;
  planted::Run* run;
  Fault fault;
  const char* at;        ///< text of the line
  const char* other_at;  ///< text of the other line; empty: none
};
#define PLANTED(name, fault, at, other) \
  Planted { #name, planted::name, Fault::fault, at, other }

/// The planted fault is found at its place. Its consequences may be found too.
void expect(Fixture& fixture, const Planted& planted) {
  const std::string name = planted.name;
  CAPTURE(name);
  std::string all;
  bool found = false;
  for (const auto& f : fixture.findings(planted.run)) {
    all += to_string(f) + "\n";
    const std::string at = line_at(f.at), other = f.other_at.empty() ? "" : line_at(f.other_at);
    const bool same_other = *planted.other_at ? other.find(planted.other_at) != other.npos : other.empty();
    found |= f.fault == planted.fault && f.count >= 1 && at.find(planted.at) != at.npos && same_other;
  }
  CAPTURE(all);
  CHECK(found);
}

/// Two accesses that race: which of them comes second is the schedule's choice.
void expect_race(Fixture& fixture, const char* name, planted::Run* run) {
  CAPTURE(name);
  std::string all;
  bool found = false;
  for (const auto& f : fixture.findings(run)) {
    all += to_string(f) + "\n";
    const std::string at = line_at(f.at), other = line_at(f.other_at);
    const auto has = [](const std::string& line, const char* text) { return line.find(text) != line.npos; };
    found |= (f.fault == Fault::shared_race_read_after_write && has(at, "// second") && has(other, "// first")) ||
             (f.fault == Fault::shared_race_write_after_read && has(at, "// first") && has(other, "// second"));
  }
  CAPTURE(all);
  CHECK(found);
}

}  // namespace

TEST_CASE("sim: planted barrier and warp faults are found where they stand") {
  Fixture fixture;
  for (const Planted& p : std::vector<Planted>{
           PLANTED(exit_before_barrier, exit_before_barrier, "40 of 64", ""),
           PLANTED(barrier_in_branch, barrier_divergence, "// odd", "// even"),
           PLANTED(barrier_against_shuffle, deadlock, "__syncthreads", "__shfl_down_sync"),
           PLANTED(shuffle_after_exit, collective_exited, "without lane 7", ""),
           PLANTED(shuffle_inactive_source, shuffle_source, "lane 15 reads 16", ""),
           PLANTED(lane_outside_mask, collective_mask, "lane 1 too", ""),
           PLANTED(collectives_differ, collective_divergence, "// upper", "// lower"),
       })
    expect(fixture, p);
}

TEST_CASE("sim: accesses out of bounds are found and not carried out") {
  Fixture fixture;
  for (const Planted& p : std::vector<Planted>{
           PLANTED(global_read_past_end, global_bounds_read, "// past", ""),
           PLANTED(global_write_below, global_bounds_write, "// below", ""),
           PLANTED(shared_past_end, shared_bounds_write, "// past", ""),
           PLANTED(shared_straddling_end, shared_bounds_write, "of 6", ""),
           PLANTED(null_read, wild_read, "// null", ""),
           PLANTED(misaligned_double, misaligned, "four bytes off", ""),
           PLANTED(misaligned_vector, misaligned, "eight bytes off", ""),
       })
    expect(fixture, p);

  const auto below = fixture.findings(planted::global_write_below);
  REQUIRE(below.size() == 1);
  CHECK(below[0].count == 32);
  CHECK(below[0].thread == 32);
  CHECK(below[0].block == std::array<std::uint32_t, 3>{0, 0, 0});
}

TEST_CASE("sim: memory touched before the previous kernel has ended") {
  Fixture fixture;
  expect(fixture, PLANTED(before_previous_kernel, early_access, "too early", ""));
  const auto some = fixture.findings(planted::some_before_previous_kernel);
  REQUIRE(some.size() == 1);
  CHECK(some[0].fault == Fault::early_access);
  CHECK(line_at(some[0].at).find("24 have not waited") != std::string::npos);
  CHECK(some[0].count == 3 * 24);
}

TEST_CASE("sim: planted faults of shared memory are found where they stand") {
  Fixture fixture;
  for (const Planted& p : std::vector<Planted>{
           PLANTED(uninitialised, shared_uninitialised, "63 was not written", ""),
           PLANTED(uninitialised_in_second_block, shared_uninitialised, "the first block's", ""),
           PLANTED(uninitialised_static, shared_uninitialised, "63 was not written", ""),
           PLANTED(struct_uninitialised, shared_uninitialised, "63 was not written", ""),
           PLANTED(copied_too_late, shared_uninitialised, "not waited for", ""),
           PLANTED(write_after_write, shared_race_write_after_write, "// all", "// all"),
           PLANTED(half_synced_tail, shared_race_write_after_read, "in one step", "in one step"),
       })
    expect(fixture, p);
}

TEST_CASE("sim: races of every width, and within a warp") {
  Fixture fixture;
  expect_race(fixture, "read_after_write", planted::read_after_write);
  expect_race(fixture, "wrong_half_synced", planted::wrong_half_synced);
  expect_race(fixture, "byte_race", planted::byte_race);
  expect_race(fixture, "vector_race", planted::vector_race);
  expect_race(fixture, "static_race", planted::static_race);
  expect_race(fixture, "race_through_shuffle", planted::race_through_shuffle);
  expect_race(fixture, "atomic_against_plain", planted::atomic_against_plain);
  expect_race(fixture, "read_then_write", planted::read_then_write);
  expect_race(fixture, "struct_race", planted::struct_race);
}

TEST_CASE("sim: races in global memory are found when they are looked for") {
  Fixture fixture;
  for (planted::Run* run : {planted::reverse_in_place, planted::unguarded_sum, planted::last_block_without_fence,
                            planted::neighbours_in_block})
    CHECK(fixture.findings(run).empty());
  rung::sim::options().check_global = true;
  for (planted::Run* run : {planted::reverse_in_place, planted::unguarded_sum, planted::last_block_without_fence,
                            planted::neighbours_in_block}) {
    const auto findings = fixture.findings(run);
    REQUIRE(!findings.empty());
    for (const auto& f : findings) CHECK(f.fault >= Fault::global_race_read_after_write);
  }
}

TEST_CASE("sim: clean kernels give no finding") {
  Fixture fixture;
  for (const bool global : {false, true}) {
    rung::sim::options().check_global = global;
    for (planted::Run* run :
         {planted::synced_tail, planted::volatile_tail, planted::half_mask_sync, planted::chain_of_masks,
          planted::bytes_then_words, planted::words_then_bytes, planted::atomics_meet, planted::padded_tile,
          planted::last_block, planted::grid_atomics, planted::struct_returned, planted::after_previous_kernel})
      for (const auto& f : fixture.findings(run)) FAIL_CHECK(to_string(f));
  }
  rung::sim::options().check_global = false;
  CHECK(fixture.findings(planted::spin_in_block).empty());
  CHECK(fixture.findings(planted::copied_in_time).empty());
  float copied = 0;
  fixture.device->download(&copied, static_cast<float*>(fixture.io.get()) + 1024 + 63, sizeof copied);
  CHECK(copied == 1.0f);
}

TEST_CASE("sim: a kernel that never ends is given up") {
  Fixture fixture;
  rung::sim::options().stall_seconds = 0.02;
  for (planted::Run* run : {planted::waits_for_ever, planted::ping_pong_for_ever}) {
    const auto findings = fixture.findings(run);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].fault == Fault::deadlock);
    CHECK(line_at(findings[0].at).find("nobody writes") != std::string::npos);
  }
  CHECK(fixture.findings(planted::atomics_meet).empty());
}

TEST_CASE("sim: synchronize throws what was found, once, five findings at most") {
  Fixture fixture;
  auto* io = static_cast<float*>(fixture.io.get());
  auto* small = static_cast<float*>(fixture.small.get());
  planted::shared_past_end(io, small);
  CHECK_THROWS_WITH_AS(fixture.device->synchronize(), doctest::Contains("sim_planted.cu:"), rung::DeviceError);
  CHECK_NOTHROW(fixture.device->synchronize());
  for (planted::Run* run : {planted::null_read, planted::uninitialised, planted::exit_before_barrier,
                            planted::barrier_in_branch, planted::global_write_below, planted::write_after_write})
    run(io, small);
  CHECK_THROWS_WITH_AS(fixture.device->synchronize(), doctest::Contains("; and 1 more"), rung::DeviceError);
  CHECK_NOTHROW(fixture.device->synchronize());
}
