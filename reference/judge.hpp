// The error bounds of float sums, means and products (design §6): one result at a time.
#pragma once
#include "compare.hpp"

#include <span>

namespace rung {

/// A binary floating format.
struct Format {
  double unit_roundoff;
  double largest;
  long double smallest;  ///< the smallest positive subnormal number; half of it is no double
  int digits;            ///< bits of the significand
};

struct Judgement {
  Verdict verdict = Verdict::pass;
  long double error = 0;
  double bound = 0;
  const char* why = nullptr;  ///< of unverifiable
};

/// What the results of one problem are judged by.
class Judge {
 public:
  /// chain: the longest chain of additions. exact_data: any order of additions gives the same bits.
  Judge(const Problem& p, const Oracle& oracle, double chain, bool exact_data);

  /// got: the parts of result `index`, one, or two of a complex number.
  Judgement operator()(std::size_t index, std::span<const long double> got) const;
  /// The rule in words.
  std::string rule() const;

 private:
  Judgement sum(std::span<const long double> want, long double magnitude, std::span<const long double> got) const;
  Judgement product(std::size_t index, std::span<const long double> got) const;
  Judgement exact_sum(std::size_t index, std::span<const long double> got) const;
  long double last_step() const;
  Judgement within(std::span<const long double> want, std::span<const long double> got, long double bound) const;

  const Problem& problem_;
  const Oracle& oracle_;
  Format accumulator_, result_;
  double chain_;
  bool exact_data_;
  std::size_t parts_;
};

}  // namespace rung
