// What g++ -fsanitize=thread calls at every access of a kernel file: our own runtime in the place of ThreadSanitizer's.
// Host code of those files, and library templates that the linker took from them, call these too: outside a kernel they
// do nothing.
#include "access.hpp"

#define RUNG_CALLER ::rung::sim::code_place(__builtin_return_address(0))

namespace rung::sim {
namespace {

template <Access kind, std::size_t size>
__attribute__((always_inline)) inline void hook(const volatile void* p, Place place) {
  Engine* engine = active;
  if (!engine) return;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  constexpr std::uintptr_t alignment = size < 8 ? size : 8;  // a 16-byte struct of 8-byte members is aligned to 8
  if (address & (alignment - 1)) [[unlikely]]
    engine->misaligned(place);
  engine->access<kind>(address, size, place);
}
template <Access kind>
__attribute__((always_inline)) inline void hook_range(const volatile void* p, std::size_t size, Place place) {
  Engine* engine = active;
  if (engine && size != 0) engine->access<kind>(reinterpret_cast<std::uintptr_t>(p), size, place);
}

}  // namespace
}  // namespace rung::sim

using rung::sim::Access;
using rung::sim::hook;
using rung::sim::hook_range;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* p, std::size_t n) { hook_range<Access::load>(p, n, RUNG_CALLER); }
void __tsan_write_range(void* p, std::size_t n) { hook_range<Access::store>(p, n, RUNG_CALLER); }

#define RUNG_HOOKS(N)                                                                     \
  void __tsan_read##N(void* p) { hook<Access::load, N>(p, RUNG_CALLER); }                 \
  void __tsan_write##N(void* p) { hook<Access::store, N>(p, RUNG_CALLER); }               \
  void __tsan_volatile_read##N(void* p) { hook<Access::load, N>(p, RUNG_CALLER); }        \
  void __tsan_volatile_write##N(void* p) { hook<Access::store, N>(p, RUNG_CALLER); }      \
  void __tsan_unaligned_read##N(void* p) { hook_range<Access::load>(p, N, RUNG_CALLER); } \
  void __tsan_unaligned_write##N(void* p) { hook_range<Access::store>(p, N, RUNG_CALLER); }
RUNG_HOOKS(1)
RUNG_HOOKS(2)
RUNG_HOOKS(4)
RUNG_HOOKS(8)
RUNG_HOOKS(16)

// Atomics of the C++ library (reference counts, guards of static variables) and of the language.
#define RUNG_FETCH(BITS, TYPE, NAME, BUILTIN)                        \
  TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE* p, TYPE v, int) { \
    hook<Access::atomic, BITS / 8>(p, RUNG_CALLER);                  \
    return BUILTIN(p, v, __ATOMIC_SEQ_CST);                          \
  }
#define RUNG_COMPARE(BITS, TYPE, NAME)                                                                    \
  int __tsan_atomic##BITS##_compare_exchange_##NAME(volatile TYPE* p, TYPE* expected, TYPE v, int, int) { \
    hook<Access::atomic, BITS / 8>(p, RUNG_CALLER);                                                       \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }
#define RUNG_ATOMICS(BITS, TYPE)                                    \
  TYPE __tsan_atomic##BITS##_load(const volatile TYPE* p, int) {    \
    hook<Access::atomic, BITS / 8>(p, RUNG_CALLER);                 \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                    \
  }                                                                 \
  void __tsan_atomic##BITS##_store(volatile TYPE* p, TYPE v, int) { \
    hook<Access::atomic, BITS / 8>(p, RUNG_CALLER);                 \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                       \
  }                                                                 \
  RUNG_FETCH(BITS, TYPE, exchange, __atomic_exchange_n)             \
  RUNG_FETCH(BITS, TYPE, fetch_add, __atomic_fetch_add)             \
  RUNG_FETCH(BITS, TYPE, fetch_sub, __atomic_fetch_sub)             \
  RUNG_FETCH(BITS, TYPE, fetch_and, __atomic_fetch_and)             \
  RUNG_FETCH(BITS, TYPE, fetch_or, __atomic_fetch_or)               \
  RUNG_FETCH(BITS, TYPE, fetch_xor, __atomic_fetch_xor)             \
  RUNG_FETCH(BITS, TYPE, fetch_nand, __atomic_fetch_nand)           \
  RUNG_COMPARE(BITS, TYPE, strong)                                  \
  RUNG_COMPARE(BITS, TYPE, weak)
RUNG_ATOMICS(8, unsigned char)
RUNG_ATOMICS(16, unsigned short)
RUNG_ATOMICS(32, unsigned int)
RUNG_ATOMICS(64, unsigned long)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
