// The library calls that users make, timed beside our kernels (design §2, "References are the calls users make").
#pragma once
#include "../kernels/kernel.hpp"

#include <memory>
#include <string>
#include <vector>

namespace rung {

class Reference : public Runnable {
 public:
  /// "cub", "thrust", "cublas", "thrust-tbb": the column head of the report.
  virtual std::string name() const = 0;
  /// The library and its version: "CUB 3.0.1".
  virtual std::string version() const = 0;
  virtual Machine machine() const = 0;
  /// The call for this problem, as its user writes it: "cub::DeviceReduce::Sum". Empty where there is none;
  /// plan() refuses then, and says why.
  virtual std::string call(const Problem&) const = 0;
  /// Where the call's meaning differs from ours (NaN in max, ties): one clause, or empty.
  virtual std::string difference(const Problem&) const { return {}; }
  /// True for calls that wait for the device themselves: any of them, or the one for this problem.
  virtual bool synchronises() const { return false; }
  virtual bool synchronises(const Problem&) const { return synchronises(); }
};

/// Every reference of this build for a machine (gpu: cub, thrust, cublas; cpu: thrust-tbb), in the order of columns.
/// sim has none.
const std::vector<const Reference*>& references(Machine machine);

// Each library's file provides its own; those of a build without CUDA are the CPU's alone.
std::vector<std::unique_ptr<Reference>> cub_references();
std::vector<std::unique_ptr<Reference>> thrust_cuda_references();
std::vector<std::unique_ptr<Reference>> cublas_references();
std::vector<std::unique_ptr<Reference>> thrust_cpu_references();

}  // namespace rung
