// CUDA's atomics, for the types that CUDA has. Part of language.hpp.
#pragma once
#include "machine.hpp"

#include <concepts>
#include <type_traits>

namespace rung::sim {
template <class T, class... U>
concept OneOf = (std::same_as<T, U> || ...);
using ull = unsigned long long;
template <class T>
using Same = std::type_identity_t<T>;  // as CUDA's overloads: the pointer alone decides the type
}  // namespace rung::sim

template <rung::sim::OneOf<int, unsigned, rung::sim::ull, float, double> T>
RUNG_SIM T atomicAdd(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_add(p, v, at);
}
template <rung::sim::OneOf<int, unsigned> T>
RUNG_SIM T atomicSub(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_sub(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, rung::sim::ull, float> T>
RUNG_SIM T atomicExch(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_exchange(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, long long, rung::sim::ull> T>
RUNG_SIM T atomicMin(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_min(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, long long, rung::sim::ull> T>
RUNG_SIM T atomicMax(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_max(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, rung::sim::ull> T>
RUNG_SIM T atomicAnd(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_and(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, rung::sim::ull> T>
RUNG_SIM T atomicOr(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_or(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, rung::sim::ull> T>
RUNG_SIM T atomicXor(T* p, rung::sim::Same<T> v, RUNG_SIM_AT) {
  return rung::sim::atomic_xor(p, v, at);
}
template <rung::sim::OneOf<int, unsigned, rung::sim::ull, unsigned short> T>
RUNG_SIM T atomicCAS(T* p, rung::sim::Same<T> expected, rung::sim::Same<T> desired, RUNG_SIM_AT) {
  return rung::sim::atomic_compare_exchange(p, expected, desired, at);
}
RUNG_SIM unsigned atomicInc(unsigned* p, unsigned limit, RUNG_SIM_AT) {
  return rung::sim::atomic_increment(p, limit, at);
}
RUNG_SIM unsigned atomicDec(unsigned* p, unsigned limit, RUNG_SIM_AT) {
  return rung::sim::atomic_decrement(p, limit, at);
}
