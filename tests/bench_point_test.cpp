// A point measured for real on the cpu, with kernels that are wrong in known ways beside one that is right.
#include "../cli/bench/point.hpp"
#include "../cli/commands/generate.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

using namespace rung;
using namespace rung::cli;

namespace {

constexpr std::size_t n = 1000;

/// Reverses bytes; from run `breaks_at` on it leaves the last byte as it was.
class Reverser final : public Kernel {
 public:
  Reverser(const KernelInfo& info, int breaks_at) : Kernel(info, Machine::cpu), breaks_at_(breaks_at) {}
  Plan plan(const Problem&, const Launch&, const DeviceProperties&) const override { return {}; }
  void run(const Problem&, const Launch&, const DeviceProperties&, const Buffers& b, Stream) const override {
    const auto* in = static_cast<const unsigned char*>(b.in);
    auto* out = static_cast<unsigned char*>(b.out);
    const std::size_t count = runs_++ < breaks_at_ ? n : n - 1;
    for (std::size_t i = 0; i < count; ++i) out[i] = in[n - 1 - i];
  }

 private:
  int breaks_at_;
  mutable int runs_ = 0;
};

constexpr int never = 1 << 30;
constexpr KernelInfo good_info{.family = Family::reverse, .name = "good", .summary = "", .teaches = ""};
constexpr KernelInfo bad_info{.family = Family::reverse, .name = "bad", .summary = "", .teaches = ""};
constexpr KernelInfo tired_info{.family = Family::reverse, .name = "tired", .summary = "", .teaches = ""};

struct Measured {
  BenchPoint point;
  std::unique_ptr<Device> device = open_device(Machine::cpu);

  explicit Measured(const std::vector<const Kernel*>& kernels) {
    BenchSpec spec;
    spec.dtype = DType::u8;
    spec.shape = {n};
    spec.run.family = Family::reverse;
    const Work work = plan_work(spec.run, spec.dtype, spec.shape);
    const HostArray input = generate(spec.shape, spec.dtype, Distribution::uniform, 1);
    const Judge judge = make_judge(work.main, input.data.get());
    Selection selection;
    for (const Kernel* kernel : kernels) selection.run.push_back({kernel, {}});
    point.family = Family::reverse;
    point.dtype = spec.dtype;
    point.shape = spec.shape;
    point.machine = Machine::cpu;
    point.logical_bytes = work.main.logical_bytes();
    BenchSets sets(*device, work.main, {4, 1024, 1024}, {input.data.get()});
    StopRule rule;
    rule.least = 5;
    rule.most = 10;
    measure_point(point, {*device, spec, work, selection, judge, input.data.get(), sets, rule, true});
  }
  const BenchRow& row(const std::string& name) const {
    for (const BenchRow& r : point.rows)
      if (r.name == name) return r;
    throw std::runtime_error("no row " + name);
  }
};

}  // namespace

TEST_CASE("bench point: right kernels have times, a floor, a ceiling and speedups") {
  const Reverser good(good_info, never), other(bad_info, never);
  const Measured m({&good, &other});
  CHECK(all_right(m.point));
  const BenchRow& row = m.row("good");
  CHECK(row.verdict == RowVerdict::pass);
  REQUIRE(row.seconds.has_value());
  CHECK(row.seconds->n >= 5);
  CHECK(row.seconds->min <= row.seconds->median);
  CHECK_FALSE(row.speedups.empty());
  CHECK_FALSE(row.previous.has_value());
  REQUIRE(m.row("bad").previous.has_value());
  CHECK(m.row("bad").previous->over == "good");
  CHECK(m.point.noise.has_value());
  CHECK(m.point.ceiling.has_value());
  CHECK(m.row("ceiling-copy").seconds.has_value());
}

TEST_CASE("bench point: a wrong kernel has no time") {
  const Reverser good(good_info, never), bad(bad_info, 0);
  const Measured m({&bad, &good});
  CHECK_FALSE(all_right(m.point));
  CHECK(m.row("bad").verdict == RowVerdict::fail);
  CHECK(m.row("bad").mismatches == 1);
  CHECK_FALSE(m.row("bad").seconds.has_value());
  CHECK(m.row("bad").speedups.empty());
  CHECK(m.row("good").seconds.has_value());
}

TEST_CASE("bench point: a kernel that is right at first and wrong when it has been timed has no time") {
  const Reverser tired(tired_info, 30);
  const Measured m({&tired});
  CHECK_FALSE(all_right(m.point));
  CHECK(m.row("tired").verdict == RowVerdict::fail);
  CHECK_FALSE(m.row("tired").seconds.has_value());
  CHECK(m.row("tired").note.find("right at first, wrong after the timed runs") != std::string::npos);
}

TEST_CASE("bench point: no kernel to time") {
  const Reverser bad(bad_info, 0);
  const Measured m({&bad});
  CHECK_FALSE(all_right(m.point));
  CHECK_FALSE(m.point.noise.has_value());
}

