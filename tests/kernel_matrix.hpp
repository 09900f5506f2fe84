// What the kernel tests share: the machines that are here, input data, one run with every guard up, and a tally.
// RUNG_TEST_MACHINE and RUNG_TEST_KERNEL (both optional) narrow a run to one machine, one kernel.
#pragma once
#include "../kernels/kernel.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/registry.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rung::test {

/// The machine's device, opened once; null where there is none.
Device* device(Machine machine);

/// Machines to test: those that are here, narrowed by RUNG_TEST_MACHINE. Says "no GPU here" where gpu was asked for.
std::vector<Machine> machines();

/// Kernels to test, narrowed by RUNG_TEST_KERNEL.
std::vector<const Kernel*> chosen(Family family, Machine machine);

/// Visits each of them, on each machine.
void each_kernel(Family family, const std::function<void(const Kernel&)>& visit);

/// "sim vector"
std::string subject(const Kernel& kernel);

/// Whether an operation is defined for a type and so many elements.
bool meaningful(Op op, DType dtype, std::size_t n);

/// Visits every (operation, type, accumulator); min, max and arg are the same either way, so once.
void each_reduction(const std::function<void(Op, DType, Acc)>& visit);

/// The kernel's plan on its machine's device.
Plan plan_of(const Kernel& kernel, const Problem& p, const Launch& launch = {});

enum class Data {
  indices,
  random,
  alternating,  ///< the largest values of either sign in turn: a sum that loses one is far off
  equal,        ///< ties for arg
  ends,         ///< extremes at the first and the last place
  // floats only
  nan,
  plus_inf,
  minus_inf,
  both_inf,
  minus_zero,
  denormal,
};
std::string_view name_of(Data data);

/// Every kind of data that the type has.
std::vector<Data> data_for(DType dtype);

/// n elements. Values of prod stay near 1 in size, so that the result does not overflow at once.
std::vector<std::byte> make_data(DType dtype, Data data, std::size_t n, Op op, unsigned seed);

/// Bytes without pattern, for movers.
std::vector<std::byte> noise(std::size_t bytes, unsigned seed);

/// What one run did.
struct Outcome {
  std::string refusal;         ///< why the kernel did not run
  std::string fault;           ///< what went wrong but for the result: device faults, writes where none belong
  std::vector<std::byte> out;  ///< the output
  Plan plan;
};

struct RunOptions {
  Launch launch{};
  unsigned char sentinel = 0xcd;  ///< output and workspace hold this before the run
  unsigned misaligned = 0;        ///< buffers start so many elements past their alignment
  bool input_aligned = false;     ///< of them the output alone
  bool output_aligned = false;    ///< of them the input alone
};

/// Plans and runs a kernel with buffers of exactly the bytes it asked for. Input must come back unchanged, and the
/// bytes around output and workspace too.
Outcome run_guarded(const Kernel& kernel, const Problem& p, std::span<const std::byte> in,
                    const RunOptions& options = {});

/// What threads asked of global memory in all launches of a run, on sim.
struct Traffic {
  std::size_t loaded = 0, stored = 0;  ///< bytes
  std::size_t narrowest = 16;          ///< bytes of the smallest access
};
Traffic traffic_of(const Kernel& kernel, const Problem& p, std::span<const std::byte> in);

/// While it lives, sim looks for races in global memory too: results that are right by luck, or written twice.
class WatchGlobalMemory {
 public:
  WatchGlobalMemory();
  ~WatchGlobalMemory();
  WatchGlobalMemory(const WatchGlobalMemory&) = delete;
  WatchGlobalMemory& operator=(const WatchGlobalMemory&) = delete;
};

/// Counts runs and refusals; the first few failures become messages, the rest a number.
class Tally {
 public:
  explicit Tally(std::string subject) : subject_(std::move(subject)) {}
  /// Fails when a run did; says how many ran, and each reason of refusal once.
  ~Tally() noexcept(false);
  void ran() { ++ran_; }
  void refused(const std::string& reason) { ++refusals_[reason]; }
  void unverifiable() { ++unverifiable_; }
  void failed(const std::string& what);
  std::size_t runs() const { return ran_; }

 private:
  std::string subject_;
  std::size_t ran_ = 0, failures_ = 0, unverifiable_ = 0;
  std::map<std::string, std::size_t> refusals_;
};

/// Runs one reduction, has it judged by oracle and comparator, and tallies it. Returns whether it ran.
bool check_reduction(const Kernel& kernel, const Problem& p, std::span<const std::byte> in, const std::string& what,
                     Tally& tally, const RunOptions& options = {});

/// "sum of f32, wide, 3x5x7"
std::string describe(const Problem& p);

}  // namespace rung::test
