#include "thrust_reference.hpp"

#include "../kernels/error.hpp"

#include <algorithm>
#include <bit>

namespace rung {
namespace {

bool locating(const Problem& p) { return p.op == Op::argmin || p.op == Op::argmax; }

std::string reduction_text(const Problem& p) {
  if (p.op == Op::min || p.op == Op::argmin) return "thrust::min_element";
  if (p.op == Op::max || p.op == Op::argmax) return "thrust::max_element";
  return p.op == Op::prod ? "thrust::reduce with thrust::multiplies" : "thrust::reduce";
}

std::string row_text(const Problem& p) {
  if (p.op == Op::min) return "thrust::reduce_by_key with the lesser";
  if (p.op == Op::max) return "thrust::reduce_by_key with the greater";
  return "thrust::reduce_by_key";
}

}  // namespace

ThrustCall ThrustReference::find(const Problem& p, std::string& why) const {
  const auto size_class = static_cast<std::size_t>(std::countr_zero(size_of(p.dtype)));
  if (p.family == Family::transpose) {
    if (!p.transpose) why = "a gather in Thrust is timed for one pair of exchanged axes alone";
    return p.transpose ? table_.transposes[size_class] : nullptr;
  }
  if (p.family == Family::reverse) {
    if (!p.reverse) why = "thrust::reverse_copy reverses all elements, not some axes";
    return p.reverse ? table_.reverses[size_class] : nullptr;
  }
  const ThrustTable::Layout layout = p.whole_array() ? ThrustTable::whole : ThrustTable::rows;
  const bool rows = layout == ThrustTable::rows;
  const ThrustCall call = table_.at(layout, p.op, p.dtype, p.acc);
  if (p.op == Op::mean)
    why = "Thrust has no mean";
  else if (p.dtype == DType::boolean)
    why = "Thrust has no call that counts what is not zero in our bool";
  else if (p.inner != 1)
    why = "thrust::reduce_by_key reduces neighbours: rows, not columns";
  else if (info(p.dtype).kind == Kind::complex && p.op != Op::sum && p.op != Op::prod)
    why = "complex numbers have no order";
  else if (rows && locating(p))
    why = "Thrust has no call for the place of an extreme in each row";
  else if (rows && p.n == 0)
    why = "thrust::reduce_by_key gives no result for an empty row";
  else if (!call)
    why = "rung is built with no Thrust call for " + std::string(name_of(p.op)) + (rows ? " along rows" : "") + " of " +
          std::string(name_of(p.dtype)) + (p.acc == Acc::same ? " (same)" : "") + "; it has " + description_.types;
  return why.empty() ? call : nullptr;
}

std::string ThrustReference::call(const Problem& p) const {
  std::string why;
  if (!find(p, why)) return {};
  if (p.family == Family::transpose) return "thrust::gather";
  if (p.family == Family::reverse) return "thrust::reverse_copy";
  return p.whole_array() ? reduction_text(p) : row_text(p);
}

std::string ThrustReference::difference(const Problem& p) const {
  std::string why;
  if (p.family != Family::reduce || is_integer(p.dtype) || !find(p, why)) return {};
  if (p.op == Op::sum) return p.whole_array() ? "starts from +0, so that the sum of -0.0 values is +0.0" : "";
  return p.op == Op::prod ? "" : "a NaN wins or loses by its place";
}

Plan ThrustReference::plan(const Problem& p, const Launch&, const DeviceProperties& device) const {
  std::string why;
  if (!find(p, why)) return refuse(std::move(why));
  Plan plan;
  plan.launch = "chosen by Thrust";
  // On the GPU thrust::reduce is CUB's (reference/cub.cu says whence the figure); TBB may let one thread add it all,
  // and so, from tile to tile of a scan, may reduce_by_key.
  const auto n = static_cast<double>(p.n);
  const bool even = description_.machine == Machine::gpu && p.whole_array();
  plan.chain = even ? std::min(n, n / (128.0 * device.multiprocessors) + 256) : n;
  return plan;
}

void ThrustReference::run(const Problem& p, const Launch&, const DeviceProperties&, const Buffers& b, Stream s) const {
  std::string why;
  const ThrustCall call = find(p, why);
  ThrustArguments a{b.in, b.out, s.handle, 1, p.outer, p.n};
  if (p.family == Family::transpose) a.batch = p.transpose->batch, a.rows = p.transpose->rows, a.n = p.transpose->cols;
  if (p.family == Family::reverse) a.n = *p.reverse;
  try {
    call(a);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw DeviceError("Thrust: " + std::string(error.what()));
  }
}

}  // namespace rung
