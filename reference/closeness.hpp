// |a − b| <= atol + rtol·|b|: of integers without rounding, of the others in f64.
#pragma once
#include "elements.hpp"
#include "tolerance.hpp"

#include <boost/multiprecision/cpp_int.hpp>

namespace rung {

/// Takes from two elements the parts that are no finite numbers and equal: NaN, or the same infinity. False where parts
/// are left that are none.
bool drop_equal_nonfinite(Parts& a, Parts& b);

class Closeness {
 public:
  /// Of the tolerance rtol and atol; one that is not there is 0.
  Closeness(const Tolerance& tolerance, DType dtype);

  /// By modulus. NaN is equal to NaN and an infinity to itself alone, in either part.
  bool holds(Parts a, Parts b) const;

 private:
  bool holds_for_integers(long double a, long double b) const;

  bool integers_;
  double rtol_, atol_;  ///< rounded
  // As they were written: both in units of 1 / unit_.
  boost::multiprecision::cpp_int whole_rtol_, whole_atol_, unit_;
};

}  // namespace rung
