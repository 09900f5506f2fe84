#include "oracle.hpp"

#include "elements.hpp"
#include "oracle_parts.hpp"
#include "sweep.hpp"

#include <cstring>
#include <limits>

namespace rung {
namespace {

// Integers modulo 2^64. Arithmetic modulo 2^w for a narrower accumulator is the same, cut to w bits at the end.
struct WrappedSum {
  std::uint64_t value = 0;
  void add(std::uint64_t x) { value += x; }
  void merge(const WrappedSum& later) { value += later.value; }
};
struct WrappedProduct {
  std::uint64_t value = 1;
  void add(std::uint64_t x) { value *= x; }
  void merge(const WrappedProduct& later) { value *= later.value; }
};

/// Holds 2^63 values of 64 bits.
struct ExactSum {
  __int128 value = 0;
  unsigned __int128 magnitude = 0;
  void merge(const ExactSum& later) {
    value += later.value;
    magnitude += later.magnitude;
  }
};

/// What an accumulator as wide as the element holds, widened to 64 bits.
template <class T>
std::uint64_t narrowed(std::uint64_t value) {
  if constexpr (std::is_same_v<T, Bool>)
    return static_cast<std::uint8_t>(value);
  else
    return static_cast<std::uint64_t>(static_cast<T>(value));
}

template <class Cell, class T>
void wrapped(const Problem& p, const T* in, Oracle& oracle) {
  auto* want = reinterpret_cast<std::uint64_t*>(oracle.want.data.get());
  sweep<Cell>(
      {p.outer, p.n, p.inner},
      each_element<T, Cell>(in, [](Cell& cell, T v, std::size_t) { cell.add(static_cast<std::uint64_t>(number(v))); }),
      [&](std::size_t output, const Cell& cell) {
        want[output] = p.acc == Acc::same ? narrowed<T>(cell.value) : cell.value;
      });
}

template <class T>
void integer_mean(const Problem& p, const T* in, Oracle& oracle) {
  auto* want = reinterpret_cast<double*>(oracle.want.data.get());
  oracle.exact.resize(p.output_elements());
  oracle.magnitude.resize(p.output_elements());
  const auto add = [](ExactSum& cell, T v, std::size_t) {
    const auto x = static_cast<__int128>(number(v));
    cell.value += x;
    cell.magnitude += static_cast<unsigned __int128>(x < 0 ? -x : x);
  };
  sweep<ExactSum>({p.outer, p.n, p.inner}, each_element<T, ExactSum>(in, add),
                  [&](std::size_t output, const ExactSum& cell) {
                    const auto n = static_cast<long double>(p.n);
                    oracle.exact[output] = static_cast<long double>(cell.value) / n;
                    oracle.magnitude[output] = static_cast<long double>(cell.magnitude) / n;
                    want[output] = static_cast<double>(oracle.exact[output]);
                  });
}

/// The first place that no other place goes before. NaN goes before every number.
template <class Value>
struct Best {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t index = none;
  Value value{};
  bool max = false;

  bool yields_to(Value x) const {
    if (index == none) return true;
    if (value != value) return false;
    return x != x || (max ? x > value : x < value);
  }
  void take(Value x, std::size_t at) {
    if (yields_to(x)) value = x, index = at;
  }
  void merge(const Best& later) {
    if (later.index != none) take(later.value, later.index);
  }
};

template <class T>
void locate(const Problem& p, const T* in, Oracle& oracle) {
  using Value = decltype(number(T{}));
  const bool max = p.op == Op::max || p.op == Op::argmax, value_wanted = p.op == Op::min || p.op == Op::max;
  const auto add = [max](Best<Value>& best, T v, std::size_t at) {
    best.max = max;
    best.take(number(v), at);
  };
  sweep<Best<Value>>({p.outer, p.n, p.inner}, each_element<T, Best<Value>>(in, add),
                     [&](std::size_t output, const Best<Value>& best) {
                       const std::size_t outer = output / p.inner, column = output % p.inner;
                       std::byte* want = oracle.want.data.get();
                       const T* found = in + (outer * p.n + best.index) * p.inner + column;
                       if (value_wanted && std::is_same_v<T, Bool>)
                         reinterpret_cast<std::uint8_t*>(want)[output] = best.value != 0;
                       else if (value_wanted)
                         reinterpret_cast<T*>(want)[output] = *found;
                       else
                         reinterpret_cast<std::int64_t*>(want)[output] = static_cast<std::int64_t>(best.index);
                     });
}

template <std::size_t size>
struct Word {
  std::byte bytes[size];
};

/// Output positions [first, last): the coordinates count up like an odometer, the source follows by strides.
template <class W>
void move_range(const Move& move, const W* in, W* out, std::size_t first, std::size_t last) {
  const std::size_t rank = move.shape.size();
  std::vector<std::size_t> at(rank);
  std::ptrdiff_t source = move.base;
  for (std::size_t k = rank, rest = first; k-- > 0; rest /= move.shape[k]) {
    at[k] = rest % move.shape[k];
    source += static_cast<std::ptrdiff_t>(at[k]) * move.strides[k];
  }
  for (std::size_t i = first; i < last; ++i) {
    out[i] = in[source];
    for (std::size_t k = rank; k-- > 0;) {
      source += move.strides[k];
      if (++at[k] < move.shape[k]) break;
      source -= static_cast<std::ptrdiff_t>(move.shape[k]) * move.strides[k];
      at[k] = 0;
    }
  }
}

template <std::size_t size>
void move_all(const Problem& p, const void* in, void* out) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, p.output_elements(), 4096), [&](const auto& range) {
    move_range(p.move, static_cast<const Word<size>*>(in), static_cast<Word<size>*>(out), range.begin(), range.end());
  });
}

}  // namespace

void integer_oracle(const Problem& p, const void* in, Oracle& oracle) {
  visit_dtype(p.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, Bool>) {
      const T* elements = static_cast<const T*>(in);
      if (p.op == Op::mean)
        integer_mean(p, elements, oracle);
      else if (p.op == Op::prod)
        wrapped<WrappedProduct>(p, elements, oracle);
      else
        wrapped<WrappedSum>(p, elements, oracle);
    }
  });
}

void order_oracle(const Problem& p, const void* in, Oracle& oracle) {
  visit_dtype(p.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, Complex<float>> && !std::is_same_v<T, Complex<double>>)
      locate(p, static_cast<const T*>(in), oracle);
  });
}

void move_oracle(const Problem& p, const void* in, Oracle& oracle) {
  void* out = oracle.want.data.get();
  switch (size_of(p.dtype)) {
    case 1:
      return move_all<1>(p, in, out);
    case 2:
      return move_all<2>(p, in, out);
    case 4:
      return move_all<4>(p, in, out);
    case 8:
      return move_all<8>(p, in, out);
    default:
      return move_all<16>(p, in, out);
  }
}

Oracle oracle(const Problem& p, const void* in) {
  Oracle result;
  result.want.dtype = p.output_dtype();
  result.want.shape = {p.output_elements()};
  result.want.data = allocate_bytes(p.output_bytes());
  if (p.family != Family::reduce)
    move_oracle(p, in, result);
  else if (p.op != Op::sum && p.op != Op::prod && p.op != Op::mean)
    order_oracle(p, in, result);
  else if (is_integer(p.dtype))
    integer_oracle(p, in, result);
  else
    float_oracle(p, in, result);
  return result;
}

}  // namespace rung
