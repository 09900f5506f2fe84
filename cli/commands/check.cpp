#include "check.hpp"

#include "../../reference/compare.hpp"
#include "../../reference/reference.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace rung::cli {
namespace {

bool integral(double v) { return std::isfinite(v) && v == std::trunc(v); }
bool integral(F16 v) { return integral(to_float(v)); }
bool integral(BF16 v) { return integral(to_float(v)); }
template <class T>
bool integral(Complex<T> v) {
  return integral(v.re) && integral(v.im);
}

template <class T>
bool all_integral(const T* data, std::size_t count) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, std::size_t{1} << 16), true,
      [data](const tbb::blocked_range<std::size_t>& range, bool so_far) {
        for (std::size_t i = range.begin(); so_far && i < range.end(); ++i) so_far = integral(data[i]);
        return so_far;
      },
      std::logical_and<>());
}

/// Bits of the narrowest accumulator in use for a type (design §4): a sum of integers below 2^bits never rounds.
int accumulator_bits(DType dtype) { return dtype == DType::f64 || dtype == DType::c128 ? 53 : 24; }

RowVerdict verdict_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return RowVerdict::pass;
    case Verdict::unverifiable:
      return RowVerdict::unverifiable;
    case Verdict::fail:
      break;
  }
  return RowVerdict::fail;
}

void judge_into(Row& row, const Comparison& found, bool after_timing) {
  row.verdict = verdict_of(found.verdict);
  row.mismatches = found.mismatches;
  row.first = found.first;
  // Of what no bound could judge, those of the results that one could say nothing.
  if (found.verdict == Verdict::unverifiable) {
    row.error = row.bound = std::nullopt;
    row.note = found.note;
    return;
  }
  row.error = found.error;
  row.bound = found.bound;
  if (found.verdict == Verdict::fail && after_timing) row.note = "right at first, wrong after the timed runs";
}

Comparison compare_result(Execution& execution, const Plan& plan, const Judge& judge) {
  const Bytes got = execution.result();
  return compare(execution.problem(), judge.oracle, got.get(), plan.chain, judge.exact_data);
}

std::vector<Row> check_references(Run& run, Device& device, Execution& execution, const Judge& judge) {
  std::vector<Row> rows;
  const Problem& p = execution.problem();
  for (const Reference* reference : references(device.machine())) {
    const Plan plan = reference->plan(p, {}, device.properties());
    if (!plan) {
      Row row;
      row.kind = RowKind::reference;
      row.name = reference->name();
      row.verdict = RowVerdict::skipped;
      row.note = plan.refusal;
      rows.push_back(std::move(row));
      continue;
    }
    Row row = check_one(execution, *reference, plan, {}, judge);
    row.kind = RowKind::reference;
    row.name = reference->call(p);
    for (const std::string& remark :
         {reference->difference(p), std::string(reference->synchronises(p) ? "waits for the device in each call" : "")})
      if (!remark.empty()) row.note += (row.note.empty() ? "" : "; ") + remark;
    run.references.push_back({reference->name(), reference->version()});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::optional<double>> speedups(const Row& kernel, const std::vector<Row>& references) {
  std::vector<std::optional<double>> ratios;
  for (const Row& reference : references) {
    if (reference.verdict == RowVerdict::skipped) continue;
    const bool comparable = reference.seconds && kernel.seconds && *kernel.seconds > 0 && *reference.seconds > 0;
    ratios.push_back(comparable ? std::optional(*reference.seconds / *kernel.seconds) : std::nullopt);
  }
  return ratios;
}

}  // namespace

bool every_order_agrees(const Problem& p, const void* input, const Oracle& oracle) {
  const Kind kind = info(p.dtype).kind;
  if (p.family != Family::reduce || p.op != Op::sum || (kind != Kind::floating && kind != Kind::complex)) return false;
  const long double most = std::ldexp(1.0L, accumulator_bits(p.dtype));
  if (!std::all_of(oracle.magnitude.begin(), oracle.magnitude.end(), [&](long double a) { return a <= most; }))
    return false;
  return visit_dtype(p.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, Bool>)
      return false;
    else
      return all_integral(static_cast<const T*>(input), p.input_elements());
  });
}

Judge make_judge(const Problem& problem, const void* input) {
  Judge judge{oracle(problem, input), false};
  judge.exact_data = every_order_agrees(problem, input, judge.oracle);
  return judge;
}

Row check_one(Execution& execution, const Runnable& what, const Plan& plan, const Launch& launch, const Judge& judge) {
  Row row;
  row.launch = plan.launch;
  execution.spoil_output();
  const double once = execution.run(what, plan, launch);
  const bool timed = execution.problem().input_elements() != 0 && execution.problem().output_elements() != 0;
  judge_into(row, compare_result(execution, plan, judge), false);
  if (row.verdict == RowVerdict::fail || !timed) return row;
  if (execution.simulated()) {
    row.seconds = once;
    return row;
  }
  const double seconds = execution.measure(what, plan, launch);
  judge_into(row, compare_result(execution, plan, judge), true);
  if (row.verdict != RowVerdict::fail) row.seconds = seconds;
  return row;
}

bool check_all(Run& run, Device& device, Execution& execution, const Selection& selection, const Launch& launch,
               const Judge& judge, const io::Progress& progress) {
  const std::size_t all = selection.run.size() + 1;  // the references are one step
  std::size_t done = 0;
  if (progress) progress(done++, all);
  const std::vector<Row> references = check_references(run, device, execution, judge);
  bool right = true;
  for (const Selected& selected : selection.run) {
    if (progress) progress(done++, all);
    Row row = check_one(execution, *selected.kernel, selected.plan, launch, judge);
    row.name = selected.kernel->info().name;
    row.speedup = speedups(row, references);
    right = right && row.verdict != RowVerdict::fail;
    run.rows.push_back(std::move(row));
  }
  if (progress) progress(all, all);
  run.rows.insert(run.rows.end(), references.begin(), references.end());
  for (const auto& [name, reason] : selection.skipped) {
    Row row;
    row.name = name;
    row.verdict = RowVerdict::skipped;
    row.note = reason;
    run.rows.push_back(std::move(row));
  }
  return right;
}

}  // namespace rung::cli
