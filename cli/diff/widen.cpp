#include "widen.hpp"

#include <type_traits>

namespace rung::cli {
namespace {

template <class T>
double wide(T value) {
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>)
    return to_float(value);
  else
    return value;
}

}  // namespace

bool widen_to_one_type(DType a, DType b) {
  const Kind kind = info(a).kind;
  return kind == info(b).kind && (kind == Kind::floating || kind == Kind::complex);
}

HostArray widened(HostArray array) {
  const DType to = info(array.dtype).kind == Kind::complex ? DType::c128 : DType::f64;
  if (array.dtype == to) return array;
  HostArray result{to, array.shape, allocate_bytes(byte_count(array.shape, to))};
  visit_dtype(array.dtype, [&]<class T>() {
    const auto* from = reinterpret_cast<const T*>(array.data.get());
    for (std::size_t i = 0; i < array.size(); ++i) {
      if constexpr (std::is_same_v<T, Complex<float>>)
        reinterpret_cast<Complex<double>*>(result.data.get())[i] = {from[i].re, from[i].im};
      else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, F16> || std::is_same_v<T, BF16>)
        reinterpret_cast<double*>(result.data.get())[i] = wide(from[i]);
    }
  });
  return result;
}

}  // namespace rung::cli
