// Read-modify-writes. Blocks on several host threads share device memory, so these are real atomics.
#include "access.hpp"
#include "machine.hpp"

namespace rung::sim {
namespace {

using ull = unsigned long long;

template <class T>
void check(T* p, const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  if (address % sizeof(T) != 0) active->misaligned(record_place(at));
  active->access<Access::atomic>(address, sizeof(T), record_place(at));
}

/// Replaces *p by next(*p); `next` may be called more than once.
template <class T, class Next>
T update(T* p, const void* at, Next next) {
  check(p, at);
  T old = 0;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  for (;;) {
    T desired = next(old);
    if (__atomic_compare_exchange(p, &old, &desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

}  // namespace

template <class T>
T atomic_add(T* p, T v, const void* at) {
  // Unsigned arithmetic wraps, as the hardware's does.
  if constexpr (static_cast<T>(0.5) != 0)
    return update(p, at, [v](T old) { return old + v; });
  else
    return check(p, at), __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
template <class T>
T atomic_sub(T* p, T v, const void* at) {
  check(p, at);
  return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
template <class T>
T atomic_exchange(T* p, T v, const void* at) {
  return update(p, at, [v](T) { return v; });
}
template <class T>
T atomic_min(T* p, T v, const void* at) {
  return update(p, at, [v](T old) { return v < old ? v : old; });
}
template <class T>
T atomic_max(T* p, T v, const void* at) {
  return update(p, at, [v](T old) { return old < v ? v : old; });
}
template <class T>
T atomic_and(T* p, T v, const void* at) {
  check(p, at);
  return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);
}
template <class T>
T atomic_or(T* p, T v, const void* at) {
  check(p, at);
  return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}
template <class T>
T atomic_xor(T* p, T v, const void* at) {
  check(p, at);
  return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);
}
template <class T>
T atomic_compare_exchange(T* p, T expected, T desired, const void* at) {
  check(p, at);
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
unsigned atomic_increment(unsigned* p, unsigned limit, const void* at) {
  return update(p, at, [limit](unsigned old) { return old >= limit ? 0u : old + 1; });
}
unsigned atomic_decrement(unsigned* p, unsigned limit, const void* at) {
  return update(p, at, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

template int atomic_add(int*, int, const void*);
template unsigned atomic_add(unsigned*, unsigned, const void*);
template ull atomic_add(ull*, ull, const void*);
template float atomic_add(float*, float, const void*);
template double atomic_add(double*, double, const void*);
template int atomic_sub(int*, int, const void*);
template unsigned atomic_sub(unsigned*, unsigned, const void*);
template int atomic_exchange(int*, int, const void*);
template unsigned atomic_exchange(unsigned*, unsigned, const void*);
template ull atomic_exchange(ull*, ull, const void*);
template float atomic_exchange(float*, float, const void*);
template int atomic_min(int*, int, const void*);
template unsigned atomic_min(unsigned*, unsigned, const void*);
template long long atomic_min(long long*, long long, const void*);
template ull atomic_min(ull*, ull, const void*);
template int atomic_max(int*, int, const void*);
template unsigned atomic_max(unsigned*, unsigned, const void*);
template long long atomic_max(long long*, long long, const void*);
template ull atomic_max(ull*, ull, const void*);
template int atomic_and(int*, int, const void*);
template unsigned atomic_and(unsigned*, unsigned, const void*);
template ull atomic_and(ull*, ull, const void*);
template int atomic_or(int*, int, const void*);
template unsigned atomic_or(unsigned*, unsigned, const void*);
template ull atomic_or(ull*, ull, const void*);
template int atomic_xor(int*, int, const void*);
template unsigned atomic_xor(unsigned*, unsigned, const void*);
template ull atomic_xor(ull*, ull, const void*);
template int atomic_compare_exchange(int*, int, int, const void*);
template unsigned atomic_compare_exchange(unsigned*, unsigned, unsigned, const void*);
template ull atomic_compare_exchange(ull*, ull, ull, const void*);
template unsigned short atomic_compare_exchange(unsigned short*, unsigned short, unsigned short, const void*);

}  // namespace rung::sim
