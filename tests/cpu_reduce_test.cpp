// What is particular to the native reductions: tails of vectors, lanes that hold NaN, ties at the borders of chunks,
// inputs that are nothing but the identity, and bits that depend neither on threads nor on the width of vectors.
#include "../kernels/machine/cpu/targets.hpp"
#include "../kernels/machine/device.hpp"
#include "../kernels/registry.hpp"

#include <doctest/doctest.h>
#include <hwy/targets.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace rung;

namespace {

using Bits = std::vector<std::byte>;

Device& device() {
  static const auto opened = open_device(Machine::cpu);
  return *opened;
}

Bits run(const Kernel& kernel, const Problem& p, const void* in) {
  const Plan plan = kernel.plan(p, {}, device().properties());
  REQUIRE(plan.refusal == "");
  Bits out(p.output_bytes(), std::byte{0xcd});
  const DeviceBuffer workspace(device(), plan.workspace);
  device().fill(workspace.get(), 0xcd, plan.workspace);
  kernel.run(p, {}, device().properties(), {in, out.data(), workspace.get()}, {});
  return out;
}

Problem slabs(DType dtype, Op op, Acc acc, std::size_t outer, std::size_t n, std::size_t inner) {
  return reduce_problem(dtype, {outer, n, inner}, {1}, op, acc);
}

template <class R>
R first(const Bits& bits) {
  R result;
  std::memcpy(&result, bits.data(), sizeof result);
  return result;
}

/// Calls check(kernel) for both kernels, on every instruction set that this processor and this
/// build have.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    for (const Kernel* kernel : kernels(Family::reduce, Machine::cpu)) {
      INFO(std::string(kernel->info().name) << " on " << std::string(hwy::TargetName(target)));
      check(*kernel);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// The result of a whole array. R: its type.
template <class R, class T>
R whole(const Kernel& kernel, const std::vector<T>& data, Op op, Acc acc = Acc::wide, DType dtype = dtype_of<T>) {
  return first<R>(run(kernel, slabs(dtype, op, acc, 1, data.size(), 1), data.data()));
}

/// The values of a type, from whole numbers and the special ones. Powers of two below 2^8 are exact in all.
template <class T>
T make(double v) {
  if constexpr (std::is_same_v<T, BF16>) {
    return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16)};
  } else if constexpr (std::is_same_v<T, F16>) {
    return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(v))};
  } else if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<std::uint8_t>(v != 0)};
  } else {
    return static_cast<T>(v);
  }
}

Bits noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  Bits data(bytes);
  for (auto& byte : data) byte = static_cast<std::byte>(random());
  return data;
}

}  // namespace

#define EVERY_ORDERED_TYPE                                                                                 \
  Bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, \
      std::uint64_t, F16, BF16, float, double

TEST_CASE_TEMPLATE("cpu reduce: sums have every length of tail", T, EVERY_ORDERED_TYPE) {
  using R = typename SumResult<T>::type;
  on_every_target([](const Kernel& kernel) {
    std::vector<T> data;
    long want = 0;
    for (std::size_t n = 1; n <= 1100; ++n) {
      const long v = static_cast<long>(n % 3) + (n % 64 == 5);
      data.push_back(make<T>(static_cast<double>(v)));
      want += std::is_same_v<T, Bool> ? v != 0 : v;
      if (n > 300 && n % 7 != 0) continue;
      if (whole<R>(kernel, data, Op::sum) != static_cast<R>(want)) FAIL_CHECK("n = " << n);
    }
  });
}

TEST_CASE_TEMPLATE("cpu reduce: an extreme is found at every place", T, EVERY_ORDERED_TYPE) {
  on_every_target([](const Kernel& kernel) {
    const std::size_t n = 517;
    std::vector<T> low(n, make<T>(0)), high(n, make<T>(1));
    for (std::size_t i = 0; i < n; ++i) {
      low[i] = make<T>(1);
      high[i] = make<T>(0);
      const bool right = value_of(whole<T>(kernel, low, Op::max)) == 1 &&
                         value_of(whole<T>(kernel, high, Op::min)) == 0 &&
                         whole<std::int64_t>(kernel, low, Op::argmax) == static_cast<std::int64_t>(i) &&
                         whole<std::int64_t>(kernel, high, Op::argmin) == static_cast<std::int64_t>(i);
      if (!right) FAIL_CHECK("place " << i);
      low[i] = make<T>(0);
      high[i] = make<T>(1);
    }
  });
}

