// vector: a thread makes one aligned 16-byte line of the output: it loads the mirrored 16 bytes of the input and swaps
// the elements in registers.
// From shared: no shared memory and no barrier; a quarter of the instructions for 4-byte elements, a sixteenth for
// single bytes, whose order a byte permute turns within each word.
// Cost removed: accesses of one element. What is left is a copy, at the speed of a copy.
// When n elements are not a whole number of lines the mirrored 16 bytes straddle two lines. All threads' shift is the
// same, and each line comes out of L1 for the second of its two readers. Which side is aligned is free to choose: a
// load of two lines is cheaper than a store of two parts.
// Limits: the whole array, of any size and any alignment; the first and last line move by elements.
#include "../transpose/lines.hpp"
#include "blocks.hpp"

namespace rung::reverse {
inline namespace RUNG_ABI {

/// The elements of a line in reverse.
template <class T>
__device__ inline Vector16 mirrored(const Vector16& v) {
  const unsigned pick = sizeof(T) == 1 ? 0x0123 : sizeof(T) == 2 ? 0x1032 : 0x3210;
  if constexpr (sizeof(T) == 16)
    return v;
  else if constexpr (sizeof(T) == 8)
    return {{v.words[2], v.words[3], v.words[0], v.words[1]}};
  else
    return {{__byte_perm(v.words[3], 0, pick), __byte_perm(v.words[2], 0, pick), __byte_perm(v.words[1], 0, pick),
             __byte_perm(v.words[0], 0, pick)}};
}

template <class T>
__global__ void vector(const T* in, T* out, std::size_t n) {
  follow_previous_kernel();
  const std::size_t line = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto before = static_cast<std::ptrdiff_t>(misalignment<16>(out) / sizeof(T));
  const std::ptrdiff_t end = static_cast<std::ptrdiff_t>(n),
                       first = static_cast<std::ptrdiff_t>(line * per_line<T>) - before;
  if (first >= end) return;
  const std::ptrdiff_t from = end - first - static_cast<std::ptrdiff_t>(per_line<T>);
  store_line(out, n, first, mirrored<T>(read_line(in, n, from)));
}

struct Vector {
  static constexpr KernelInfo info{.family = Family::reverse,
                                   .name = "vector",
                                   .order = 3,
                                   .summary = "16-byte loads, elements swapped in registers, mirrored 16-byte stores",
                                   .teaches = "the limit is a copy",
                                   .ladder = true};

  static Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) {
    return plan_blocks(p, ceil_div(p.output_bytes(), 16), launch, device);
  }
  template <class T>
  static void run(const T* in, T* out, void*, const Problem& p, const Launch& launch, const DeviceProperties&,
                  Stream stream) {
    const std::size_t n = *p.reverse;
    if (n != 0) launch_overlapping(vector<T>, shape_of(lines_of(out, n), launch), stream, in, out, n);
  }
};
[[maybe_unused]] const bool vector_registered = add_mover<Vector>();

}  // namespace RUNG_ABI
}  // namespace rung::reverse
