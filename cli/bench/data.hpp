// What a sweep makes once and uses again: inputs on the host, right answers, copies of the input on the device.
#pragma once
#include "../../kernels/machine/device.hpp"
#include "../commands/check.hpp"
#include "sweep.hpp"

#include <optional>
#include <string>
#include <vector>

namespace rung::cli {

/// "uniform, seed 0"
std::string made_name(Distribution distribution, std::uint64_t seed);

/// An input on the host. The bytes of two that differ in their version may differ, at the same address too.
struct BenchInput {
  const std::byte* bytes = nullptr;
  unsigned version = 0;
  bool operator==(const BenchInput&) const = default;
};

/// Inputs and answers on the host.
class BenchData {
 public:
  /// `points`: all that will be asked for, so that of each element type the largest array is made and the smaller
  /// ones are its beginning. `file`: instead of making data.
  BenchData(const BenchOptions& options, const std::vector<BenchSpec>& points, std::optional<HostArray> file);

  /// The array; it stays where and what it is until one of another type or shape is asked for.
  BenchInput input(DType dtype, const Shape& shape);
  /// Of the input last asked for. Computed when it is not that of the call before.
  const Judge& judge(const Problem& problem, const std::string& operation, const Shape& shape);
  /// "uniform, seed 0", or the file's name.
  const std::string& name() const { return name_; }

 private:
  Shape largest(DType dtype, const Shape& shape) const;

  const BenchOptions& options_;
  const std::vector<BenchSpec>& points_;
  std::string name_;
  HostArray array_;
  unsigned version_ = 0;  ///< of array_
  std::string judge_key_;
  Judge judge_;
};

/// How many copies of the input runs rotate through, and how far apart they lie.
struct SetPlan {
  std::size_t count = 1;
  std::size_t in_stride = 0, out_stride = 0;  ///< bytes
};

/// Bytes of input that nothing of the first is left of in the cache when the last has been read: on gpu four times the
/// L2; on cpu, whose last level is several times as large, twice that.
std::size_t rotation_span(const DeviceProperties& device, Machine machine);

/// hot, sim: one. cold on gpu: one, as the cache is flushed. cold on cpu, graph: as many as fill the rotation's span.
/// graph: 1024 at most, spread over as much; cpu: 65536, of which small inputs may stay in the cache. Fewer where the
/// device's memory would not hold them.
SetPlan plan_sets(const Problem& problem, const DeviceProperties& device, Machine machine, Mode mode);

/// The copies on the device, each with an output of its own.
class BenchSets {
 public:
  BenchSets(Device& device, const Problem& problem, const SetPlan& plan, BenchInput input);
  const SetPlan& plan() const { return plan_; }
  /// Buffers of set k, without a workspace.
  Buffers buffers(std::size_t k) const;
  /// Fills all outputs with a sentinel: a kernel that then writes nothing is not taken for one that is right.
  void spoil();
  /// The output of set k on the host, until the next call.
  const std::byte* output(std::size_t k);
  /// Goes on to another problem, when these copies are of its input and its output fits: an upload less.
  bool adopt(BenchInput input, const Problem& problem, const SetPlan& plan);

 private:
  Device& device_;
  BenchInput input_;
  std::size_t in_bytes_, out_bytes_;
  SetPlan plan_;
  DeviceBuffer in_, out_;
  Bytes host_;  ///< kept: to touch fresh pages takes longer than the copy
  std::size_t host_bytes_ = 0;
};

}  // namespace rung::cli
