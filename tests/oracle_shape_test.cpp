// The oracle on shapes: axes in every place, wide and long arrays, movers; right answers by index arithmetic.
#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "../kernels/problem.hpp"
#include "../reference/oracle.hpp"

namespace {

using namespace rung;

template <class T>
Oracle along(const std::vector<T>& in, Op op, const Shape& shape, std::vector<std::size_t> axes) {
  return oracle(reduce_problem(dtype_of<T>, shape, std::move(axes), op, Acc::wide), in.data());
}

template <class R>
std::vector<R> all(const Oracle& o) {
  CHECK(o.want.dtype == dtype_of<R>);
  std::vector<R> values(o.want.size());
  std::memcpy(values.data(), o.want.data.get(), values.size() * sizeof(R));
  return values;
}

}  // namespace

TEST_CASE("oracle: axes, for every place of the axis") {
  // value = 100·a + 10·b + c over shape 2 × 3 × 4
  std::vector<std::int32_t> v;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c) v.push_back(100 * a + 10 * b + c);
  const Shape shape{2, 3, 4};
  CHECK(all<std::int64_t>(along(v, Op::sum, shape, {0})) ==
        std::vector<std::int64_t>{100, 102, 104, 106, 120, 122, 124, 126, 140, 142, 144, 146});
  CHECK(all<std::int64_t>(along(v, Op::sum, shape, {1})) ==
        std::vector<std::int64_t>{30, 33, 36, 39, 330, 333, 336, 339});
  CHECK(all<std::int64_t>(along(v, Op::sum, shape, {2})) == std::vector<std::int64_t>{6, 46, 86, 406, 446, 486});
  CHECK(all<std::int64_t>(along(v, Op::argmax, shape, {1, 2})) == std::vector<std::int64_t>{11, 11});
  CHECK(all<std::int32_t>(along(v, Op::max, shape, {1})) ==
        std::vector<std::int32_t>{20, 21, 22, 23, 120, 121, 122, 123});
}

TEST_CASE("oracle: wide and long columns agree with the arithmetic series") {
  // Column c of row r holds r + c; over `rows` rows that sums to rows·(rows − 1)/2 + rows·c.
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{40000, 3}, {3, 40000}, {5000, 130}, {200000, 1}, {1, 9}}) {
    CAPTURE(rows);
    std::vector<float> v(rows * columns);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<float>(k / columns + k % columns);
    const Oracle o = along(v, Op::sum, {rows, columns}, {0});
    bool right = true;
    for (std::size_t c = 0; c < columns; ++c)
      right = right && o.exact[c] == static_cast<long double>(rows * (rows - 1) / 2 + rows * c);
    CHECK(right);
    const Oracle rowwise = along(v, Op::sum, {rows, columns}, {1});
    for (std::size_t r = 0; r < rows; ++r)
      right = right && rowwise.exact[r] == static_cast<long double>(columns * (columns - 1) / 2 + columns * r);
    CHECK(right);
  }
}

TEST_CASE("oracle: movers, by index arithmetic, for every element size") {
  const std::size_t a = 3, b = 5, c = 7;
  const auto run = [&]<class T>(DType dtype, T) {
    std::vector<T> in(a * b * c);
    for (std::size_t k = 0; k < in.size(); ++k) std::memset(&in[k], static_cast<int>(k + 1), sizeof(T));
    const auto byte = [](const Oracle& o, std::size_t k) {
      return std::to_integer<std::size_t>(o.want.data.get()[k * sizeof(T)]);
    };
    bool right = true;
    const Oracle t = oracle(transpose_problem(dtype, {a, b, c}, {2, 0, 1}), in.data());
    const Oracle r = oracle(reverse_problem(dtype, {a, b, c}, {}), in.data());
    const Oracle m = oracle(reverse_problem(dtype, {a, b, c}, {1}), in.data());
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t j = 0; j < b; ++j)
        for (std::size_t k = 0; k < c; ++k) {
          const std::size_t value = (i * b + j) * c + k + 1;
          right = right && byte(t, (k * a + i) * b + j) == value && byte(r, a * b * c - value) == value &&
                  byte(m, (i * b + b - 1 - j) * c + k) == value;
        }
    CHECK(right);
    CHECK(t.want.dtype == dtype);
    CHECK(t.want.size() == a * b * c);
  };
  run(DType::boolean, std::uint8_t{});
  run(DType::bf16, std::uint16_t{});
  run(DType::f32, std::uint32_t{});
  run(DType::c64, std::uint64_t{});
  run(DType::c128, Complex<double>{});
  CHECK(oracle(transpose_problem(DType::f64, {0, 4}, {1, 0}), nullptr).want.size() == 0);
}
