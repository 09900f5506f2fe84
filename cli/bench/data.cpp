#include "data.hpp"

#include "../commands/generate.hpp"

#include <algorithm>
#include <array>

namespace rung::cli {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t most_captured = 1024, most_sets = std::size_t{1} << 16;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

std::string made_name(Distribution distribution, std::uint64_t seed) {
  static constexpr std::array<const char*, 4> names{"uniform", "normal", "arange", "exact"};
  return std::string(names[static_cast<std::size_t>(distribution)]) + ", seed " + std::to_string(seed);
}

BenchData::BenchData(const BenchOptions& options, const std::vector<BenchSpec>& points, std::optional<HostArray> file)
    : options_(options),
      points_(points),
      name_(file ? options.run.files[0] : made_name(options.distribution, options.seed)) {
  if (file) array_ = std::move(*file);
}

/// Element k of `exact` depends on how many there are; of the others it does not.
Shape BenchData::largest(DType dtype, const Shape& shape) const {
  if (options_.distribution == Distribution::exact) return shape;
  Shape most = shape;
  for (const auto& point : points_)
    if (point.dtype == dtype && element_count(point.shape) > element_count(most)) most = point.shape;
  return most;
}

BenchInput BenchData::input(DType dtype, const Shape& shape) {
  if (options_.run.files.empty()) {
    const Shape wanted = largest(dtype, shape);
    if (!array_.data || array_.dtype != dtype || array_.size() != element_count(wanted)) {
      array_.data.reset();
      array_ = generate(wanted, dtype, options_.distribution, options_.seed);
      ++version_;
      judge_key_.clear();
    }
  }
  return {array_.data.get(), version_};
}

const Judge& BenchData::judge(const Problem& problem, const std::string& operation, const Shape& shape) {
  // The right answer of floats does not depend on the accumulator; integers wrap where it does.
  const bool wraps = is_integer(problem.dtype) && problem.acc == Acc::same;
  const std::string key =
      std::string(name_of(problem.dtype)) + " " + to_string(shape) + " " + operation + (wraps ? " same" : "");
  if (key != judge_key_) {
    judge_ = {};
    judge_ = make_judge(problem, array_.data.get());
    judge_key_ = key;
  }
  return judge_;
}

std::size_t rotation_span(const DeviceProperties& device, Machine machine) {
  return device.l2_bytes * (machine == Machine::gpu ? 4 : 2);
}

SetPlan plan_sets(const Problem& problem, const DeviceProperties& device, Machine machine, Mode mode) {
  const std::size_t in = std::max<std::size_t>(problem.input_bytes(), 1);
  SetPlan plan{1, aligned(in), aligned(problem.output_bytes())};
  if (mode == Mode::hot || machine == Machine::sim || (mode == Mode::cold && machine == Machine::gpu)) return plan;
  const std::size_t span = rotation_span(device, machine);
  plan.count = std::clamp<std::size_t>((span + in - 1) / in, 2, most_sets);
  if (mode == Mode::graph && plan.count > most_captured) {
    plan.count = most_captured;
    plan.in_stride = aligned(span / most_captured);
  }
  const std::size_t share = device.memory_bytes / 10 * (machine == Machine::gpu ? 8 : 3);
  if (share != 0) plan.count = std::clamp<std::size_t>(share / (plan.in_stride + plan.out_stride), 1, plan.count);
  return plan;
}

BenchSets::BenchSets(Device& device, const Problem& problem, const SetPlan& plan, BenchInput input)
    : device_(device),
      input_(input),
      in_bytes_(problem.input_bytes()),
      out_bytes_(problem.output_bytes()),
      plan_(plan),
      in_(device, plan.count * plan.in_stride),
      out_(device, plan.count * plan.out_stride) {
  for (std::size_t k = 0; k < plan_.count; ++k)
    if (in_bytes_ != 0)
      device_.upload(static_cast<std::byte*>(in_.get()) + k * plan_.in_stride, input.bytes, in_bytes_);
  device_.synchronize();
}

Buffers BenchSets::buffers(std::size_t k) const {
  return {static_cast<const std::byte*>(in_.get()) + k * plan_.in_stride,
          static_cast<std::byte*>(out_.get()) + k * plan_.out_stride, nullptr};
}

void BenchSets::spoil() {
  constexpr unsigned char sentinel = 0xa5;
  if (out_bytes_ != 0) device_.fill(out_.get(), sentinel, plan_.count * plan_.out_stride);
  device_.synchronize();
}

const std::byte* BenchSets::output(std::size_t k) {
  if (!host_ || host_bytes_ < out_bytes_) {
    host_ = allocate_bytes(out_bytes_);
    host_bytes_ = out_bytes_;
  }
  if (out_bytes_ != 0) device_.download(host_.get(), buffers(k).out, out_bytes_);
  device_.synchronize();
  return host_.get();
}

bool BenchSets::adopt(BenchInput input, const Problem& problem, const SetPlan& plan) {
  if (input != input_ || in_bytes_ != problem.input_bytes() || plan.count != plan_.count ||
      plan.in_stride != plan_.in_stride || plan.out_stride != plan_.out_stride)
    return false;
  out_bytes_ = problem.output_bytes();
  return true;
}

}  // namespace rung::cli
