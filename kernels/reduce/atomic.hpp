// One cell of the workspace that many threads reduce into, and the tiny kernels that start and finish it.
#pragma once
#include "passes.hpp"

#include <string>
#include <type_traits>

namespace rung::reduce {
inline namespace RUNG_ABI {

/// How M is added to by atomics. Integers have the instruction: sum, min and max, in a word of 4 or 8 bytes. Float
/// sums have it too, but atomicAdd(float*) on global memory flushes denormals to zero (PTX ISA, `atom`), so they
/// are added as doubles; a complex sum is two of them. All else is a loop of compare-and-swap on the bits, for
/// accumulators up to 8 bytes.
template <class M>
struct AtomicCell {
  using A = typename M::Accumulator;
  static constexpr bool adds = M::operation == Op::sum || M::operation == Op::mean;
  static constexpr bool orders = M::operation == Op::min || M::operation == Op::max;
  static constexpr bool whole = is_int<A> && (adds || orders);
  static constexpr bool summed = !is_int<A> && adds;
  static constexpr bool supported = summed || sizeof(A) <= 8;

  static constexpr auto word() {
    constexpr bool sign = orders && std::is_signed_v<A> && std::is_integral_v<A>;
    if constexpr (summed)
      return double{};
    else if constexpr (sizeof(A) <= 4)
      return std::conditional_t<sign, int, unsigned>{};
    else
      return std::conditional_t<sign, long long, unsigned long long>{};
  }
  using Word = decltype(word());
  static constexpr unsigned words = summed && is_complex<A> ? 2 : 1;

  static __device__ void set(Word* cell, A value) {
    if constexpr (words == 2) {
      cell[0] = value.re;
      cell[1] = value.im;
    } else {
      *cell = pack(value);
    }
  }
  static __device__ A get(const Word* cell) {
    if constexpr (words == 2)
      return convert<A>(Complex<double>{cell[0], cell[1]});
    else
      return unpack(*cell);
  }
  static __device__ void combine(Word* cell, A value) {
    if constexpr (words == 2) {
      atomicAdd(cell, static_cast<double>(value.re));
      atomicAdd(cell + 1, static_cast<double>(value.im));
    } else if constexpr (adds) {
      atomicAdd(cell, pack(value));
    } else if constexpr (whole && M::operation == Op::min) {
      atomicMin(cell, pack(value));
    } else if constexpr (whole) {
      atomicMax(cell, pack(value));
    } else {
      Word seen = pack(M::identity());  // a guess: the first swap reads the cell
      for (;;) {
        const Word wanted = pack(M::combine(unpack(seen), value));
        const Word found = atomicCAS(cell, seen, wanted);
        if (found == seen) return;
        if (found == pack(M::combine(unpack(found), value))) return;
        seen = found;
      }
    }
  }

 private:
  static __device__ Word pack(A value) {
    if constexpr (whole || summed) {
      return static_cast<Word>(value_of(value));
    } else {
      Word bits = 0;
      __builtin_memcpy(&bits, &value, sizeof(A));
      return bits;
    }
  }
  static __device__ A unpack(Word bits) {
    if constexpr (std::is_same_v<A, Bool>) {
      return Bool{static_cast<std::uint8_t>(bits)};
    } else if constexpr (whole || summed) {
      return static_cast<A>(bits);
    } else {
      A value{};
      __builtin_memcpy(&value, &bits, sizeof(A));
      return value;
    }
  }
};

template <class M>
std::string no_atomic() {
  return "no atomic of " + std::to_string(sizeof(typename M::Accumulator)) + " bytes";
}

template <class M>
__global__ void start_cell(typename AtomicCell<M>::Word* cell) {
  AtomicCell<M>::set(cell, M::identity());
}
template <class M>
__global__ void finish_cell(const typename AtomicCell<M>::Word* cell, typename M::Result* result, std::size_t n) {
  *result = M::finish(AtomicCell<M>::get(cell), n);
}

/// The three launches: identity into the cell, `enqueue(cell)` unless there is nothing to reduce, result out of it.
template <class M, class Enqueue>
void run_atomic(void* workspace, typename M::Result* out, std::size_t n, Stream stream, Enqueue enqueue) {
  auto* cell = static_cast<typename AtomicCell<M>::Word*>(workspace);
  launch(start_cell<M>, {1, 1}, stream, cell);
  if (n != 0) enqueue(cell);
  launch(finish_cell<M>, {1, 1}, stream, cell, out, n);
}

/// `chain`: additions before the atomics; each block or element that adds to the cell is one more.
inline Plan plan_atomic(std::size_t grid, unsigned block, double chain, double atomics) {
  if (grid > max_blocks) return refuse("needs more than 2^31 - 1 blocks");
  Plan plan;
  plan.workspace = 256;
  plan.chain = chain + atomics;
  plan.launch = describe(grid, block);
  return plan;
}

}  // namespace RUNG_ABI
}  // namespace rung::reduce
