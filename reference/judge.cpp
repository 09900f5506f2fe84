#include "judge.hpp"

#include "elements.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace rung {
namespace {

constexpr Format single{0x1p-24, FLT_MAX, 0x1p-149, 24};
constexpr Format twofold{0x1p-53, DBL_MAX, 0x1p-1074, 53};

constexpr const char* long_chain = "the chain of additions is so long that its bound says nothing (d·u >= 0.01)";
constexpr const char* sum_overflow =
    "Σ|x| passes the accumulator's largest value: the order decides whether it overflows";
constexpr const char* product_overflow = "partial products may overflow, in one order and not in another";
constexpr const char* product_underflow = "partial products may underflow, in one order and not in another";

/// What an accumulator is: design §4. A mean of integers accumulates in f64 either way.
Format accumulator_of(const Problem& p) {
  switch (p.dtype) {
    case DType::f16:
    case DType::bf16:
      return single;
    case DType::f32:
    case DType::c64:
      return p.acc == Acc::wide ? twofold : single;
    default:
      return twofold;
  }
}

Format result_of(const Problem& p) {
  const DType t = p.output_dtype();
  return t == DType::f32 || t == DType::c64 ? single : twofold;
}

/// γ_k = k·u / (1 − k·u): k roundings one upon another (Higham, Accuracy and Stability, lemma 3.1).
long double gamma(double k, double u) {
  const long double ku = static_cast<long double>(k) * u;
  return ku / (1 - ku);
}

bool same_or_nan(long double want, long double got) { return want == got || (std::isnan(want) && std::isnan(got)); }

long double modulus(std::span<const long double> z) { return z.size() == 1 ? std::fabs(z[0]) : std::hypot(z[0], z[1]); }

bool all_finite(std::span<const long double> z) {
  return std::all_of(z.begin(), z.end(), [](long double x) { return std::isfinite(x); });
}

Judgement unverifiable(const char* why) { return {Verdict::unverifiable, 0, 0, why}; }

Judgement verdict_of(bool pass, long double error, long double bound) {
  return {pass ? Verdict::pass : Verdict::fail, error, static_cast<double>(bound), nullptr};
}

}  // namespace

Judge::Judge(const Problem& p, const Oracle& oracle, double chain, bool exact_data)
    : problem_(p),
      oracle_(oracle),
      accumulator_(accumulator_of(p)),
      result_(result_of(p)),
      chain_(chain),
      exact_data_(exact_data),
      parts_(info(p.dtype).kind == Kind::complex ? 2 : 1) {}

std::string Judge::rule() const {
  if (problem_.op == Op::prod) return "relative error at most (n + 1)·u of the accumulator";
  if (exact_data_) return "exact data: bit for bit";
  return "|got - S| <= γ_d·A + u·|S|, d = " + std::to_string(static_cast<long long>(chain_));
}

Judgement Judge::operator()(std::size_t index, std::span<const long double> got) const {
  if (problem_.op == Op::prod) return product(index, got);
  const std::span<const long double> want(oracle_.exact.data() + index * parts_, parts_);
  const long double magnitude = oracle_.magnitude[index];
  const long double total = problem_.op == Op::mean ? magnitude * static_cast<long double>(problem_.n) : magnitude;
  const bool exact = exact_data_ && all_finite(want) && total <= std::ldexp(1.0L, accumulator_.digits);
  return exact ? exact_sum(index, got) : sum(want, magnitude, got);
}

/// What the last rounding may lose where results are subnormal: half a step, in each part.
long double Judge::last_step() const { return result_.smallest / 2 * (parts_ == 2 ? std::sqrt(2.0L) : 1.0L); }

/// got against want ± bound. A part of got may be infinite where want + bound reaches what rounds to infinity.
Judgement Judge::within(std::span<const long double> want, std::span<const long double> got, long double bound) const {
  const long double overflows = static_cast<long double>(result_.largest) * (1 + result_.unit_roundoff / 2);
  long double difference[2] = {0, 0};
  for (std::size_t part = 0; part < got.size(); ++part) {
    const bool rounds_to_infinity = std::isinf(got[part]) && std::signbit(got[part]) == std::signbit(want[part]) &&
                                    std::fabs(want[part]) + bound >= overflows;
    difference[part] = rounds_to_infinity ? 0 : got[part] - want[part];
  }
  const long double error = modulus({difference, got.size()});
  return verdict_of(error <= bound, error, bound);
}

/// Integers so small that every order gives the same sum: what is left of a mean is the rounding of its division.
Judgement Judge::exact_sum(std::size_t index, std::span<const long double> got) const {
  if (problem_.op == Op::mean) {
    const std::span<const long double> want(oracle_.exact.data() + index * parts_, parts_);
    // Dividing, n as a float of the accumulator's type, and the result.
    const long double relative = gamma(2, accumulator_.unit_roundoff) + result_.unit_roundoff;
    return within(want, got, relative * modulus(want) * (1 + 0x1p-20L) + last_step());
  }
  const Parts want = parts_of(oracle_.want.dtype, oracle_.want.data.get(), index);
  bool same = true;
  for (std::size_t part = 0; part < got.size(); ++part) {
    const long double w = part == 0 ? want.re : want.im;
    same = same && got[part] == w && std::signbit(got[part]) == std::signbit(w);
  }
  const long double difference[2] = {got[0] - want.re, got.size() > 1 ? got[1] - want.im : 0};
  return verdict_of(same, modulus({difference, got.size()}), 0);
}

