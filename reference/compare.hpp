// The comparator of --check, bench and diff (design §6). Written so that NaN fails.
#pragma once
#include "../kernels/problem.hpp"
#include "oracle.hpp"
#include "tolerance.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rung {

enum class Verdict : std::uint8_t { pass, fail, unverifiable };

struct Mismatch {
  std::size_t index = 0;
  std::string got, want;                            ///< shortest digits that read back
  std::optional<std::uint64_t> ulp = std::nullopt;  ///< distance in units of the result type, where it has a meaning
  /// |got - want|, by modulus, exact for integers; NaN where one of them is not a number.
  long double absolute = std::numeric_limits<long double>::quiet_NaN();
  std::optional<long double> relative = std::nullopt;  ///< that over |want|, where want is finite and not 0
};

struct Comparison {
  Verdict verdict = Verdict::pass;
  std::size_t mismatches = 0;
  std::vector<Mismatch> first;    ///< five at most
  std::optional<Mismatch> worst;  ///< the largest `absolute` of the mismatches, NaN first; of equals the first
  double error = 0;               ///< largest |got - want| seen (the one closest to or furthest past its bound)
  double bound = 0;               ///< the bound that belongs to it; 0 when the comparison is exact
  std::string note;               ///< why unverifiable, or the rule that was used
};

/// got: p.output_bytes() bytes. chain: the plan's longest chain of additions. acc as in p.
/// exact_data: inputs are integers so small that every order gives the same bits (--dist exact): bit for bit.
Comparison compare(const Problem& p, const Oracle& oracle, const void* got, double chain, bool exact_data = false);

/// For `rung diff`: two arrays of one dtype and shape, `b` being what is wanted. Integers and bools take no tolerance
/// in ulp.
Comparison compare_arrays(const HostArray& a, const HostArray& b, const Tolerance& tolerance);

}  // namespace rung