TEST_CASE("bench sets: copies together are four times a GPU's cache, twice a processor's") {
  DeviceProperties gpu;
  gpu.l2_bytes = std::size_t{50} << 20;
  gpu.memory_bytes = std::size_t{100} << 30;
  const auto plan = [&](std::size_t count, Machine machine, Mode mode) {
    return plan_sets(reduce_problem(DType::f32, {count}, {}, Op::sum, Acc::wide), gpu, machine, mode);
  };
  CHECK(plan(1 << 20, Machine::gpu, Mode::cold).count == 1);
  CHECK(plan(1 << 20, Machine::gpu, Mode::hot).count == 1);
  CHECK(plan(1 << 20, Machine::gpu, Mode::graph).count == 50);
  CHECK(plan(1 << 20, Machine::cpu, Mode::cold).count == 25);
  CHECK(plan(1, Machine::cpu, Mode::cold).count == 65536);
  CHECK(plan(1 << 20, Machine::sim, Mode::cold).count == 1);
  // A large input is not read twice in a row.
  CHECK(plan(std::size_t{1} << 30, Machine::gpu, Mode::graph).count == 2);
  // A small one is spread out.
  const SetPlan small = plan(1 << 10, Machine::gpu, Mode::graph);
  CHECK(small.count == 1024);
  CHECK(small.count * small.in_stride >= 4 * gpu.l2_bytes);
  CHECK(small.in_stride % 256 == 0);
  gpu.memory_bytes = std::size_t{6} << 30;
  CHECK(plan(std::size_t{1} << 30, Machine::gpu, Mode::graph).count == 1);
}

TEST_CASE("bench sets: the copies of one input serve operations with results of other sizes") {
  const auto device = open_device(Machine::cpu);
  const HostArray a = generate({100}, DType::f64, Distribution::uniform, 0),
                  b = generate({100}, DType::f64, Distribution::uniform, 1);
  const auto problem = [](Op op) { return reduce_problem(DType::i32, {100}, {}, op, Acc::wide); };
  const SetPlan plan = plan_sets(problem(Op::max), device->properties(), Machine::cpu, Mode::hot);
  BenchSets sets(*device, problem(Op::max), plan, {a.data.get()});
  CHECK(std::memcmp(sets.buffers(0).in, a.data.get(), 400) == 0);
  CHECK(sets.adopt({a.data.get()}, problem(Op::sum), plan));
  sets.spoil();
  const std::uint64_t sentinel = 0xa5a5a5a5a5a5a5a5u;
  CHECK(std::memcmp(sets.output(0), &sentinel, 8) == 0);
  CHECK_FALSE(sets.adopt({b.data.get()}, problem(Op::sum), plan));
  // Another array may stand where the first stood.
  CHECK_FALSE(sets.adopt({a.data.get(), 1}, problem(Op::sum), plan));
  CHECK_FALSE(sets.adopt({a.data.get()}, reduce_problem(DType::i32, {99}, {}, Op::sum, Acc::wide), plan));
}

TEST_CASE("bench data: smaller arrays are the beginning of larger ones, made once") {
  BenchOptions options;
  options.run.family = Family::reduce;
  options.sweep = {{"n", {"100", "1000"}}};
  const auto specs = expand(options);
  BenchData data(options, specs, std::nullopt);
  const BenchInput first = data.input(DType::f32, {100});
  const HostArray alone = generate({100}, DType::f32, Distribution::uniform, 0);
  CHECK(std::memcmp(first.bytes, alone.data.get(), 400) == 0);
  CHECK(data.input(DType::f32, {1000}) == first);
  CHECK(data.name() == "uniform, seed 0");
  const Problem p = reduce_problem(DType::f32, {100}, {}, Op::sum, Acc::wide);
  const Judge& judge = data.judge(p, "sum", {100});
  CHECK(judge.oracle.want.size() == 1);
  CHECK(&data.judge(p, "sum", {100}) == &judge);
  const BenchInput others = data.input(DType::i32, {100});
  CHECK(others.version != first.version);
  CHECK(data.input(DType::f32, {1000}).version != others.version);
}

TEST_CASE("ceiling-copy copies sizes that are no multiple of anything, and ceiling-read writes nothing") {
  const auto device = open_device(Machine::cpu);
  for (const std::size_t count : {std::size_t{1}, std::size_t{15}, std::size_t{4097}, std::size_t{100003}}) {
    CAPTURE(count);
    std::vector<unsigned char> in(count), out(count + 1);
    std::iota(in.begin(), in.end(), static_cast<unsigned char>(1));
    std::vector<std::uint64_t> workspace(32);
    for (const Family family : {Family::reverse, Family::reduce}) {
      const Problem p = reverse_problem(DType::u8, {count}, {});
      for (const Runnable* ceiling : device->ceilings(family)) {
        std::fill(out.begin(), out.end(), 0xa5);
        REQUIRE(ceiling->plan(p, {}, device->properties()).workspace <= 256);
        ceiling->run(p, {}, device->properties(), {in.data(), out.data(), workspace.data()}, {});
        CHECK(out[count] == 0xa5);
        if (family == Family::reverse)
          CHECK(std::equal(in.begin(), in.end(), out.begin()));
        else
          CHECK(std::all_of(out.begin(), out.end(), [](unsigned char byte) { return byte == 0xa5; }));
      }
    }
  }
}
