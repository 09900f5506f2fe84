// How both native reductions cut their work, and the loops that they cut it into. The loops are chosen by
// operation and type and for the instruction set of the machine, so the schedule is compiled once, not once a type.
//
// The cut depends on the shape alone, and every order of additions is fixed by it: the same bits come from any
// number of threads and from cpu-serial as from cpu-parallel; and from any vector width, but for products of complex
// numbers, where wider instruction sets fuse a multiplication with an addition.
#pragma once
#include "../registry.hpp"

#include <array>
#include <cstddef>

namespace rung::reduce::cpu {

/// Elements of a row that become one partial. 16 KiB of u8, 128 KiB of f64: within the second-level cache, and
/// long enough to hide the price of a task.
inline constexpr std::size_t chunk = std::size_t{1} << 14;
/// A row no longer than this is folded one element after another.
inline constexpr std::size_t sequential = 32;
/// Columns that one loop carries at a time: accumulators of 16 bytes are then 32 KiB.
inline constexpr std::size_t tile = 2048;
/// Rows of a part of columns.
inline constexpr std::size_t most_rows = 512;
/// Fewer columns than this are read as several rows side by side, about this wide.
inline constexpr std::size_t narrow_width = 512;

/// Type-erased loops of one monoid. `acc` is an array of accumulators, `in` of elements, `out` of results.
struct Loops {
  /// *acc = in[0, n), n <= chunk, where in[0] has index `first`. argmin, argmax: the index is `first`, that of the
  /// chunk; finish finds the place in it.
  void (*row)(const void* in, std::size_t n, std::size_t first, void* acc);
  /// out[r] = the result of row r of n <= chunk elements.
  void (*rows)(const void* in, std::size_t count, std::size_t n, void* out);
  /// acc[c] = column c of `rows` rows, a stride apart; cols <= tile, rows <= most_rows. `first` is the index of the
  /// first row.
  void (*columns)(const void* in, std::size_t rows, std::size_t stride, std::size_t cols, std::size_t first, void* acc);
  /// The same for rows that lie together (stride == cols), cols < narrow_width.
  void (*narrow)(const void* in, std::size_t rows, std::size_t cols, std::size_t first, void* acc);
  /// acc[c] = acc[c] + acc[stride + c] + … + acc[(count - 1) * stride + c] for c < width: neighbours in pairs.
  void (*fold)(void* acc, std::size_t count, std::size_t stride, std::size_t width);
  /// out[c] = finish(acc[c], n) for c < count.
  void (*finish)(const void* acc, std::size_t count, std::size_t n, void* out);
  /// The same for one row of n elements from `in`, reduced by row().
  void (*finish_row)(const void* in, const void* acc, std::size_t n, void* out);
};

/// The loops of every monoid, by operation, type and accumulator.
using LoopTable = std::array<Loops, op_names.size() * dtype_count * 2>;
template <class Table>
auto& at(Table& table, Op op, DType dtype, Acc acc) {
  return table[(static_cast<std::size_t>(op) * dtype_count + static_cast<std::size_t>(dtype)) * 2 +
               static_cast<std::size_t>(acc)];
}

/// Loops that the compiler vectorises, for the instruction set that Highway chose.
const Loops& plain_loops(Op op, DType dtype, Acc acc);
/// The same with vectors written out where that is faster.
const Loops& simd_loops(Op op, DType dtype, Acc acc);

// Where plain_loops has them from: cpu-plain-*.cpp. Each fills the places of its own operations.
const LoopTable& plain_sum_loops();
const LoopTable& plain_prod_loops();
const LoopTable& plain_order_loops();
const LoopTable& plain_place_loops();

template <class M>
inline constexpr ReduceSizes sizes_of{sizeof(typename M::Input), sizeof(typename M::Accumulator),
                                      sizeof(typename M::Result)};

Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, unsigned cores);
void run(const Problem& p, const ReduceSizes& sizes, const Loops& loops, bool parallel, const void* in, void* out,
         void* workspace);

}  // namespace rung::reduce::cpu
