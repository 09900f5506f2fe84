// Sums, means and products of floats. Sums are carried as an unevaluated pair hi + lo (Knuth's TwoSum, Ogita, Rump
// and Oishi 2005, Sum2): in f64 lanes over stretches of at most 2^18 elements, then in long double, so that S is good
// to about 2^-95 · A before it is rounded to a long double. A complex sum is two real ones, side by side.
#include "elements.hpp"
#include "oracle_parts.hpp"
#include "sweep.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace rung {
namespace {

/// hi + x exactly, as the rounded sum in hi and the error added to lo.
template <class R>
void two_sum(R& hi, R& lo, R x) {
  const R sum = hi + x, part = sum - hi;
  lo += (hi - (sum - part)) + (x - part);
  hi = sum;
}

struct SumCell {
  // Starting at -0.0, hi is -0.0 at the end only when every element is.
  long double hi = -0.0L, lo = 0, magnitude = 0;
  bool nan = false, plus_infinity = false, minus_infinity = false;

  void add(long double x) {
    if (std::isfinite(x)) {
      two_sum(hi, lo, x);
      magnitude += std::fabs(x);
    } else {
      nan |= std::isnan(x);
      plus_infinity |= x > 0;
      minus_infinity |= x < 0;
    }
  }
  void merge(const SumCell& later) {
    two_sum(hi, lo, later.hi);
    lo += later.lo;
    magnitude += later.magnitude;
    nan |= later.nan;
    plus_infinity |= later.plus_infinity;
    minus_infinity |= later.minus_infinity;
  }
  long double value() const {
    if (nan || (plus_infinity && minus_infinity)) return std::numeric_limits<long double>::quiet_NaN();
    if (plus_infinity || minus_infinity) return plus_infinity ? HUGE_VALL : -HUGE_VALL;
    return magnitude == 0 ? hi : hi + lo;
  }
};

/// Independent sums side by side, so that the compiler can use SIMD and the error grows with a lane's length only.
class Lanes {
 public:
  explicit Lanes(std::size_t count) : count_(count) {
    for (std::size_t k = 0; k < count; ++k) hi_[k] = -0.0, lo_[k] = magnitude_[k] = 0;
  }
  template <class T>
  void add(const T* in, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const double x = number(in[k]);
      two_sum(hi_[k], lo_[k], x);
      magnitude_[k] += std::fabs(x);
    }
  }
  /// False when an element was not finite or the sums came near to overflow: then nothing here is of use.
  bool sound() const {
    for (std::size_t k = 0; k < count_; ++k)
      if (!(magnitude_[k] < 0x1p1000)) return false;
    return true;
  }
  /// Lane k belongs to column k % width.
  void drain(SumCell* cells, std::size_t width) const {
    for (std::size_t k = 0; k < count_; ++k) {
      SumCell& cell = cells[k % width];
      two_sum(cell.hi, cell.lo, static_cast<long double>(hi_[k]));
      cell.lo += static_cast<long double>(lo_[k]);
      cell.magnitude += static_cast<long double>(magnitude_[k]);
    }
  }

 private:
  std::size_t count_;
  double hi_[strip_width], lo_[strip_width], magnitude_[strip_width];
};

template <class T>
void fold_sum_stretch(const T* in, SumCell* cells, const Block& b) {
  const bool contiguous = b.width == b.stride;
  // Whole rows lie one behind the other: several of them are taken in one step.
  const std::size_t rows_a_step =
      contiguous ? std::clamp<std::size_t>(b.rows / 8, 1, std::max<std::size_t>(1, strip_width / b.width)) : 1;
  const std::size_t step = rows_a_step * b.width;
  Lanes lanes(step);
  std::size_t row = 0;
  for (; row + rows_a_step <= b.rows; row += rows_a_step) lanes.add(in + b.start + row * b.stride, step);
  for (; row < b.rows; ++row) lanes.add(in + b.start + row * b.stride, b.width);
  if (lanes.sound()) return lanes.drain(cells, b.width);
  for (std::size_t r = 0; r < b.rows; ++r)
    for (std::size_t c = 0; c < b.width; ++c)
      cells[c].add(static_cast<long double>(number(in[b.start + r * b.stride + c])));
}

template <class T>
void fold_sum(const T* in, SumCell* cells, Block b) {
  constexpr std::size_t most = std::size_t{1} << 18;
  const std::size_t rows = std::max<std::size_t>(1, most / b.width), end = b.row + b.rows;
  while (b.row < end) {
    b.rows = std::min(rows, end - b.row);
    fold_sum_stretch(in, cells, b);
    b.row += b.rows;
    b.start += b.rows * b.stride;
  }
}

/// parts: 1, or 2 for complex, whose parts are then columns of T.
template <class T>
void sum_oracle(const Problem& p, const T* in, std::size_t parts, Oracle& oracle) {
  const std::size_t outputs = p.output_elements();
  const auto divisor = static_cast<long double>(p.op == Op::mean ? p.n : 1);
  oracle.exact.resize(outputs * parts);
  std::vector<long double> part_magnitude(outputs * parts);
  const auto store = [&](std::size_t place, const SumCell& cell) {
    const long double value = p.n == 0 ? 0 : cell.value() / divisor;
    oracle.exact[place] = value;
    part_magnitude[place] = cell.magnitude / divisor;
    if (size_of(oracle.want.dtype) / parts == sizeof(float))
      reinterpret_cast<float*>(oracle.want.data.get())[place] = static_cast<float>(value);
    else
      reinterpret_cast<double*>(oracle.want.data.get())[place] = static_cast<double>(value);
  };
  sweep<SumCell>(
      {p.outer, p.n, p.inner * parts}, [in](SumCell* cells, const Block& b) { fold_sum(in, cells, b); }, store);
  for (std::size_t k = 0; k < outputs && parts == 2; ++k)
    part_magnitude[k] = std::hypot(part_magnitude[2 * k], part_magnitude[2 * k + 1]);
  part_magnitude.resize(outputs);
  oracle.magnitude = std::move(part_magnitude);
}

