// explain: its options, its words for causes, which other kernel it names, and the faults of a kernel that has some.
#include "../cli/commands/work.hpp"
#include "../cli/explain/cost.hpp"
#include "../cli/explain/record.hpp"
#include "../cli/options.hpp"
#include "../kernels/error.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/registry.hpp"
#include "sim_planted.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace rung;
using namespace rung::cli;
using sim::Traffic;

namespace {

ExplainOptions parsed(std::vector<std::string> args) {
  args.insert(args.begin(), "explain");
  return std::get<ExplainOptions>(parse_command_line(args));
}

std::string refusal(std::vector<std::string> args) {
  args.insert(args.begin(), "explain");
  try {
    parse_command_line(args);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

sim::Pattern form(bool regular, unsigned group, std::int64_t inner, std::int64_t outer, unsigned units) {
  sim::Pattern p;
  p.regular = regular;
  p.lanes = 32;
  p.group = group;
  p.inner = inner;
  p.outer = outer;
  p.size = 4;
  p.bytes = 128;
  p.units = units;
  p.ideal = 4;
  return p;
}

/// 100 requests of this traffic, each with `units` for `ideal`.
ExplainRow row(const std::string& name, Traffic traffic, std::uint64_t units, std::uint64_t ideal) {
  ExplainRow r;
  r.name = name;
  r.profile.total[static_cast<std::size_t>(traffic)] = {100, 3200, 12800, 100 * units, 100 * ideal};
  return r;
}

}  // namespace

constexpr KernelInfo planted_info(std::string_view name) {
  return {.family = Family::reduce, .name = name, .summary = {}, .teaches = {}};
}
constexpr KernelInfo racy = planted_info("racy"), outside = planted_info("outside"), clean = planted_info("clean");

/// A kernel of the planted ones; `in`: 64 floats, `out`: 4096.
class Planted final : public Kernel {
 public:
  Planted(const KernelInfo& info, planted::Run* kernel) : Kernel(info, Machine::sim), kernel_(kernel) {}
  Plan plan(const Problem&, const Launch&, const DeviceProperties&) const override { return {}; }
  void run(const Problem&, const Launch&, const DeviceProperties&, const Buffers& b, Stream) const override {
    kernel_(static_cast<float*>(b.out), static_cast<float*>(const_cast<void*>(b.in)));
  }

 private:
  planted::Run* kernel_;
};

TEST_CASE("explain: options") {
  const ExplainOptions o = parsed({"transpose", "-k", "tile,tile-padded", "--shape", "64x32", "--seed", "3"});
  CHECK(o.run.family == Family::transpose);
  CHECK(o.run.kernels == std::vector<std::string>{"tile", "tile-padded"});
  CHECK(o.run.files.empty());
  CHECK(o.seed == 3);
  CHECK(parsed({"reverse", "x.npy", "-d", "sim"}).run.files == std::vector<std::string>{"x.npy"});
  CHECK(refusal({}) == "explain needs a family");
  CHECK(refusal({"reduce", "-d", "gpu"}) == "explain runs on sim, not on gpu");
  CHECK(refusal({"reduce", "a.npy", "b.npy"}) == "explain takes one FILE; there are 2");
  CHECK(refusal({"reduce", "-n", "10", "a.npy"}) == "-n makes input, and \"a.npy\" is one");
  CHECK(parsed({"reduce", "--header", "yes"}).run.files == std::vector<std::string>{"-"});
  CHECK(refusal({"reduce", "--header", "yes", "-n", "10"}) == "--header is for reading a FILE, and there is none");
  CHECK(refusal({"transpose", "-n", "10"}) == "-n makes one dimension, whose transpose is a copy");
  CHECK(refusal({"reverse", "--op", "max"}) == "--op is for reduce");
}

TEST_CASE("explain: what takes long is said before, by elements, kernels and bytes") {
  constexpr std::uint64_t mib = 1 << 20, gib = mib << 10;
  CHECK(cost_warning({16384, 65536, 30, 4 * gib}).empty());
  CHECK(cost_warning({10'000'000, 40 * mib, 1, 4 * gib}).empty());
  // 3e8 elements at 1 us are 5 minutes; of two kernels 10.
  CHECK(cost_warning({300'000'000, 8, 1, 0})
            .starts_with("300000000 elements by 1 kernel may be simulated for 5 minutes"));
  CHECK(
      cost_warning({300'000'000, 8, 2, 0}).starts_with("300000000 elements by 2 kernels may be simulated for 10 min"));
  CHECK(contains(cost_warning({3'600'000'000, 8, 5, 0}), " 5 hours"));
  const std::string big = cost_warning({1 << 20, gib, 1, 4 * gib});
  CHECK(contains(big, "for minutes, in some 10.0 GiB of memory, and this machine has 4.0 GiB"));
  CHECK_FALSE(contains(cost_warning({1 << 20, gib, 1, 40 * gib}), "this machine"));
  CHECK(physical_memory() > 64 * mib);
}

TEST_CASE("explain: the share of a kernel grows to all of it") {
  const auto device = open_device(Machine::sim);
  const Kernel* const kernel = find_kernel(Family::reverse, Machine::sim, "direct");
  REQUIRE(kernel);
  const Problem problem = plan_work(parsed({"reverse"}).run, DType::u8, {1000}).main;
  const DeviceBuffer in(*device, 1000), out(*device, 1000);
  const std::vector<unsigned char> zeros(1000);
  device->upload(in.get(), zeros.data(), zeros.size());
  std::vector<double> shares;
  record(*kernel, problem, {}, device->properties(), {in.get(), out.get(), nullptr},
         [&](double share) { shares.push_back(share); });
  REQUIRE(shares.size() == 4);  // 1000 elements in blocks of 256
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.front() == 0.25);
  CHECK(shares.back() == 1);
}

TEST_CASE("explain: causes come from strides") {
  CHECK(cause_of(Traffic::global_store, form(true, 32, 4096, 0, 32)) ==
        "lanes are 4096 bytes apart: each of the 32 lanes touches another sector, 32 sectors for 4");
  CHECK(cause_of(Traffic::global_load, form(true, 32, -8, 0, 8)) ==
        "lanes are 8 bytes apart: 8 sectors for 4, of whose 256 bytes 128 are asked for");
  CHECK(cause_of(Traffic::global_load, form(true, 8, 512, 4, 8)) ==
        "groups of 8 lanes 512 bytes apart, the groups 4 bytes apart: 8 sectors for 4, of whose 256 bytes 128 are "
        "asked for");
  CHECK(cause_of(Traffic::global_load, form(false, 0, 0, 0, 20)) ==
        "the lanes' addresses follow no one stride: 20 sectors for 4, of whose 640 bytes 128 are asked for");
  sim::Pattern shifted = form(true, 32, 4, 0, 5);
  shifted.into = 12;
  CHECK(cause_of(Traffic::global_load, shifted) ==
        "the lanes' 128 bytes lie side by side, but start 12 bytes into a sector: 5 sectors for 4");
  sim::Pattern column = form(true, 32, 128, 0, 32);
  column.ideal = 1;
  column.busiest = 32;
  CHECK(cause_of(Traffic::shared_load, column) ==
        "lanes are 128 bytes apart: 32 lanes meet in one bank with different words, 32 wavefronts for 1");
  CHECK(cause_of(Traffic::global_atomic, column) == "32 lanes meet at one address: 32 turns for 1");
}

TEST_CASE("explain: another kernel is named where it has less, and has not moved it to the other side") {
  ExplainReport report;
  report.rows = {row("scattered", Traffic::global_store, 32, 4), row("mirrored", Traffic::global_load, 32, 4),
                 row("half", Traffic::global_store, 16, 4), row("whole", Traffic::global_store, 4, 4)};
  auto remedy = remedy_for(report, report.rows[0], Traffic::global_store);
  REQUIRE(remedy);
  CHECK(remedy->kernel == "whole");
  CHECK(remedy->gone);
  report.rows.pop_back();
  remedy = remedy_for(report, report.rows[0], Traffic::global_store);
  REQUIRE(remedy);
  CHECK(remedy->kernel == "half");
  CHECK(!remedy->gone);
  report.rows.pop_back();
  CHECK(!remedy_for(report, report.rows[0], Traffic::global_store));

  // One below that makes no such requests has not come to this yet; one above does without.
  report.rows = {row("naive", Traffic::global_load, 4, 4), row("tile", Traffic::shared_load, 32, 1),
                 row("shuffle", Traffic::global_load, 4, 4)};
  CHECK(remedy_for(report, report.rows[1], Traffic::shared_load)->kernel == "shuffle");
  report.rows[2] = row("strided", Traffic::global_load, 36, 4);  // without, and with more than that to pay elsewhere
  CHECK(!remedy_for(report, report.rows[1], Traffic::shared_load));
  report.rows.pop_back();
  CHECK(!remedy_for(report, report.rows[1], Traffic::shared_load));
  report.rows.push_back(row("faulty", Traffic::shared_load, 1, 1));
  report.rows.back().findings.push_back({});
  CHECK(!remedy_for(report, report.rows[1], Traffic::shared_load));
}

TEST_CASE("explain: lanes that idle are told where they are many, and who keeps more of them busy") {
  ExplainReport report;
  report.shape = {64};
  report.rows = {row("modulo", Traffic::shared_load, 1, 1), row("strided", Traffic::shared_load, 1, 1)};
  sim::Tally& sparse = report.rows[0].profile.total[static_cast<std::size_t>(Traffic::shared_load)];
  sparse.lanes = 500;  // 5 a request
  report.rows[1].profile.total[static_cast<std::size_t>(Traffic::shared_load)] = {60, 600, 2400, 60, 60};
  report.rows[0].profile.lines = {{"modulo.cu:9", Traffic::shared_load, sparse, {}}};
  REQUIRE(idle_line(report.rows[0]) == &report.rows[0].profile.lines[0]);
  CHECK(explain_text(report, false, false)
            .find("modulo.cu:9 shared load: 5.0 of 32 lanes take part in a request, 100 requests\n    in strided "
                  "10.0 of 32 lanes take part in a request, 60 requests") != std::string::npos);
  report.rows[1].profile.total[static_cast<std::size_t>(Traffic::shared_load)].requests = 70;
  CHECK(!fuller_kernel(report, report.rows[0], Traffic::shared_load));
  report.rows[0].profile.lines[0].tally.lanes = 1600;
  CHECK(!idle_line(report.rows[0]));
  report.rows[0].profile.lines[0].tally = {24, 24, 96, 24, 24};  // less than a quarter of 100 requests
  CHECK(!idle_line(report.rows[0]));
}

TEST_CASE("explain: faults are found and told by kernel, races in global memory too") {
  const auto device = open_sim();
  const DeviceBuffer io(*device, 4096 * sizeof(float)), small(*device, 64 * sizeof(float));
  device->fill(io.get(), 0, 4096 * sizeof(float));
  device->fill(small.get(), 0, 64 * sizeof(float));
  ExplainReport report;
  const auto explained = [&](const KernelInfo& info, planted::Run* run) {
    report.rows.push_back(record(Planted(info, run), {}, {}, device->properties(), {small.get(), io.get(), nullptr}));
    return report.rows.back();
  };
  const ExplainRow race = explained(racy, planted::unguarded_sum);
  REQUIRE(race.findings.size() >= 1);
  CHECK(race.findings[0].fault >= sim::Fault::global_race_read_after_write);
  CHECK(race.findings[0].at.starts_with("sim_planted.cu:"));
  CHECK(explained(outside, planted::shared_past_end).findings.size() == 1);
  CHECK(explained(clean, planted::padded_tile).findings.empty());
  CHECK(faulty_kernels(report) == std::vector<std::string>{"racy", "outside"});
  CHECK(!sim::options().check_global);
  CHECK(sim::options().recorder == nullptr);
  CHECK_NOTHROW(device->synchronize());
}

TEST_CASE("explain: a fault stands in every report") {
  ExplainReport report;
  report.shape = {64};
  report.rows = {row("racy", Traffic::global_store, 4, 4)};
  sim::Finding finding;
  finding.fault = sim::Fault::global_race_write_after_write;
  finding.at = "racy.cu:7";
  finding.count = 3;
  report.rows[0].findings = {finding};
  ExplainRow skipped;
  skipped.name = "other";
  skipped.why = "cannot, \"so\"";
  report.rows.push_back(skipped);
  for (const std::string& text :
       {explain_text(report, false, false), explain_json(report), explain_csv(report), explain_markdown(report)}) {
    CHECK(text.find("global race: write after write at racy.cu:7") != std::string::npos);
    CHECK(text.find("other") != std::string::npos);
  }
  CHECK(explain_csv(report).find("\"cannot, \"\"so\"\"\"") != std::string::npos);
}
