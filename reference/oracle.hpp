// What is right: computed on the host, wide or compensated, and written apart from the kernels' monoids.
#pragma once
#include "../kernels/problem.hpp"

#include <vector>

namespace rung {

/// The right answer and what the comparator needs to judge an answer (design §6).
/// For movers and integer results `want` is the exact output. For float and complex sums and means `want` holds
/// the result rounded to the result type, `exact` the value S at higher precision, `magnitude` A = Σ|x| (of the
/// mean: divided by n as S is); A is of the finite elements alone. prod: `exact` is scaled: exact · 2^exponent.
/// Complex: A is the modulus of (Σ|re|, Σ|im|), which is at most Σ|x| and bounds the error by modulus as well.
struct Oracle {
  HostArray want;                      ///< result dtype, output elements in C order
  std::vector<long double> exact;      ///< one an output element; complex: two, re and im; empty for exact kinds
  std::vector<long double> magnitude;  ///< one an output element; empty for exact kinds
  std::vector<long> exponent;          ///< prod of floats only
  // prod of floats only: what the largest and the smallest partial product of any order can be, as log2 of the
  // modulus, zeros and elements that are not finite left out. At least 0, at most 0.
  std::vector<double> log2_largest, log2_smallest;
};

/// in: p.input_bytes() bytes. Uses all cores. Shape of `want` is one-dimensional.
Oracle oracle(const Problem& p, const void* in);

}  // namespace rung