Judgement Judge::sum(std::span<const long double> want, long double magnitude, std::span<const long double> got) const {
  const bool mean = problem_.op == Op::mean;
  const double u = accumulator_.unit_roundoff;
  const bool verifiable = chain_ * u < 0.01;
  // A mean has three roundings besides: of an integer element as it is loaded, of n, and of the quotient.
  const long double growth = verifiable ? gamma(chain_ + (mean ? 3 : 0), u) : 0.01L;
  const long double total = mean ? magnitude * static_cast<long double>(problem_.n) : magnitude;
  const bool may_overflow = total * (1 + growth) > accumulator_.largest;
  // The last rounding acts on a sum that is off by γ·A already. 2^-30 covers the rounding of A itself.
  const auto bound = [&](long double size) {
    return growth * magnitude * (1 + result_.unit_roundoff) * (1 + 0x1p-30L) + result_.unit_roundoff * size +
           (mean ? last_step() : 0);
  };

  if (!all_finite(want)) {
    // The parts of a complex sum are sums by themselves: what is wrong with one, the other cannot excuse.
    bool pass = true;
    const char* why = nullptr;
    for (std::size_t part = 0; part < want.size(); ++part) {
      const bool finite = std::isfinite(want[part]);
      // A sum of finite elements that overflows on its way may meet an infinity and give NaN. No order undoes a NaN.
      if (may_overflow && !std::isnan(want[part]))
        why = sum_overflow;
      else if (finite && !verifiable)
        why = long_chain;
      else if (finite)
        pass = pass && within(want.subspan(part, 1), got.subspan(part, 1), bound(std::fabs(want[part]))).verdict ==
                           Verdict::pass;
      else
        pass = pass && same_or_nan(want[part], got[part]);
    }
    return pass && why ? unverifiable(why) : verdict_of(pass, pass ? 0 : NAN, 0);
  }
  if (!verifiable) return unverifiable(long_chain);
  // Where all elements have one sign, partial sums only grow: every order overflows, or none.
  const bool one_sign = !mean && want.size() == 1 && std::fabs(want[0]) * (1 + 0x1p-30L) >= magnitude;
  if (may_overflow && !one_sign) return unverifiable(sum_overflow);
  return within(want, got, bound(modulus(want)));
}

/// The oracle's product is scaled, and cannot overflow; the accumulator's can, on its way. P and p, the largest and
/// the smallest partial product of any order, decide what can be said:
/// P in range and p in range: the relative bound holds in every order.
/// P out of range, no element below 1: partial products only grow, so that every order overflows, or none.
/// P out of range, elements below 1 too: the order decides; unverifiable.
/// p out of range: each step may lose half a subnormal step, which later factors can raise by P at most;
/// unverifiable where that passes both a hundredth of the result and the smallest normal number.
Judgement Judge::product(std::size_t index, std::span<const long double> got) const {
  const std::span<const long double> scaled(oracle_.exact.data() + index * parts_, parts_);
  const double u = accumulator_.unit_roundoff, steps = static_cast<double>(problem_.n);
  const double highest = std::log2(accumulator_.largest);
  const double largest = oracle_.log2_largest[index], smallest = oracle_.log2_smallest[index];
  // Squares of parts and rounding on the way: one bit of room.
  const bool may_overflow = largest > highest - 1;
  const bool may_underflow = smallest < -highest + 3;
  const bool complex = parts_ == 2;

  long double want[2] = {0, 0};
  for (std::size_t part = 0; part < parts_; ++part)
    want[part] = std::scalbln(scaled[part], std::clamp<long>(oracle_.exponent[index], -40000, 40000));
  const std::span<const long double> value(want, parts_);
  if (!all_finite(scaled)) {
    const bool is_nan = std::isnan(scaled[0]);
    if (!is_nan && may_underflow) return unverifiable(product_underflow);
    // (∞ + 0i)·(1 + 0i) has a NaN part by the schoolbook formula: any complex result that is not finite is right.
    const bool pass = complex ? !all_finite(got) : same_or_nan(scaled[0], got[0]);
    return verdict_of(pass, pass ? 0 : NAN, 0);
  }
  const bool zero = modulus(scaled) == 0;
  if (may_overflow && (complex || zero || smallest < 0)) return unverifiable(product_overflow);
  // A complex product is off by √5·u at most (Brent, Percival and Zimmermann 2007), √8·u without fused steps.
  const double roundings = complex ? 3 * steps : steps;
  if (!(roundings * u < 0.01)) return unverifiable("n·u >= 0.01: the bound on the relative error says nothing");
  const long double relative = gamma(roundings, u) * (1 + result_.unit_roundoff) + result_.unit_roundoff;
  const long double slack = relative * 0x1p-10L;  // the oracle's own n roundings to 64 bits
  const long double lost = may_underflow || complex ? std::ldexp(steps * accumulator_.smallest * (complex ? 2 : 0.5),
                                                                 static_cast<int>(std::ceil(largest)))
                                                    : 0;
  const long double size = modulus(value);
  const long double smallest_normal =
      std::ldexp(static_cast<long double>(accumulator_.smallest), accumulator_.digits - 1);
  if (lost > 0.01L * size && lost > smallest_normal) return unverifiable(product_underflow);
  if (std::isinf(size)) {
    // Beyond even a long double: only infinity is right.
    const bool pass = got[0] == value[0];
    return verdict_of(pass, pass ? 0 : HUGE_VAL, 0);
  }
  return within(value, got, zero ? lost : (relative + slack) * size + lost + last_step());
}

}  // namespace rung
