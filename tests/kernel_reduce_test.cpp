// Every reduction kernel on whole arrays: types x operations x accumulators x sizes x data, on every machine here.
#include "kernel_matrix.hpp"

#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>

using namespace rung;
using namespace rung::test;

namespace {

// Around a warp, around the blocks of 256 and 512 that kernels have by default, several blocks, primes.
constexpr std::array<std::size_t, 16> sizes{0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1024, 1025, 4099, 7919};

/// These kernels end in an atomic on the result, which hardware does not have for every type; they say so.
constexpr std::array<std::string_view, 3> may_refuse_types{"atomic", "shared-atomic", "coarse-atomic"};

bool claims_all_types(const Kernel& kernel) {
  return std::find(may_refuse_types.begin(), may_refuse_types.end(), kernel.info().name) == may_refuse_types.end();
}

/// What they are for: sums of any accumulator, and all that fits in 8 bytes, as no value with its index does.
bool has_atomic(Op op, DType dtype, Acc acc) {
  if (op == Op::argmin || op == Op::argmax) return false;
  const bool wide = dtype == DType::c128 || (dtype == DType::c64 && acc == Acc::wide);
  return op != Op::prod || !wide;
}

}  // namespace

TEST_SUITE_BEGIN("reduce kernels");

TEST_CASE("whole arrays: every type, operation, accumulator, size and kind of data") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    each_reduction([&](Op op, DType dtype, Acc acc) {
      std::size_t ran = 0;
      for (const std::size_t n : sizes) {
        if (!meaningful(op, dtype, n)) continue;
        const Problem p = reduce_problem(dtype, {n}, {}, op, acc);
        // Several blocks take most of the time: beyond, random data and one other kind, each of them over the types and
        // operations.
        const auto kinds = data_for(dtype);
        const Data other = kinds[(n + static_cast<std::size_t>(op) + static_cast<std::size_t>(dtype)) % kinds.size()];
        for (const Data data : kinds) {
          if (n > 1025 && data != Data::random && data != other) continue;
          const auto in = make_data(dtype, data, n, op, static_cast<unsigned>(data));
          ran += check_reduction(kernel, p, in, std::string(name_of(data)), tally);
        }
      }
      const bool takes = claims_all_types(kernel) || has_atomic(op, dtype, acc);
      if (takes != (ran != 0))
        tally.failed(describe(reduce_problem(dtype, {1}, {}, op, acc)) + (takes ? " never ran" : " ran"));
    });
    CHECK_MESSAGE(tally.runs() > 0, subject(kernel), " ran nothing");
  });
}

TEST_CASE("whole arrays: every launch shape is run right or refused with a reason") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    for (const unsigned block : {0u, 1u, 32u, 33u, 64u, 96u, 128u, 256u, 512u, 1024u, 2048u})
      for (const unsigned grid : {0u, 1u, 3u, 130u})
        for (const unsigned items : {0u, 1u, 2u, 4u, 5u})
          for (const std::size_t n : std::array<std::size_t, 5>{0, 1, 33, 1025, 5003})
            for (const auto& [op, dtype] :
                 {std::pair{Op::sum, DType::i32}, {Op::argmax, DType::f32}, {Op::sum, DType::c128}}) {
              if (!meaningful(op, dtype, n)) continue;
              const Problem p = reduce_problem(dtype, {n}, {}, op, Acc::wide);
              const std::string shape = "block " + std::to_string(block) + ", grid " + std::to_string(grid) +
                                        ", items " + std::to_string(items);
              check_reduction(kernel, p, make_data(dtype, Data::random, n, op, block), shape, tally,
                              {.launch = {block, grid, items}});
            }
    CHECK_MESSAGE(tally.runs() > 0, subject(kernel), " ran nothing");
  });
}

TEST_CASE("input and output need the alignment of one element only") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    each_reduction([&](Op op, DType dtype, Acc acc) {
      for (const std::size_t n : std::array<std::size_t, 3>{1, 31, 1027}) {
        const Problem p = reduce_problem(dtype, {n}, {}, op, acc);
        check_reduction(kernel, p, make_data(dtype, Data::random, n, op, 5), "misaligned", tally, {.misaligned = true});
      }
      for (const std::size_t axis : {0u, 1u, 2u}) {
        const Problem p = reduce_problem(dtype, {3, 70, 24}, {axis}, op, acc);
        const auto data = make_data(dtype, Data::random, 3 * 70 * 24, op, 5);
        check_reduction(kernel, p, data, "misaligned, axis " + std::to_string(axis), tally, {.misaligned = true});
      }
    });
  });
}

TEST_CASE("min, max and their places find a single value of bool wherever it stands") {
  each_kernel(Family::reduce, [](const Kernel& kernel) {
    Tally tally(subject(kernel));
    for (const Op op : {Op::min, Op::max, Op::argmin, Op::argmax})
      for (std::size_t at = 0; at < 48; ++at) {
        const std::byte sought{op == Op::max || op == Op::argmax};
        std::vector<std::byte> in(48, sought ^ std::byte{1});
        in[at] = sought;
        check_reduction(kernel, reduce_problem(DType::boolean, {48}, {}, op, Acc::wide), in,
                        "element " + std::to_string(at), tally);
      }
  });
}