TEST_CASE_TEMPLATE("cpu reduce: NaN is found in every lane, the first of two by its index", T, F16, BF16, float,
                   double) {
  on_every_target([](const Kernel& kernel) {
    const std::size_t n = 333;
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    std::vector<T> data(n, make<T>(2));
    data[n / 2] = make<T>(infinity);
    data[n / 3] = make<T>(-infinity);
    for (std::size_t i = 0; i < n; ++i) {
      auto spoilt = data;
      spoilt[i] = make<T>(nan);
      spoilt[n - 1] = make<T>(nan);
      bool right = true;
      for (const Op op : {Op::min, Op::max}) right &= is_nan(whole<T>(kernel, spoilt, op));
      for (const Op op : {Op::argmin, Op::argmax})
        right &= whole<std::int64_t>(kernel, spoilt, op) == static_cast<std::int64_t>(i);
      if (!right) FAIL_CHECK("place " << i);
    }
  });
}

TEST_CASE("cpu reduce: of equal values the first counts, across the borders of chunks and in columns") {
  const std::size_t chunk = std::size_t{1} << 14, n = 3 * chunk + 5;
  on_every_target([&](const Kernel& kernel) {
    std::vector<float> data(n, 1.0f);
    for (const Op op : {Op::argmin, Op::argmax}) CHECK(whole<std::int64_t>(kernel, data, op) == 0);
    for (const std::size_t place : {chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 3 * chunk, n - 2}) {
      auto peaks = data;
      peaks[place] = peaks[n - 1] = peaks[std::min(n - 1, place + chunk)] = 2.0f;
      CHECK(whole<std::int64_t>(kernel, peaks, Op::argmax) == static_cast<std::int64_t>(place));
    }
    data.assign(n, -0.0f);
    data[1] = data[chunk] = 0.0f;
    for (const Op op : {Op::argmin, Op::argmax}) CHECK(whole<std::int64_t>(kernel, data, op) == 0);

    // Three columns of 40,000 rows: rows are read side by side there, in parts of 128 times 170 rows.
    for (const std::size_t inner : {std::size_t{3}, std::size_t{600}}) {
      const std::size_t rows = 40000;
      for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{169}, std::size_t{170},
                                      std::size_t{511}, std::size_t{512}, std::size_t{21760}, rows - 2}) {
        std::vector<std::int8_t> table(rows * inner, std::int8_t{-3});
        table[place * inner + 2] = table[(rows - 1) * inner + 2] = 9;
        const Bits out = run(kernel, slabs(DType::i8, Op::argmax, Acc::wide, 1, rows, inner), table.data());
        std::vector<std::int64_t> got(inner), want(inner, 0);
        std::memcpy(got.data(), out.data(), out.size());
        want[2] = static_cast<std::int64_t>(place);
        CHECK(got == want);
      }
    }
  });
}

