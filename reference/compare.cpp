#include "compare.hpp"

#include "closeness.hpp"
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
  std::size_t furthest = 0;   ///< the failure furthest from what is wanted
  long double distance = -1;  ///< of it
  double error = 0, bound = 0, ratio = -1;
  const char* why = nullptr;

  void add(std::size_t index, const Judgement& j) {
    if (j.verdict == Verdict::unverifiable) {
      ++open;
      why = why ? why : j.why;
      return;
    }
    if (j.verdict == Verdict::fail) {
      if (fails++ < shown) first[fails - 1] = index;
      further(index, j.error);
    }
    const auto error = static_cast<double>(j.error);
    const double share = std::isnan(error)                     ? std::numeric_limits<double>::infinity()
                         : j.verdict == Verdict::fail          ? std::fmax(error / j.bound, 1.0)
                         : j.bound > 0 && !std::isinf(j.bound) ? error / j.bound
                                                               : 0;
    worst(error, j.bound, share);
  }
  void join(const Tally& later) {
    for (std::size_t k = 0; k < std::min(later.fails, shown) && fails + k < shown; ++k)
      first[fails + k] = later.first[k];
    fails += later.fails;
    open += later.open;
    why = why ? why : later.why;
    worst(later.error, later.bound, later.ratio);
    further(later.furthest, later.distance);
  }

 private:
  void worst(double e, double b, double share) {
    if (share > ratio) error = e, bound = b, ratio = share;
  }
  void further(std::size_t index, long double d) {
    if (std::isnan(d) ? !std::isnan(distance) : d > distance) furthest = index, distance = d;
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
long double difference(const Parts& a, const Parts& b) {
  const auto apart = [](long double p, long double q) { return p == q ? 0.0L : p - q; };
  return std::hypot(apart(a.re, b.re), apart(a.im, b.im));
}

/// The same value: NaN equals NaN, zeros of either sign are equal.
bool same_value(DType dtype, const void* a, const void* b, std::size_t index) {
  const auto same = [](long double x, long double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  const Parts x = parts_of(dtype, a, index), y = parts_of(dtype, b, index);
  return same(x.re, y.re) && same(x.im, y.im);
}

/// As diff counts: NaN is equal to NaN, in one part of a complex number too.
Mismatch measured(DType dtype, const void* got, const void* want, std::size_t index) {
  Parts x = parts_of(dtype, got, index), y = parts_of(dtype, want, index);
  drop_equal_nonfinite(x, y);
  Mismatch m;
  m.index = index;
  m.absolute = difference(x, y);
  const long double size = std::hypot(y.re, y.im);
  if (size > 0 && std::isfinite(size) && !std::isnan(m.absolute)) m.relative = m.absolute / size;
  return m;
}

/// Judges by `equal`, which most elements are, and measures the others.
template <class Equal, class Measure>
Tally tally_equal(DType dtype, std::size_t count, const void* got, const void* want, const Equal& equal,
                  const Measure& measure) {
  const std::size_t size = size_of(dtype);
  const auto same_bits = [&](std::size_t first, std::size_t last) {
    return std::memcmp(static_cast<const std::byte*>(got) + first * size,
                       static_cast<const std::byte*>(want) + first * size, (last - first) * size) == 0;
  };
  const auto judge = [&](std::size_t index) -> Judgement {
    if (same_bits(index, index + 1) || equal(index)) return {};
    return {Verdict::fail, measure(index), 0, nullptr};
  };
  return tally(count, judge, same_bits);
}

/// Whether the distance in ulp decides. An infinity is a step from the largest value, but no approximation of it; zeros
/// of both signs are no step apart, and differ where none is allowed.
bool may_be_steps(const Parts& p, const Parts& q, std::uint64_t max_ulp) {
  const auto may_be = [&](long double s, long double t) {
    return (std::isnan(s) && std::isnan(t)) || (s == t && std::signbit(s) == std::signbit(t)) ||
           (max_ulp > 0 && !std::isinf(s) && !std::isinf(t));
  };
  return may_be(p.re, q.re) && may_be(p.im, q.im);
}

Comparison report(const Tally& t, DType dtype, const void* got, const void* want, std::string note) {
  Comparison c;
  c.verdict = t.fails ? Verdict::fail : t.open ? Verdict::unverifiable : Verdict::pass;
  c.mismatches = t.fails;
  c.error = t.error;
  c.bound = t.bound;
  c.note = c.verdict == Verdict::unverifiable ? t.why : std::move(note);
  const auto mismatch = [&](std::size_t index) {
    Mismatch m = measured(dtype, got, want, index);
    m.got = element_text(dtype, got, index);
    m.want = element_text(dtype, want, index);
    m.ulp = ulp_distance(dtype, got, want, index);
    return m;
  };
  for (std::size_t k = 0; k < std::min(t.fails, shown); ++k) c.first.push_back(mismatch(t.first[k]));
  if (t.fails) c.worst = mismatch(t.furthest);
  return c;
}

}  // namespace

Comparison compare(const Problem& p, const Oracle& oracle, const void* got, double chain, bool exact_data) {
  const DType dtype = oracle.want.dtype;
  const void* want = oracle.want.data.get();
  const std::size_t count = p.output_elements();
  const auto never = [](std::size_t) { return false; };
  const auto measure = [&](std::size_t index) {
    return difference(parts_of(dtype, got, index), parts_of(dtype, want, index));
  };
  if (p.family != Family::reduce)
    return report(tally_equal(dtype, count, got, want, never, measure), dtype, got, want, "bit for bit");
  const bool ordering = p.op == Op::min || p.op == Op::max;
  if (ordering && info(dtype).kind == Kind::floating) {
    const auto equal = [&](std::size_t index) { return same_value(dtype, got, want, index); };
    return report(tally_equal(dtype, count, got, want, equal, measure), dtype, got, want,
                  "the same value; any NaN is NaN");
  }
  if (oracle.exact.empty())
    return report(tally_equal(dtype, count, got, want, never, measure), dtype, got, want, "bit for bit");
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

Comparison compare_arrays(const HostArray& a, const HostArray& b, const Tolerance& tolerance) {
  // Integers and bools are exact: a unit in their last place is a wrong result.
  const std::uint64_t max_ulp = is_integer(a.dtype) ? 0 : tolerance.max_ulp;
  std::optional<Closeness> close;
  if (tolerance.rtol || tolerance.atol) close.emplace(tolerance, a.dtype);
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
    if (close && close->holds(p, q)) return true;
    if (!may_be_steps(p, q, max_ulp)) return false;
    const auto steps = ulp_distance(a.dtype, x, y, index);
    return steps && *steps <= max_ulp;
  };
  const auto measure = [&](std::size_t index) { return measured(a.dtype, x, y, index).absolute; };
  const Tally t = tally_equal(a.dtype, a.size(), x, y, equal, measure);
  return report(t, a.dtype, x, y, close || max_ulp > 0 ? "within the tolerance" : "bit for bit, NaN equal to NaN");
}

}  // namespace rung
