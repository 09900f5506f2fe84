// From axes as typed to problems and result shapes, as NumPy has them.
#include "../cli/commands/work.hpp"
#include "../kernels/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace rung;
using namespace rung::cli;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string axes_refusal(const RunOptions& options, const Shape& shape) {
  try {
    plan_work(options, DType::f32, shape);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("reductions have the result shapes of NumPy") {
  struct Row {
    std::vector<std::ptrdiff_t> axes;
    bool keepdims;
    Shape result;
    std::size_t outer, n, inner;
    bool gathers;
  };
  for (const Row& row : std::vector<Row>{{{}, false, {}, 1, 120, 1, false},
                                         {{}, true, {1, 1, 1, 1}, 1, 120, 1, false},
                                         {{0}, false, {3, 4, 5}, 1, 2, 60, false},
                                         {{-1}, false, {2, 3, 4}, 24, 5, 1, false},
                                         {{1}, true, {2, 1, 4, 5}, 2, 3, 20, false},
                                         {{2, 1}, false, {2, 5}, 2, 12, 5, false},
                                         {{3, 0}, false, {3, 4}, 12, 10, 1, true},
                                         {{0, 2}, true, {1, 3, 1, 5}, 15, 8, 1, true}}) {
    RunOptions o;
    o.axes = row.axes;
    o.keepdims = row.keepdims;
    const Work work = plan_work(o, DType::f32, {2, 3, 4, 5});
    CHECK(work.result_shape == row.result);
    CHECK(work.main.outer == row.outer);
    CHECK(work.main.n == row.n);
    CHECK(work.main.inner == row.inner);
    CHECK(work.gather.has_value() == row.gathers);
  }
}

TEST_CASE("axes out of range, named twice or too few are usage errors") {
  RunOptions o;
  for (const std::ptrdiff_t axis : {2, -3}) {
    o.axes = {axis};
    CHECK(contains(axes_refusal(o, {4, 4}), "out of range"));
  }
  o.axes = {1, -1};
  CHECK(contains(axes_refusal(o, {4, 4}), "twice"));
  o.axes = {0};
  CHECK(contains(axes_refusal(o, {}), "out of range"));
  o.family = Family::transpose;
  CHECK(contains(axes_refusal(o, {4, 4}), "names 1 axis; the array has 2"));
  o.axes = {-1, 0};
  CHECK(plan_work(o, DType::f32, {3, 4}).result_shape == Shape{4, 3});
  o.axes = {};
  CHECK(plan_work(o, DType::f32, {2, 3, 4}).result_shape == Shape{4, 3, 2});
}
