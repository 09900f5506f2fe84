// The comparator of --check, bench and diff (design §6). Written so that NaN fails.
#pragma once
#include "../kernels/problem.hpp"
#include "oracle.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rung {

enum class Verdict : std::uint8_t { pass, fail, unverifiable };

struct Mismatch {
  std::size_t index = 0;
  std::string got, want;  ///< shortest digits that read back
  double ulp = 0;         ///< distance in units of the result type; NaN where it has no meaning
};

struct Comparison {
  Verdict verdict = Verdict::pass;
  std::size_t mismatches = 0;
  std::vector<Mismatch> first;  ///< five at most
  double error = 0;             ///< largest |got - want| seen (the one closest to or furthest past its bound)
  double bound = 0;             ///< the bound that belongs to it; 0 when the comparison is exact
  std::string note;             ///< why unverifiable, or the rule that was used
};

/// got: p.output_bytes() bytes. chain: the plan's longest chain of additions. acc as in p.
/// exact_data: inputs are integers so small that every order gives the same bits (--dist exact): bit for bit.
Comparison compare(const Problem& p, const Oracle& oracle, const void* got, double chain, bool exact_data = false);

/// For `rung diff`: two arrays of one dtype and shape; tolerance in ulp of a floating-point or complex type (0: bit for
/// bit, NaN equal NaN). Integers and bools must be equal.
Comparison compare_arrays(const HostArray& a, const HostArray& b, double max_ulp);

}  // namespace rung
