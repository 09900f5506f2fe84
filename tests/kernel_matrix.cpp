#include "kernel_matrix.hpp"

#include "../kernels/error.hpp"
#include "../kernels/machine/sim/recorder.hpp"
#include "../kernels/machine/sim/sim.hpp"
#include "../reference/compare.hpp"
#include "../reference/oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace rung::test {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Device memory with a border on either side that nothing may write to. On sim the border is the simulator's own:
/// an allocation of exactly the bytes, so that its bounds checker names the access.
class Guarded {
 public:
  Guarded(Device& device, std::size_t bytes, unsigned char fill, std::size_t shift)
      : device_(device),
        bytes_(bytes),
        border_(device.machine() == Machine::sim ? 0 : 256),
        shift_(shift),
        fill_(fill),
        buffer_(device, 2 * border_ + shift + bytes) {
    device.fill(buffer_.get(), fill, 2 * border_ + shift + bytes);
  }
  std::byte* get() const { return static_cast<std::byte*>(buffer_.get()) + border_ + shift_; }
  std::vector<std::byte> read() const {
    std::vector<std::byte> host(bytes_);
    if (bytes_) device_.download(host.data(), get(), bytes_);
    return host;
  }
  /// True when nothing was written outside the bytes asked for.
  bool border_intact() const {
    std::vector<std::byte> host(border_ * 2 + shift_ + bytes_);
    if (!host.empty()) device_.download(host.data(), buffer_.get(), host.size());
    const auto untouched = [&](std::byte b) { return b == std::byte{fill_}; };
    const auto inner = host.begin() + static_cast<std::ptrdiff_t>(border_ + shift_);
    return std::all_of(host.begin(), inner, untouched) &&
           std::all_of(inner + static_cast<std::ptrdiff_t>(bytes_), host.end(), untouched);
  }

 private:
  Device& device_;
  std::size_t bytes_, border_, shift_;
  unsigned char fill_;
  DeviceBuffer buffer_;
};

struct TrafficRecorder : sim::AccessRecorder {
  Traffic traffic;
  void access(const sim::AccessEvent& event) override {
    if (event.space != sim::Space::global) return;
    (event.kind == sim::Access::store ? traffic.stored : traffic.loaded) += event.size;
    traffic.narrowest = std::min<std::size_t>(traffic.narrowest, event.size);
  }
};

}  // namespace

Device* device(Machine machine) {
  static std::array<std::unique_ptr<Device>, 3> opened;
  static std::array<bool, 3> tried{};
  const auto k = static_cast<std::size_t>(machine);
  if (!tried[k]) {
    tried[k] = true;
    try {
      opened[k] = open_device(machine);
    } catch (const DeviceError& e) {
      MESSAGE("no ", name_of(machine), " here: ", e.what());
    }
  }
  return opened[k].get();
}

std::vector<Machine> machines() {
  const std::string only = environment("RUNG_TEST_MACHINE");
  std::vector<Machine> here;
  for (const Machine machine : {Machine::gpu, Machine::cpu, Machine::sim}) {
    if (!only.empty() && only != name_of(machine)) continue;
    if (device(machine))
      here.push_back(machine);
    else if (machine == Machine::gpu)
      MESSAGE("no GPU here");
    else
      FAIL_CHECK("no ", name_of(machine));
  }
  return here;
}

std::vector<const Kernel*> chosen(Family family, Machine machine) {
  const std::string only = environment("RUNG_TEST_KERNEL");
  std::vector<const Kernel*> list = kernels(family, machine);
  if (!only.empty()) std::erase_if(list, [&](const Kernel* k) { return k->info().name != only; });
  CHECK_MESSAGE(!list.empty(), "no ", name_of(family), " kernel '", only, "' on ", name_of(machine),
                ": a kernel's file is named as the kernel is");
  return list;
}

void each_kernel(Family family, const std::function<void(const Kernel&)>& visit) {
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(family, machine)) visit(*kernel);
}

std::string subject(const Kernel& kernel) {
  return std::string(name_of(kernel.machine())) + " " + std::string(kernel.info().name);
}

bool meaningful(Op op, DType dtype, std::size_t n) {
  const bool adds = op == Op::sum || op == Op::prod || op == Op::mean;
  if (info(dtype).kind == Kind::complex && !adds) return false;
  return n > 0 || op == Op::sum || op == Op::prod;
}

void each_reduction(const std::function<void(Op, DType, Acc)>& visit) {
  for (const Op op : {Op::sum, Op::prod, Op::min, Op::max, Op::mean, Op::argmin, Op::argmax}) {
    const bool adds = op == Op::sum || op == Op::prod || op == Op::mean;
    for (const DTypeInfo& type : dtype_table)
      for (const Acc acc : {Acc::wide, Acc::same})
        if ((adds || acc == Acc::wide) && meaningful(op, type.dtype, 1)) visit(op, type.dtype, acc);
  }
}

