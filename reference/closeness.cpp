#include "closeness.hpp"

#include <algorithm>
#include <cmath>

namespace rung {
namespace {

using Whole = boost::multiprecision::cpp_int;

Whole power_of_ten(int exponent) { return boost::multiprecision::pow(Whole(10), static_cast<unsigned>(exponent)); }

std::uint64_t magnitude(long double value) { return static_cast<std::uint64_t>(std::fabs(value)); }

}  // namespace

bool drop_equal_nonfinite(Parts& a, Parts& b) {
  const auto drop = [](long double& s, long double& t) {
    if (std::isfinite(s) && std::isfinite(t)) return true;
    const bool same = s == t || (std::isnan(s) && std::isnan(t));
    if (same) s = t = 0;
    return same;
  };
  const bool re = drop(a.re, b.re), im = drop(a.im, b.im);
  return re && im;
}

Closeness::Closeness(const Tolerance& tolerance, DType dtype) : integers_(is_integer(dtype)) {
  const Decimal rtol = tolerance.rtol.value_or(Decimal()), atol = tolerance.atol.value_or(Decimal());
  rtol_ = rounded(rtol);
  atol_ = rounded(atol);
  const int least = std::min({rtol.exponent, atol.exponent, 0});
  whole_rtol_ = Whole(rtol.digits) * power_of_ten(rtol.exponent - least);
  whole_atol_ = Whole(atol.digits) * power_of_ten(atol.exponent - least);
  unit_ = power_of_ten(-least);
}

bool Closeness::holds(Parts a, Parts b) const {
  if (integers_) return holds_for_integers(a.re, b.re);
  if (!drop_equal_nonfinite(a, b)) return false;
  const auto modulus = [](double re, double im) { return im == 0 ? std::fabs(re) : std::hypot(re, im); };
  const double b_re = static_cast<double>(b.re), b_im = static_cast<double>(b.im);
  const double apart = modulus(static_cast<double>(a.re) - b_re, static_cast<double>(a.im) - b_im);
  return apart <= atol_ + rtol_ * modulus(b_re, b_im);
}

bool Closeness::holds_for_integers(long double a, long double b) const {
  // A long double has 64 bits, which hold the difference of any two integers.
  const long double apart = std::fabs(a - b), limit = atol_ + rtol_ * std::fabs(b);
  // What rounding has done to the limit, of f64 the tolerances', is no more than 2^-51 of it.
  if (std::fabs(apart - limit) > 0x1p-50L * limit) return apart < limit;
  return unit_ * magnitude(apart) <= whole_atol_ + whole_rtol_ * magnitude(b);
}

}  // namespace rung
