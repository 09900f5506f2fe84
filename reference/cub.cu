// CUB as a reference: which of its calls serves a problem, and what that call needs.
#include "cub_table.hpp"
#include "reference.hpp"

#include "../kernels/machine/cuda/check.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>

namespace rung {
namespace {

bool locating(const Problem& p) { return p.op == Op::argmin || p.op == Op::argmax; }

class Cub final : public Reference {
 public:
  Cub() {
    add_cub_sums(table_);
    add_cub_products(table_);
    add_cub_order(table_);
    add_cub_locating(table_);
    add_cub_segments(table_);
    add_cub_segments_locating(table_);
  }
  std::string name() const override { return "cub"; }
  std::string version() const override {
    return "CUB " + std::to_string(CUB_VERSION / 100000) + "." + std::to_string(CUB_VERSION / 100 % 1000) + "." +
           std::to_string(CUB_VERSION % 100);
  }
  Machine machine() const override { return Machine::gpu; }
  std::string call(const Problem& p) const override { return reason(p).empty() ? entry(p).text : std::string(); }

  std::string difference(const Problem& p) const override {
    if (p.family != Family::reduce || is_integer(p.dtype) || !reason(p).empty()) return {};
    if (locating(p)) return "a NaN wins or loses by its place; starts from the largest finite value";
    if (p.op == Op::min || p.op == Op::max) return "may pass over NaN; starts from the largest finite value";
    return p.op == Op::sum ? "starts from +0, so that the sum of -0.0 values is +0.0" : "";
  }

  Plan plan(const Problem& p, const Launch&, const DeviceProperties& device) const override {
    if (std::string why = reason(p); !why.empty()) return refuse(std::move(why));
    Plan plan;
    const cudaError_t status = entry(p).run(arguments(p, {}, {}), plan.workspace);
    if (status != cudaSuccess) {
      cudaGetLastError();
      return refuse(std::string("CUB: ") + cudaGetErrorString(status));
    }
    // A block of at least 128 threads on every multiprocessor takes an even share (DispatchReduce, GridEvenShare), or
    // a warp at the least takes a row; a tile of at most 32 items a thread, then trees over threads and blocks.
    const double threads = p.whole_array() ? 128.0 * device.multiprocessors : 32.0;
    plan.chain = std::min(static_cast<double>(p.n), static_cast<double>(p.n) / threads + 256);
    plan.launch = "chosen by CUB";
    return plan;
  }

  void run(const Problem& p, const Launch&, const DeviceProperties&, const Buffers& b, Stream s) const override {
    // As many as the plan said; asking again would be timed.
    std::size_t bytes = SIZE_MAX / 2;
    check(entry(p).run(arguments(p, b, s), bytes));
  }

 private:
  const CubEntry& entry(const Problem& p) const {
    return table_.at(p.whole_array() ? CubTable::whole : CubTable::rows, p.op, p.dtype, p.acc);
  }

  static CubArguments arguments(const Problem& p, const Buffers& b, Stream s) {
    return {b.in, b.out, b.workspace, p.outer, p.n, static_cast<cudaStream_t>(s.handle)};
  }

  /// Why no call serves this problem; empty where one does.
  std::string reason(const Problem& p) const {
    if (p.family == Family::transpose) return "CUB has no transpose";
    if (p.family == Family::reverse) return "CUB has no reverse";
    if (p.op == Op::mean) return "CUB has no mean";
    if (p.dtype == DType::boolean) return "CUB has no call that counts what is not zero";
    if (p.inner != 1) return "CUB reduces contiguous segments: rows, not columns";
    if (!p.whole_array() && p.n > INT_MAX && (fixed_size_rows || locating(p)))
      return "CUB takes the length of a row as int";
    if (!p.whole_array() && !fixed_size_rows && locating(p) && p.input_elements() > INT_MAX)
      return "the offsets of this CUB's segmented ArgMin and ArgMax are int";
    if (entry(p).run) return {};
    if (info(p.dtype).kind == Kind::complex && p.whole_array() && p.op != Op::sum && p.op != Op::prod)
      return "complex numbers have no order";
    if (!p.whole_array())
      return "along rows, built for sum, min, max, argmin, argmax of u8, i32, i64, f16, f32, f64 alone";
    return locating(p)
               ? "ArgMin and ArgMax are built for u8, i32, i64, f16, f32, f64 alone, for the sake of compile time"
               : "products are built for i32, i64, u64, f16, bf16, f32, f64, c128 alone, for the sake of compile time";
  }

  CubTable table_;
};

}  // namespace

std::vector<std::unique_ptr<Reference>> cub_references() {
  std::vector<std::unique_ptr<Reference>> list;
  list.push_back(std::make_unique<Cub>());
  return list;
}

}  // namespace rung