TEST_CASE("whole arrays: what stands before the first 16-byte boundary leaves no tile, or nothing behind the last") {
  each_kernel(Family::reduce, [](const Kernel& kernel) {
    Tally tally(subject(kernel));
    const RunOptions options{.launch = {.block = 32, .grid = 0, .items = 0}, .misaligned = true};
    for (const DType dtype : {DType::u8, DType::i16, DType::i32, DType::f64})
      for (const Op op : {Op::sum, Op::argmax}) {
        // Four vectors of a thread are a tile; an element past the boundary before, `count` - 1 stand before the next.
        const std::size_t count = 16 / size_of(dtype), tile = 32 * 4 * count;
        for (const std::size_t n : {tile + 1, 2 * tile + count - 1})
          check_reduction(kernel, reduce_problem(dtype, {n}, {}, op, Acc::wide),
                          make_data(dtype, Data::random, n, op, 8), "misaligned", tally, options);
      }
  });
}

TEST_CASE("whole arrays: the same bits again, whatever memory held before") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    each_reduction([&](Op op, DType dtype, Acc acc) {
      if (kernel.info().atomic_order && (op == Op::mean || !is_integer(dtype))) return;  // adds floats in any order
      for (const std::size_t n : std::array<std::size_t, 3>{1, 777, 5003}) {
        const Problem p = reduce_problem(dtype, {n}, {}, op, acc);
        const auto in = make_data(dtype, Data::random, n, op, 9);
        const Outcome once = run_guarded(kernel, p, in, {.sentinel = 0x00}),
                      again = run_guarded(kernel, p, in, {.sentinel = 0xff});
        if (!once.plan) continue;
        tally.ran();
        if (once.out != again.out || !once.fault.empty())
          tally.failed(describe(p) + " differs from run to run " + once.fault);
      }
    });
  });
}

TEST_CASE("each place of global memory is one thread's, on sim") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    if (kernel.machine() != Machine::sim) return;
    const WatchGlobalMemory watch;
    Tally tally(subject(kernel));
    for (const auto& [op, dtype] : {std::pair{Op::sum, DType::i32}, {Op::max, DType::u8}, {Op::argmin, DType::f64}}) {
      for (const std::size_t n : std::array<std::size_t, 4>{1, 33, 1025, 20011})
        check_reduction(kernel, reduce_problem(dtype, {n}, {}, op, Acc::wide), make_data(dtype, Data::random, n, op, 2),
                        "watched", tally);
      for (const std::size_t axis : {0u, 1u, 2u})
        check_reduction(kernel, reduce_problem(dtype, {3, 170, 24}, {axis}, op, Acc::wide),
                        make_data(dtype, Data::random, 3 * 170 * 24, op, 2), "watched, axis " + std::to_string(axis),
                        tally);
    }
  });
}

TEST_CASE("every shape has a kernel on every machine") {
  for (const Machine machine : machines())
    for (const Shape& shape :
         {Shape{1, 100, 1}, {1, 0, 1}, {3, 100, 1}, {1, 100, 3}, {3, 100, 5}, {3, 0, 5}, {0, 3, 0}})
      each_reduction([&](Op op, DType dtype, Acc acc) {
        if (!meaningful(op, dtype, shape[1])) return;
        const Problem p = reduce_problem(dtype, shape, {1}, op, acc);
        const auto all = kernels(Family::reduce, machine);
        const bool taken =
            std::any_of(all.begin(), all.end(), [&](const Kernel* k) { return static_cast<bool>(plan_of(*k, p)); });
        if (!taken) FAIL_CHECK(name_of(machine), ": no kernel for ", describe(p));
      });
}

TEST_CASE("min and max of -0.0 alone are -0.0, whatever reduces them") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    for (const DType dtype : {DType::f16, DType::f32, DType::f64})
      for (const Op op : {Op::min, Op::max})
        for (const std::size_t n : std::array<std::size_t, 5>{1, 31, 300, 512, 5000})
          for (const bool rows : {false, true}) {
            const std::size_t results = rows ? 2 : 1, size = size_of(dtype);
            std::vector<std::byte> in(results * n * size), want(results * size);
            for (std::size_t k = size; k <= in.size(); k += size) in[k - 1] = std::byte{0x80};
            for (std::size_t k = size; k <= want.size(); k += size) want[k - 1] = std::byte{0x80};
            const Problem p = rows ? reduce_problem(dtype, {2, n}, {1}, op, Acc::same)
                                   : reduce_problem(dtype, {n}, {}, op, Acc::same);
            const Outcome outcome = run_guarded(kernel, p, in);
            if (outcome.refusal.empty())
              CHECK_MESSAGE(outcome.out == want, subject(kernel), ", ", info(dtype).name, ", ", n, " elements");
          }
  });
}

TEST_SUITE_END();