TEST_CASE_TEMPLATE("cpu reduce: rows and columns of every length and tail, with NaN among them", T,
                   EVERY_ORDERED_TYPE) {
  using Form = std::array<std::size_t, 3>;  // outer, n, inner
  enum class Data : std::uint8_t { whole, zeros, spoilt };
  std::vector<Form> forms;
  for (std::size_t n = 1; n <= 70; ++n) forms.push_back({131, n, 1});
  for (const std::size_t n : {127, 128, 129, 255, 256, 257, 300}) forms.push_back({131, n, 1});
  for (const std::size_t n : {1, 3, 4, 255, 257, 513})
    for (const std::size_t inner : {2, 17, 63, 255, 301, 513}) forms.push_back({1, n, inner});
  std::mt19937 random(3);
  for (const Form& form : forms)
    for (const Data kind : {Data::whole, Data::zeros, Data::spoilt}) {
      const bool spoilt = kind == Data::spoilt;
      if (kind != Data::whole && !is_float<T>) continue;
      const auto [outer, n, inner] = form;
      std::vector<T> data(outer * n * inner);
      for (T& v : data) {
        double whole = std::is_unsigned_v<T> || std::is_same_v<T, Bool> ? random() % 5 : random() % 9 - 4.0;
        if (kind == Data::zeros) whole = random() % 2 ? 0.0 : n % 2 ? 1.0 : -1.0;
        v = make<T>(spoilt && random() % (4 * n) == 0 ? std::nan("") : whole == 0 && random() % 2 ? -0.0 : whole);
      }
      std::vector<double> sum(outer * inner);
      std::vector<std::int64_t> least(sum.size()), greatest(sum.size());
      for (std::size_t k = 0; k < sum.size(); ++k) {
        const auto at = [&](std::size_t i) {
          return static_cast<double>(value_of(data[(k / inner * n + i) * inner + k % inner]));
        };
        double low = at(0), high = at(0);
        for (std::size_t i = 0; i < n; ++i) {
          const double v = at(i);
          sum[k] += v;
          if (v < low || (v != v && low == low)) low = v, least[k] = static_cast<std::int64_t>(i);
          if (v > high || (v != v && high == high)) high = v, greatest[k] = static_cast<std::int64_t>(i);
        }
      }
      std::map<Op, Bits> wants;
      on_every_target([&](const Kernel& kernel) {
        bool same_bits = true;
        const auto results = [&]<class R>(Op op, R) {
          const Bits bits = run(kernel, slabs(dtype_of<T>, op, Acc::wide, outer, n, inner), data.data());
          Bits& want = wants[op];
          if (want.empty()) want = bits;
          same_bits &= bits == want || (spoilt && (op == Op::sum || op == Op::mean));
          std::vector<R> got(sum.size());
          std::memcpy(got.data(), bits.data(), bits.size());
          return got;
        };
        using Mean = typename MonoidFor<Op::mean, T, Acc::wide>::R;
        const auto sums = results(Op::sum, typename SumResult<T>::type{});
        const auto means = results(Op::mean, Mean{});
        const auto mins = results(Op::min, T{}), maxima = results(Op::max, T{});
        const bool places =
            results(Op::argmin, std::int64_t{}) == least && results(Op::argmax, std::int64_t{}) == greatest;
        bool values = true;
        for (std::size_t k = 0; k < sum.size(); ++k) {
          const auto same = [&](T got, std::int64_t place) {
            const T want = data[(k / inner * n + static_cast<std::size_t>(place)) * inner + k % inner];
            return value_of(got) == value_of(want) || (is_nan(got) && is_nan(want));
          };
          values &= same(mins[k], least[k]) && same(maxima[k], greatest[k]);
          if (spoilt && sum[k] != sum[k])
            values &= is_nan(sums[k]) && is_nan(means[k]);
          else
            values &= static_cast<double>(sums[k]) == sum[k] &&
                      means[k] == static_cast<Mean>(static_cast<Mean>(sum[k]) / static_cast<Mean>(n));
        }
        if (!places || !values || !same_bits)
          FAIL_CHECK(outer << "x" << n << "x" << inner << ", data " << static_cast<int>(kind));
      });
    }
}

TEST_CASE_TEMPLATE("cpu reduce: inputs that are the identity", T, EVERY_ORDERED_TYPE) {
  on_every_target([](const Kernel& kernel) {
    for (const Op op : {Op::min, Op::max, Op::argmin, Op::argmax})
      for (const std::size_t n : {1, 33, 300, 20000}) {
        const bool greatest = op == Op::max || op == Op::argmax;
        const T identity = greatest ? order_identity<T, true>() : order_identity<T, false>();
        const std::vector<T> data(n, identity);
        if (op == Op::argmin || op == Op::argmax)
          CHECK(whole<std::int64_t>(kernel, data, op) == 0);
        else
          CHECK(value_of(whole<T>(kernel, data, op)) == value_of(identity));
      }
  });
}

TEST_CASE("cpu reduce: the sum of negative zeros is one") {
  on_every_target([](const Kernel& kernel) {
    for (const std::size_t n : {1, 2, 31, 33, 100, 1000, 20000})
      for (const std::size_t inner : {1, 2, 70, 700})
        for (const Acc acc : {Acc::wide, Acc::same}) {
          std::vector<float> data(n * inner, -0.0f);
          const Bits out = run(kernel, slabs(DType::f32, Op::sum, acc, 1, n, inner), data.data());
          for (std::size_t c = 0; c < inner; ++c) {
            float got;
            std::memcpy(&got, out.data() + c * sizeof got, sizeof got);
            if (!(got == 0 && std::signbit(got))) FAIL_CHECK("n " << n << ", column " << c << " of " << inner);
          }
        }
  });
}

TEST_CASE_TEMPLATE("cpu reduce: every element counts once, at the borders of all parts", T, std::int64_t, double) {
  const std::size_t chunk = std::size_t{1} << 14, side_by_side = 128 * 170, outer = 2;
  on_every_target([&](const Kernel& kernel) {
    for (const std::size_t inner : {std::size_t{1}, std::size_t{3}, std::size_t{300}, std::size_t{2100}})
      for (const std::size_t n : {std::size_t{511}, std::size_t{512}, std::size_t{513}, chunk - 1, chunk, chunk + 1,
                                  side_by_side - 1, side_by_side, side_by_side + 1, 3 * chunk + 7}) {
        if (n * inner > 200000 && n > 513) continue;
        std::vector<T> data(outer * n * inner);
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(i);
        const Bits out = run(kernel, slabs(dtype_of<T>, Op::sum, Acc::wide, outer, n, inner), data.data());
        std::vector<T> got(outer * inner), want(outer * inner);
        std::memcpy(got.data(), out.data(), out.size());
        for (std::size_t o = 0; o < outer; ++o)
          for (std::size_t c = 0; c < inner; ++c)
            want[o * inner + c] = static_cast<T>(n * (o * n * inner + c) + inner * (n * (n - 1) / 2));
        if (got != want) FAIL_CHECK("n " << n << ", inner " << inner);
      }
  });
}

