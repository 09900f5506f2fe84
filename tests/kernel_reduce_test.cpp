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

constexpr std::array all_ops{Op::sum, Op::prod, Op::min, Op::max, Op::mean, Op::argmin, Op::argmax};

// Around a warp, around the blocks of 256 and 512 that kernels have by default, several blocks, primes.
constexpr std::array<std::size_t, 16> sizes{0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1024, 1025, 4099, 7919};

/// These kernels end in an atomic on the result, which hardware does not have for every type; they say so.
constexpr std::array<std::string_view, 3> may_refuse_types{"atomic", "shared-atomic", "coarse-atomic"};

bool claims_all_types(const Kernel& kernel) {
  return std::find(may_refuse_types.begin(), may_refuse_types.end(), kernel.info().name) == may_refuse_types.end();
}

std::string subject(const Kernel& kernel) {
  return std::string(name_of(kernel.machine())) + " " + std::string(kernel.info().name);
}

/// What they are for: sums of any accumulator, and all that fits in 8 bytes, as no value with its index does.
bool has_atomic(Op op, DType dtype, Acc acc) {
  if (op == Op::argmin || op == Op::argmax) return false;
  const bool wide = dtype == DType::c128 || (dtype == DType::c64 && acc == Acc::wide);
  return op != Op::prod || !wide;
}

bool meaningful(Op op, DType dtype, std::size_t n) {
  const bool adds = op == Op::sum || op == Op::prod || op == Op::mean;
  if (info(dtype).kind == Kind::complex && !adds) return false;
  return n > 0 || op == Op::sum || op == Op::prod;
}

/// Visits every (operation, type, accumulator); min, max and arg are the same either way, so once.
void each_reduction(const std::function<void(Op, DType, Acc)>& visit) {
  for (const Op op : all_ops) {
    const bool adds = op == Op::sum || op == Op::prod || op == Op::mean;
    for (const DTypeInfo& type : dtype_table)
      for (const Acc acc : {Acc::wide, Acc::same})
        if ((adds || acc == Acc::wide) && meaningful(op, type.dtype, 1)) visit(op, type.dtype, acc);
  }
}

void each_kernel(const std::function<void(const Kernel&)>& visit) {
  for (const Machine machine : machines())
    for (const Kernel* kernel : chosen(Family::reduce, machine)) visit(*kernel);
}

}  // namespace

TEST_SUITE_BEGIN("reduce kernels");

TEST_CASE("whole arrays: every type, operation, accumulator, size and kind of data") {
  each_kernel([&](const Kernel& kernel) {
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
  each_kernel([&](const Kernel& kernel) {
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
  each_kernel([&](const Kernel& kernel) {
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

TEST_CASE("whole arrays: the same bits again, whatever memory held before") {
  each_kernel([&](const Kernel& kernel) {
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

TEST_CASE("along an axis: outer, inner and middle, long and short") {
  constexpr std::array<std::array<std::size_t, 3>, 19> shapes{{{1, 1, 5},
                                                               {5, 1, 1},
                                                               {1, 7, 3},
                                                               {3, 7, 1},
                                                               {3, 7, 5},
                                                               {2, 1025, 1},
                                                               {1, 1025, 2},
                                                               {2, 513, 3},
                                                               {517, 3, 1},
                                                               {1, 3, 517},
                                                               {129, 33, 1},
                                                               {1, 33, 129},
                                                               {33, 31, 32},
                                                               {1, 5003, 1},
                                                               {7, 64, 64},
                                                               {2, 2, 2},
                                                               {3, 4099, 1},
                                                               {1, 2, 4099},
                                                               {4099, 2, 1}}};
  each_kernel([&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    each_reduction([&](Op op, DType dtype, Acc acc) {
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        const auto [outer, n, inner] = shapes[k];
        const Problem p = reduce_problem(dtype, {outer, n, inner}, {1}, op, acc);
        if (const Plan plan = plan_of(kernel, p); !plan) {
          tally.refused(plan.refusal);
          continue;  // before data is made, which takes longer than all else
        }
        const auto kinds = data_for(dtype);
        // Each shape meets every kind of data over the operations and types; not every one in each.
        const Data data = kinds[(k + static_cast<std::size_t>(op) + static_cast<std::size_t>(dtype)) % kinds.size()];
        for (const Data each : {Data::random, data})
          check_reduction(kernel, p, make_data(dtype, each, outer * n * inner, op, static_cast<unsigned>(k)),
                          std::string(name_of(each)), tally);
      }
    });
  });
}

TEST_CASE("each place of global memory is one thread's, on sim") {
  each_kernel([&](const Kernel& kernel) {
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

TEST_CASE("along an axis: no rows, no columns, no elements") {
  each_kernel([&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    for (const DTypeInfo& type : dtype_table)
      for (const Op op : {Op::sum, Op::prod, Op::mean})
        for (const Shape& shape : {Shape{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}, {0, 5, 0}}) {
          if (op == Op::mean && shape[1] == 0 && shape[0] * shape[2] != 0) continue;
          check_reduction(kernel, reduce_problem(type.dtype, shape, {1}, op, Acc::wide), {}, "empty", tally);
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

TEST_SUITE_END();

TEST_CASE("min and max of -0.0 alone are -0.0, whatever reduces them") {
  each_kernel([&](const Kernel& kernel) {
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

TEST_CASE("along an axis: rows enough to give each a warp, one more than fills blocks") {
  each_kernel([&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    const std::size_t rows = 8 * std::size_t{device(kernel.machine())->properties().multiprocessors} + 1;
    for (const auto& [op, dtype] :
         {std::pair{Op::sum, DType::i32}, {Op::sum, DType::u8}, {Op::max, DType::f64}, {Op::argmin, DType::f32}})
      for (const std::size_t bytes : std::array<std::size_t, 3>{2064, 2120, 6152}) {
        const std::size_t n = bytes / size_of(dtype);
        const Problem p = reduce_problem(dtype, {rows, n}, {1}, op, Acc::wide);
        if (const Plan plan = plan_of(kernel, p); !plan) {
          tally.refused(plan.refusal);
          continue;
        }
        check_reduction(kernel, p, make_data(dtype, Data::random, rows * n, op, 4), std::to_string(n) + " a row",
                        tally);
      }
  });
}