/// value · 2^exponent, never out of range. Elements move the exponent by at most 1100, so that 8000 leaves room.
struct Scaled {
  long double re = 1, im = 0;
  long exponent = 0;

  long double size() const { return std::fmax(std::fabs(re), std::fabs(im)); }
  void normalise() {
    if (size() == 0) return;
    const int shift = std::ilogb(size()) + 1;
    re = std::scalbn(re, -shift);
    im = std::scalbn(im, -shift);
    exponent += shift;
  }
  void multiply(long double x) {
    re *= x;
    im *= x;
    if (!(size() < 0x1p8000L && size() > 0x1p-8000L)) normalise();
  }
  void multiply(long double x, long double y) {
    const long double old = re;
    re = old * x - im * y;
    im = old * y + im * x;
    if (!(size() < 0x1p8000L && size() > 0x1p-8000L)) normalise();
  }
  void merge(Scaled later) {
    normalise();
    later.normalise();
    multiply(later.re, later.im);
    exponent += later.exponent;
  }
  double log2_size() {
    normalise();
    return static_cast<double>(std::log2(std::hypot(re, im))) + static_cast<double>(exponent);
  }
};

struct ProductCell {
  Scaled product;       // of all finite elements but zeros
  Scaled large, small;  // of those above 1 and those below 1 in modulus
  bool nan = false, infinite = false, zero = false;
  bool negative = false;  // real: the sign of the product of zeros and infinities

  void add(long double re, long double im) {
    const bool is_zero = re == 0 && im == 0, is_nan = std::isnan(re) || std::isnan(im);
    if (is_zero || is_nan || std::isinf(re) || std::isinf(im)) {
      nan |= is_nan;
      zero |= is_zero;
      infinite |= !is_zero && !is_nan;
      negative ^= std::signbit(re);
      return;
    }
    const long double modulus = im == 0 ? std::fabs(re) : std::hypot(re, im);
    if (im == 0)
      product.multiply(re);
    else
      product.multiply(re, im);
    (modulus > 1 ? large : small).multiply(modulus);
  }
  void merge(const ProductCell& later) {
    product.merge(later.product);
    large.merge(later.large);
    small.merge(later.small);
    nan |= later.nan;
    infinite |= later.infinite;
    zero |= later.zero;
    negative ^= later.negative;
  }
  Scaled value() const {
    Scaled result = product;
    result.normalise();
    if (!nan && !infinite && !zero) return result;
    const long double nothing = std::numeric_limits<long double>::quiet_NaN();
    const long double limit = nan || (zero && infinite) ? nothing : zero ? 0.0L : HUGE_VALL;
    return {negative != std::signbit(result.re) ? -limit : limit, 0, 0};
  }
};

/// x · 2^exponent in the result type: rounded once, infinite or zero beyond its range.
long double unscaled(long double x, long exponent) {
  return std::scalbln(x, std::clamp<long>(exponent, -40000, 40000));
}

template <class T>
void product_oracle(const Problem& p, const T* in, Oracle& oracle) {
  constexpr bool complex = std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;
  constexpr std::size_t parts = complex ? 2 : 1;
  const std::size_t outputs = p.output_elements();
  oracle.exact.resize(outputs * parts);
  oracle.exponent.resize(outputs);
  oracle.log2_largest.resize(outputs);
  oracle.log2_smallest.resize(outputs);
  const auto add = [](ProductCell& cell, T v, std::size_t) {
    if constexpr (complex)
      cell.add(v.re, v.im);
    else
      cell.add(number(v), 0);
  };
  sweep<ProductCell>({p.outer, p.n, p.inner}, each_element<T, ProductCell>(in, add),
                     [&](std::size_t output, ProductCell cell) {
                       const Scaled value = cell.value();
                       oracle.exponent[output] = value.exponent;
                       oracle.log2_largest[output] = cell.large.log2_size();
                       oracle.log2_smallest[output] = cell.small.log2_size();
                       for (std::size_t part = 0; part < parts; ++part) {
                         const long double x = part == 0 ? value.re : value.im;
                         const long double rounded = unscaled(x, value.exponent);
                         const std::size_t place = output * parts + part;
                         oracle.exact[place] = x;
                         if (size_of(oracle.want.dtype) / parts == sizeof(float))
                           reinterpret_cast<float*>(oracle.want.data.get())[place] = static_cast<float>(rounded);
                         else
                           reinterpret_cast<double*>(oracle.want.data.get())[place] = static_cast<double>(rounded);
                       }
                     });
}

}  // namespace

void float_oracle(const Problem& p, const void* in, Oracle& oracle) {
  visit_dtype(p.dtype, [&]<class T>() {
    const T* elements = static_cast<const T*>(in);
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, Bool>) {
      return;
    } else if (p.op == Op::prod) {
      product_oracle(p, elements, oracle);
    } else if constexpr (std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>) {
      sum_oracle(p, &elements->re, 2, oracle);
    } else {
      sum_oracle(p, elements, 1, oracle);
    }
  });
}

}  // namespace rung