Plan plan_of(const Kernel& kernel, const Problem& p, const Launch& launch) {
  return kernel.plan(p, launch, device(kernel.machine())->properties());
}

Outcome run_guarded(const Kernel& kernel, const Problem& p, std::span<const std::byte> in, const RunOptions& options) {
  Device& on = *device(kernel.machine());
  Outcome outcome;
  outcome.plan = plan_of(kernel, p, options.launch);
  outcome.refusal = outcome.plan.refusal;
  if (!outcome.plan) return outcome;
  const std::size_t in_shift = options.input_aligned ? 0 : options.misaligned * size_of(p.dtype);
  const std::size_t out_shift = options.output_aligned ? 0 : options.misaligned * size_of(p.output_dtype());
  const auto fill = options.sentinel;
  const Guarded input(on, in.size(), fill, in_shift), output(on, p.output_bytes(), fill, out_shift),
      workspace(on, outcome.plan.workspace, fill, 0);
  if (!in.empty()) on.upload(input.get(), in.data(), in.size());
  try {
    kernel.run(p, options.launch, on.properties(), {input.get(), output.get(), workspace.get()}, {});
    on.synchronize();
  } catch (const Error& e) {
    outcome.fault = e.what();
    return outcome;
  }
  outcome.out = output.read();
  if (!std::equal(in.begin(), in.end(), input.read().begin())) outcome.fault = "the input was written to";
  if (!input.border_intact()) outcome.fault = "wrote outside the input";
  if (!output.border_intact()) outcome.fault = "wrote outside the output";
  if (!workspace.border_intact()) outcome.fault = "wrote outside the workspace";
  return outcome;
}

Traffic traffic_of(const Kernel& kernel, const Problem& p, std::span<const std::byte> in) {
  TrafficRecorder recorder;
  sim::options().recorder = &recorder;
  const Outcome outcome = run_guarded(kernel, p, in);
  sim::options().recorder = nullptr;
  CHECK_MESSAGE(outcome.fault.empty(), kernel.info().name, ": ", outcome.fault);
  return recorder.traffic;
}

WatchGlobalMemory::WatchGlobalMemory() { sim::options().check_global = true; }
WatchGlobalMemory::~WatchGlobalMemory() { sim::options().check_global = false; }

void Tally::failed(const std::string& what) {
  constexpr std::size_t shown = 8;
  // A check, not FAIL_CHECK, which --abort-after does not stop at.
  if (++failures_ <= shown) CHECK_MESSAGE(what.empty(), subject_, ": ", what);
}

Tally::~Tally() noexcept(false) {
  if (std::uncaught_exceptions() != 0) return;  // stopped at the first failure
  CHECK_MESSAGE(failures_ == 0, subject_, ": ", failures_, " of ", ran_, " runs failed");
  std::string text = subject_ + ": " + std::to_string(ran_) + " runs";
  if (unverifiable_) text += ", " + std::to_string(unverifiable_) + " unverifiable";
  for (const auto& [reason, count] : refusals_) text += "\n    refused " + std::to_string(count) + ": " + reason;
  MESSAGE(text);
}

bool check_reduction(const Kernel& kernel, const Problem& p, std::span<const std::byte> in, const std::string& what,
                     Tally& tally, const RunOptions& options) {
  const Outcome outcome = run_guarded(kernel, p, in, options);
  const auto subject = [&] { return describe(p) + ", " + what; };
  if (!outcome.plan) {
    tally.refused(outcome.refusal);
    return false;
  }
  tally.ran();
  if (!outcome.fault.empty()) {
    tally.failed(subject() + ": " + outcome.fault);
    return true;
  }
  const Comparison result = compare(p, oracle(p, in.data()), outcome.out.data(), outcome.plan.chain);
  if (result.verdict == Verdict::unverifiable) tally.unverifiable();
  if (result.verdict == Verdict::fail) {
    std::string text = subject() + ": " + std::to_string(result.mismatches) + " wrong";
    if (!result.first.empty())
      text += "; [" + std::to_string(result.first[0].index) + "] got " + result.first[0].got + ", want " +
              result.first[0].want;
    tally.failed(text + "; " + result.note);
  }
  return true;
}

std::string describe(const Problem& p) {
  std::string text;
  if (p.family == Family::reduce) {
    text =
        std::string(name_of(p.op)) + " of " + std::string(name_of(p.dtype)) + ", " + std::string(name_of(p.acc)) + ", ";
    return text + (p.whole_array() ? std::to_string(p.n) : to_string(Shape{p.outer, p.n, p.inner}));
  }
  return std::string(name_of(p.family)) + " of " + std::string(name_of(p.dtype)) + " " + to_string(p.move.shape);
}

}  // namespace rung::test
