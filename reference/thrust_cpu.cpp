// Thrust's TBB back-end on the CPU: the CUDA toolkit's Thrust where there is a toolkit, Debian's libthrust-dev else.
#include "thrust_calls.hpp"
#include "thrust_reference.hpp"

#include <thrust/system/tbb/execution_policy.h>
#include <thrust/version.h>

#include <cstring>

namespace rung {
namespace {

struct OnCpu {
  static auto policy(const ThrustArguments&) { return thrust::tbb::par; }
  static auto mover_policy(const ThrustArguments&) { return thrust::tbb::par; }
  template <class R>
  static void deliver(const ThrustArguments& a, R value) {
    std::memcpy(a.out, &value, sizeof value);
  }
  template <class T>
  static T fetch(const T* place) {
    return *place;
  }
};

template <class T>
void add_real(ThrustTable& table) {
  add_thrust_sum<OnCpu, false, T>(table);
  add_thrust_sum<OnCpu, true, T>(table);
  add_thrust_extremes<OnCpu, T>(table);
}

ThrustTable table() {
  ThrustTable t;
  add_real<std::int8_t>(t);
  add_real<std::int16_t>(t);
  add_real<std::int32_t>(t);
  add_real<std::int64_t>(t);
  add_real<std::uint8_t>(t);
  add_real<std::uint16_t>(t);
  add_real<std::uint32_t>(t);
  add_real<std::uint64_t>(t);
  add_real<float>(t);
  add_real<double>(t);
  add_thrust_sum<OnCpu, false, Complex<float>>(t);
  add_thrust_sum<OnCpu, false, Complex<double>>(t);
  add_thrust_sum<OnCpu, true, Complex<float>>(t);
  add_thrust_sum<OnCpu, true, Complex<double>>(t);
  add_thrust_rows<OnCpu, std::int32_t>(t);
  add_thrust_rows<OnCpu, std::int64_t>(t);
  add_thrust_rows<OnCpu, float>(t);
  add_thrust_rows<OnCpu, double>(t);
  add_thrust_movers<OnCpu>(t);
  return t;
}

}  // namespace

std::vector<std::unique_ptr<Reference>> thrust_cpu_references() {
  std::vector<std::unique_ptr<Reference>> list;
  list.push_back(std::make_unique<ThrustReference>(
      ThrustReference::Description{
          .name = "thrust-tbb",
          .version = thrust_version(THRUST_VERSION) + " (TBB)",
          .machine = Machine::cpu,
          .types =
              "those of whole arrays of all types but 16-bit floats, and along rows sum of i64, f32 (same) and f64, "
              "min and max of i32, i64, f32 and f64"},
      table()));
  return list;
}

}  // namespace rung
