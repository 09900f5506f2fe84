// The interface of everything that can be run: kernels of the ladder and library references alike.
#pragma once
#include "problem.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rung {

enum class Machine : std::uint8_t { gpu, cpu, sim };
inline constexpr std::array<std::string_view, 3> machine_names{"gpu", "cpu", "sim"};
constexpr std::string_view name_of(Machine m) { return machine_names[static_cast<std::size_t>(m)]; }

/// What plans depend on. sim reports the limits of the GPU it stands for.
struct DeviceProperties {
  std::string name;
  unsigned multiprocessors = 1;  ///< cores on cpu
  unsigned max_threads_per_block = 1024;
  std::size_t shared_per_block = 48 << 10;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  double theoretical_bandwidth = 0;  ///< bytes per second; 0 where it is not known
};

/// The user's wish for the launch shape; 0 leaves it to the kernel.
struct Launch {
  unsigned block = 0;  ///< threads a block
  unsigned grid = 0;   ///< blocks
  unsigned items = 0;  ///< elements (vectors, for vector kernels) a thread
};

/// What a run would need, or why it cannot be.
struct Plan {
  std::string refusal;        ///< not empty: the kernel cannot run this, and this says why
  std::size_t workspace = 0;  ///< bytes the caller supplies, aligned to 256
  double chain = 0;           ///< reductions: the longest chain of additions that one result goes through
  std::string launch;         ///< the launch shape in words: "grid 128, block 512"
  explicit operator bool() const { return refusal.empty(); }
};
inline Plan refuse(std::string reason) {
  Plan plan;
  plan.refusal = std::move(reason);
  return plan;
}

/// A stream of a device; null is the default stream, and what cpu and sim use.
struct Stream {
  void* handle = nullptr;
};

/// Memory of the machine that runs the kernel. `in` is only read. Sizes follow from the problem and the plan.
struct Buffers {
  const void* in = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;
};

/// Constants of a rung, written in its file.
struct KernelInfo {
  Family family;
  std::string_view name;
  std::array<std::string_view, 2> aliases{};  ///< empty where there is none
  int order = 0;                              ///< place in `list` within its family
  std::string_view summary;                   ///< the algorithm, one line
  std::string_view teaches;                   ///< what its file explains, one line
  bool ladder = false;                        ///< a teaching rung: part of `-k ladder`
  bool atomic_order = false;                  ///< float results may differ from run to run
};

/// A kernel on one machine, or a library call, with its types erased. Stateless: safe to share between threads.
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual Plan plan(const Problem&, const Launch&, const DeviceProperties&) const = 0;
  /// Enqueues one run. Only after a plan without refusal, for the same arguments. Allocates nothing on the device.
  /// Throws DeviceError when a launch fails.
  virtual void run(const Problem&, const Launch&, const DeviceProperties&, const Buffers&, Stream) const = 0;
};

class Kernel : public Runnable {
 public:
  Kernel(const KernelInfo& info, Machine machine) : info_(info), machine_(machine) {}
  const KernelInfo& info() const { return info_; }
  Machine machine() const { return machine_; }

 private:
  const KernelInfo& info_;
  Machine machine_;
};

}  // namespace rung
