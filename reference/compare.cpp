#include "compare.hpp"

#include "elements.hpp"
#include "judge.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace rung {
namespace {

constexpr std::size_t shown = 5;

/// What a stretch of results amounts to; stretches are joined in order.
struct Tally {
  std::size_t fails = 0, open = 0;
  std::array<std::size_t, shown> first{};
  double error = 0, bound = 0, ratio = -1;
  const char* why = nullptr;

  void add(std::size_t index, const Judgement& j) {
    if (j.verdict == Verdict::unverifiable) {
      ++open;
      why = why ? why : j.why;
      return;
    }
    if (j.verdict == Verdict::fail && fails++ < shown) first[fails - 1] = index;
    const double share = std::isnan(j.error)                   ? std::numeric_limits<double>::infinity()
                         : j.verdict == Verdict::fail          ? std::fmax(j.error / j.bound, 1.0)
                         : j.bound > 0 && !std::isinf(j.bound) ? j.error / j.bound
                                                               : 0;
    worst(j.error, j.bound, share);
  }
  void join(const Tally& later) {
    for (std::size_t k = 0; k < std::min(later.fails, shown) && fails + k < shown; ++k)
      first[fails + k] = later.first[k];
    fails += later.fails;
    open += later.open;
    why = why ? why : later.why;
    worst(later.error, later.bound, later.ratio);
  }

 private:
  void worst(double e, double b, double share) {
    if (share > ratio) error = e, bound = b, ratio = share;
  }
};

/// judge(index) of every result, on all cores and joined the same way each time, but for stretches of which
/// passes(first, last) holds.
template <class JudgeOne, class Passes>
Tally tally(std::size_t count, const JudgeOne& judge, const Passes& passes) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::size_t>(0, count, 1 << 13), Tally{},
      [&](const tbb::blocked_range<std::size_t>& range, Tally sum) {
        if (passes(range.begin(), range.end())) return sum;
        for (std::size_t index = range.begin(); index != range.end(); ++index) sum.add(index, judge(index));
        return sum;
      },
      [](Tally earlier, const Tally& later) {
        earlier.join(later);
        return earlier;
      });
}

/// |a − b|, by modulus for complex; 0 where both are the same infinity, NaN where one is not a number.
double difference(DType dtype, const void* a, const void* b, std::size_t index) {
  const Parts x = parts_of(dtype, a, index), y = parts_of(dtype, b, index);
  const auto apart = [](long double p, long double q) { return p == q ? 0.0L : p - q; };
  return static_cast<double>(std::hypot(apart(x.re, y.re), apart(x.im, y.im)));
}

/// The same value: NaN equals NaN, zeros of either sign are equal.
bool same_value(DType dtype, const void* a, const void* b, std::size_t index) {
  const auto same = [](long double x, long double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  const Parts x = parts_of(dtype, a, index), y = parts_of(dtype, b, index);
  return same(x.re, y.re) && same(x.im, y.im);
}

/// Judges by `equal`, which most elements are, and measures the others.
template <class Equal>
Tally tally_equal(DType dtype, std::size_t count, const void* got, const void* want, const Equal& equal) {
  const std::size_t size = size_of(dtype);
  const auto same_bits = [&](std::size_t first, std::size_t last) {
    return std::memcmp(static_cast<const std::byte*>(got) + first * size,
                       static_cast<const std::byte*>(want) + first * size, (last - first) * size) == 0;
  };
  const auto judge = [&](std::size_t index) -> Judgement {
    if (same_bits(index, index + 1) || equal(index)) return {};
    return {Verdict::fail, difference(dtype, got, want, index), 0, nullptr};
  };
  return tally(count, judge, same_bits);
}

Comparison report(const Tally& t, DType dtype, const void* got, const void* want, std::string note) {
  Comparison c;
  c.verdict = t.fails ? Verdict::fail : t.open ? Verdict::unverifiable : Verdict::pass;
  c.mismatches = t.fails;
  c.error = t.error;
  c.bound = t.bound;
  c.note = c.verdict == Verdict::unverifiable ? t.why : std::move(note);
  for (std::size_t k = 0; k < std::min(t.fails, shown); ++k) {
    const std::size_t index = t.first[k];
    c.first.push_back({index, element_text(dtype, got, index), element_text(dtype, want, index),
                       ulp_distance(dtype, got, want, index)});
  }
  return c;
}

}  // namespace

Comparison compare(const Problem& p, const Oracle& oracle, const void* got, double chain, bool exact_data) {
  const DType dtype = oracle.want.dtype;
  const void* want = oracle.want.data.get();
  const std::size_t count = p.output_elements();
  const auto never = [](std::size_t) { return false; };
  if (p.family != Family::reduce)
    return report(tally_equal(dtype, count, got, want, never), dtype, got, want, "bit for bit");
  const bool ordering = p.op == Op::min || p.op == Op::max;
  if (ordering && info(dtype).kind == Kind::floating) {
    const auto equal = [&](std::size_t index) { return same_value(dtype, got, want, index); };
    return report(tally_equal(dtype, count, got, want, equal), dtype, got, want, "the same value; any NaN is NaN");
  }
  if (oracle.exact.empty()) return report(tally_equal(dtype, count, got, want, never), dtype, got, want, "bit for bit");
  const Judge judge(p, oracle, chain, exact_data);
  const std::size_t parts = info(dtype).kind == Kind::complex ? 2 : 1;
  const auto judge_one = [&](std::size_t index) {
    const Parts value = parts_of(dtype, got, index);
    const long double both[2] = {value.re, value.im};
    return judge(index, {both, parts});
  };
  const Tally t = tally(count, judge_one, [](std::size_t, std::size_t) { return false; });
  return report(t, dtype, got, want, judge.rule());
}

Comparison compare_arrays(const HostArray& a, const HostArray& b, double max_ulp) {
  // Integers and bools are exact: a unit in their last place is a wrong result.
  if (is_integer(a.dtype)) max_ulp = 0;
  Comparison c;
  c.verdict = Verdict::fail;
  if (a.dtype != b.dtype) {
    c.note = "dtype " + std::string(name_of(a.dtype)) + " against " + std::string(name_of(b.dtype));
    return c;
  }
  if (a.shape != b.shape) {
    c.note = "shape " + to_string(a.shape) + " against " + to_string(b.shape);
    return c;
  }
  const void *x = a.data.get(), *y = b.data.get();
  const auto equal = [&](std::size_t index) {
    const Parts p = parts_of(a.dtype, x, index), q = parts_of(a.dtype, y, index);
    const auto close = [&](long double s, long double t) {
      // An infinity is a step from the largest value, but no approximation of it.
      return (std::isnan(s) && std::isnan(t)) || (s == t && std::signbit(s) == std::signbit(t)) ||
             (max_ulp > 0 && !std::isinf(s) && !std::isinf(t));
    };
    return close(p.re, q.re) && close(p.im, q.im) && ulp_distance(a.dtype, x, y, index) <= max_ulp;
  };
  const Tally t = tally_equal(a.dtype, a.size(), x, y, equal);
  return report(t, a.dtype, x, y, max_ulp > 0 ? "within the tolerance in ulp" : "bit for bit, NaN equal to NaN");
}

}  // namespace rung
