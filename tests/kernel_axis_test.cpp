// Every reduction kernel along an axis: types x operations x accumulators x shapes x data, on every machine here.
#include "kernel_matrix.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace rung;
using namespace rung::test;

TEST_SUITE_BEGIN("reduce kernels");

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
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
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

TEST_CASE("along an axis: rows of whole vectors, of each length that is read another way") {
  constexpr std::array<std::array<std::size_t, 3>, 14> shapes{{{67, 16, 1},
                                                               {131, 32, 1},
                                                               {41, 64, 1},
                                                               {67, 112, 1},
                                                               {35, 128, 1},
                                                               {21, 272, 1},
                                                               {19, 400, 1},
                                                               {9, 528, 1},
                                                               {5, 1040, 1},
                                                               {3, 4112, 1},
                                                               {1, 16384, 1},
                                                               {1, 4, 520},
                                                               {2, 16, 260},
                                                               {3, 40, 66}}};
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    each_reduction([&](Op op, DType dtype, Acc acc) {
      const bool locates = op == Op::argmin || op == Op::argmax;
      const auto kinds = data_for(dtype);
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        const auto [outer, n, inner] = shapes[k];
        const Problem p = reduce_problem(dtype, {outer, n, inner}, {1}, op, acc);
        if (const Plan plan = plan_of(kernel, p); !plan) {
          tally.refused(plan.refusal);
          continue;
        }
        const auto check = [&](Data data, const RunOptions& options) {
          check_reduction(kernel, p, make_data(dtype, data, outer * n * inner, op, static_cast<unsigned>(k)),
                          std::string(name_of(data)), tally, options);
        };
        // Places depend on the data most.
        const std::size_t turn = k + static_cast<std::size_t>(op) + static_cast<std::size_t>(dtype);
        for (std::size_t d = 0; d < kinds.size(); ++d)
          if (locates || d == turn % kinds.size()) check(kinds[d], {});
        if (locates || k % 3 == 0) check(Data::random, {.misaligned = true});
      }
    });
  });
}

TEST_CASE("along an axis: no rows, no columns, no elements") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    for (const DTypeInfo& type : dtype_table)
      for (const Op op : {Op::sum, Op::prod, Op::mean})
        for (const Shape& shape : {Shape{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}, {0, 5, 0}}) {
          if (op == Op::mean && shape[1] == 0 && shape[0] * shape[2] != 0) continue;
          check_reduction(kernel, reduce_problem(type.dtype, shape, {1}, op, Acc::wide), {}, "empty", tally);
        }
  });
}

TEST_CASE("along an axis: a split that ends with one element, not at a boundary") {
  // 257 parts of 4097 elements are 256 of 4112, the next multiple of 16, and one element; the second row begins one
  // element past a boundary.
  each_kernel(Family::reduce, [](const Kernel& kernel) {
    Tally tally(subject(kernel));
    const std::size_t n = 256 * 4112 + 1;
    const Problem p = reduce_problem(DType::i32, {2, n}, {1}, Op::sum, Acc::wide);
    if (const Plan plan = plan_of(kernel, p); !plan) return tally.refused(plan.refusal);
    check_reduction(kernel, p, make_data(DType::i32, Data::random, 2 * n, Op::sum, 6), "one element left", tally);
  });
}

TEST_CASE("along an axis: rows enough to give each a warp, one more than fills blocks") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
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

TEST_CASE("along an axis: columns enough to give each load a thread, and fewer") {
  each_kernel(Family::reduce, [&](const Kernel& kernel) {
    Tally tally(subject(kernel));
    const std::size_t threads = 2048 * std::size_t{device(kernel.machine())->properties().multiprocessors};
    const auto check = [&](Op op, DType dtype, const Shape& shape, const RunOptions& options = {}) {
      const Problem p = reduce_problem(dtype, shape, {1}, op, Acc::wide);
      if (const Plan plan = plan_of(kernel, p, options.launch); !plan) return tally.refused(plan.refusal);
      check_reduction(kernel, p, make_data(dtype, Data::random, element_count(shape), op, 5), to_string(shape), tally,
                      options);
    };
    for (const auto& [op, dtype] : {std::pair{Op::sum, DType::u8}, {Op::argmax, DType::f16}})
      for (const Shape& shape : {Shape{1, 17, 4 * threads + 4},
                                 {2, 16, 2 * threads},
                                 {1, 15, 4 * threads},
                                 {1, 16, threads + 1},
                                 {1, 16, 4 * threads - 4}})
        check(op, dtype, shape);
    const Shape wide{1, 16, 4 * threads};
    check(Op::max, DType::f64, {1, 16, 2 * threads});
    check(Op::sum, DType::u8, wide, {.misaligned = true});
    check(Op::sum, DType::u8, wide, {.launch = {.block = 1024, .grid = 0, .items = 0}});
  });
}

TEST_SUITE_END();