TEST_CASE("cpu reduce: narrow accumulators wrap, wide ones do not") {
  on_every_target([](const Kernel& kernel) {
    const std::vector<std::int8_t> data(1000, std::int8_t{127});
    CHECK(whole<std::int64_t>(kernel, data, Op::sum, Acc::wide) == 127000);
    CHECK(whole<std::int64_t>(kernel, data, Op::sum, Acc::same) == static_cast<std::int8_t>(127000));
    CHECK(whole<double>(kernel, data, Op::mean, Acc::same) == 127.0);
    const std::vector<std::uint64_t> large(3, std::uint64_t{1} << 63);
    CHECK(whole<std::uint64_t>(kernel, large, Op::sum) == std::uint64_t{1} << 63);
    const std::vector<std::int16_t> lowest(std::size_t{1} << 15, std::numeric_limits<std::int16_t>::min());
    CHECK(whole<std::int64_t>(kernel, lowest, Op::sum) == -(std::int64_t{1} << 30));
    const std::vector<std::uint16_t> highest(std::size_t{1} << 15, std::uint16_t{65535});
    CHECK(whole<std::uint64_t>(kernel, highest, Op::sum) == std::uint64_t{65535} << 15);
  });
}

TEST_CASE("cpu reduce: 16-bit floats keep every finite value") {
  on_every_target([](const Kernel& kernel) {
    for (unsigned bits = 0; bits < 0x7c00; bits += 37) {
      const std::vector<F16> data(70, F16{static_cast<std::uint16_t>(bits)});
      const auto want = static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
      if (whole<F16>(kernel, data, Op::max).bits != bits || whole<F16>(kernel, data, Op::min).bits != bits)
        FAIL_CHECK("max or min of " << bits);
      const std::vector<F16> one(1, data[0]);
      if (whole<float>(kernel, one, Op::sum) != want) FAIL_CHECK("sum of " << bits);
      std::vector<F16> among(70, F16{0});
      among[3] = data[0];
      if (whole<float>(kernel, among, Op::sum) != want) FAIL_CHECK("sum of zeros and " << bits);
    }
  });
}

TEST_CASE("cpu reduce: the same bits on any number of threads and any width of vectors, from either kernel") {
  using Form = std::array<std::size_t, 3>;  // outer, n, inner
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128, DType::i32})
    for (const Op op : {Op::sum, Op::prod, Op::mean, Op::max})
      for (const Acc acc : {Acc::wide, Acc::same})
        for (const Form form : {Form{1, 200003, 1}, Form{9, 20001, 1}, Form{3001, 37, 1}, Form{300, 20, 1},
                                Form{1, 30011, 7}, Form{2, 1500, 300}, Form{1, 1100, 2100}}) {
          if (info(dtype).kind == Kind::complex && op == Op::max) continue;
          // Exponents of moderate size: no NaN, no overflow, and sums that round.
          const Problem p = slabs(dtype, op, acc, form[0], form[1], form[2]);
          Bits data = noise(p.input_bytes(), 5);
          const std::size_t real = size_of(dtype) / (info(dtype).kind == Kind::complex ? 2 : 1);
          if (!is_integer(dtype))
            for (std::size_t i = real - 1; i < data.size(); i += real)
              data[i] = (data[i] & std::byte{0x80}) | std::byte{0x3c};
          std::map<std::int64_t, Bits> wants;
          std::size_t different = 0;
          for (const int threads : {1, 2, 7}) {
            const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                              static_cast<std::size_t>(threads));
            tbb::task_arena arena(threads);
            arena.execute([&] {
              on_every_target([&](const Kernel& kernel) {
                const Bits got = run(kernel, p, data.data());
                // Wider instruction sets may fuse the steps of a complex product.
                Bits& want = wants[op == Op::prod && info(dtype).kind == Kind::complex ? hwy::SupportedTargets() : 0];
                if (want.empty()) want = got;
                different += got != want;
              });
            });
          }
          CHECK_MESSAGE(different == 0, std::string(name_of(op)) << " of " << std::string(name_of(dtype)) << ", "
                                                                 << form[0] << "x" << form[1] << "x" << form[2]);
        }
}
