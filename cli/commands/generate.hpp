// Arrays from a seed: random access by counter, so that all cores fill one array, and the same bits everywhere.
#pragma once
#include "../../kernels/array.hpp"
#include "../options.hpp"

#include <cstddef>
#include <cstdint>

namespace rung::cli {

/// Word `counter` of a stream: SplitMix64 (Steele, Lea, Flood 2014) at a place of its own for each seed.
std::uint64_t random_word(std::uint64_t seed, std::uint64_t counter);

/// What `exact` draws from for n elements of a dtype: integers within ±magnitude at every stride-th place, 0
/// elsewhere, so that n · magnitude / stride ≤ 2^p, the integers that the type's accumulator holds exactly.
struct ExactRule {
  std::int64_t magnitude = 0;
  std::size_t stride = 1;
};
ExactRule exact_rule(DType dtype, std::size_t n);

/// uniform: floats are multiples of the type's precision in [0, 1), integers take all values of the type.
/// normal: sum of twelve uniform 32-bit integers less its mean (Irwin-Hall), exact in f64, so no libm has a say;
/// floats only, within ±6. arange: the index, modulo what the type counts exactly. exact: see ExactRule.
/// Complex numbers draw both parts. Throws UsageError for normal integers.
HostArray generate(const Shape& shape, DType dtype, Distribution distribution, std::uint64_t seed);

}  // namespace rung::cli
