// The simulator as kernel code calls it. Compiled without hooks; language.hpp dresses it as CUDA.
#pragma once
#include <cstddef>
#include <cstdint>

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

namespace rung::sim {

struct Grid {
  dim3 grid, block;
  std::size_t shared;
  bool overlapping = false;  ///< threads wait for the kernel before it, and touch no global memory until then
};

/// Runs `enter(argument)` once for each CUDA thread. Throws DeviceError for a grid that CUDA would refuse.
void run(const Grid& grid, void (*enter)(const void*), const void* argument);

// Constant within one CUDA thread, so the compiler may keep the results.
uint3 thread_idx() noexcept __attribute__((const));
uint3 block_idx() noexcept __attribute__((const));
uint3 block_dim() noexcept __attribute__((const));
uint3 grid_dim() noexcept __attribute__((const));
void* dynamic_shared() noexcept __attribute__((const));

// `at`: __builtin_source_location() of the call. Masks and widths mean what they mean in CUDA.
enum class Shuffle : std::uint8_t { index, up, down, exclusive_or };
enum class Reduce : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor };
void barrier(const void* at);
int barrier_count(bool predicate, const void* at);  ///< threads of the block whose predicate holds
void warp_barrier(unsigned mask, const void* at);
std::uint64_t shuffle(Shuffle mode, unsigned mask, std::uint64_t bits, unsigned operand, int width, const void* at);
unsigned ballot(unsigned mask, bool predicate, const void* at);
unsigned match_any(unsigned mask, std::uint64_t bits, const void* at);
std::int64_t warp_reduce(Reduce operation, unsigned mask, std::int64_t value, const void* at);
unsigned alive_lanes();
void fence(bool device);
void wait_for_previous_kernel();
void pause();  ///< a turn for the other threads of the block

// Read-modify-write of T: relaxed, returns the old value. Instantiated in atomics.cpp for the types CUDA has.
template <class T>
T atomic_add(T* p, T v, const void* at);
template <class T>
T atomic_sub(T* p, T v, const void* at);
template <class T>
T atomic_exchange(T* p, T v, const void* at);
template <class T>
T atomic_min(T* p, T v, const void* at);
template <class T>
T atomic_max(T* p, T v, const void* at);
template <class T>
T atomic_and(T* p, T v, const void* at);
template <class T>
T atomic_or(T* p, T v, const void* at);
template <class T>
T atomic_xor(T* p, T v, const void* at);
template <class T>
T atomic_compare_exchange(T* p, T expected, T desired, const void* at);
unsigned atomic_increment(unsigned* p, unsigned limit, const void* at);
unsigned atomic_decrement(unsigned* p, unsigned limit, const void* at);

/// Checked accesses of 16 aligned bytes as one, which the compiler would split where only some words are used.
void load16(void* to, const void* from, const void* at);
void store16(void* to, const void* from, const void* at);
/// The load is checked at once, the store when the thread waits, which is when both are made.
void copy16_async(void* to, const void* from, const void* at);
void wait_for_copies();

}  // namespace rung::sim
