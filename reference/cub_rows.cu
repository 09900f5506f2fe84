// cub::DeviceSegmentedReduce::Sum, Min and Max along rows.
#include "cub_rows.cuh"

namespace rung {
namespace {

using Reduce = cub::DeviceSegmentedReduce;

template <class T, Op op, Acc acc>
cudaError_t rows(const CubArguments& a, std::size_t& bytes) {
  const auto* in = static_cast<const library_type<T>*>(a.in);
  const auto count = static_cast<std::int64_t>(a.rows);
  return with_rows(a, [&](auto... segments) {
    if constexpr (op == Op::sum) {
      using A = library_accumulator<T, acc>;
      auto* out = static_cast<library_result<T>*>(a.out);
      if constexpr (std::is_same_v<A, library_result<T>> && !is_half<T>)
        return Reduce::Sum(a.workspace, bytes, in, out, count, segments..., a.stream);
      else
        return Reduce::Reduce(a.workspace, bytes, in, out, count, segments..., cuda::std::plus<A>{}, A{}, a.stream);
    } else {
      auto* out = static_cast<library_type<T>*>(a.out);
      if constexpr (op == Op::min)
        return Reduce::Min(a.workspace, bytes, in, out, count, segments..., a.stream);
      else
        return Reduce::Max(a.workspace, bytes, in, out, count, segments..., a.stream);
    }
  });
}

template <class T, Acc acc>
void add_sum(CubTable& table) {
  constexpr bool plain = std::is_same_v<library_accumulator<T, acc>, library_result<T>> && !is_half<T>;
  table.at(CubTable::rows, Op::sum, dtype_of<T>, acc) = {
      &rows<T, Op::sum, acc>, plain ? "cub::DeviceSegmentedReduce::Sum"
                                    : "cub::DeviceSegmentedReduce::Reduce with cuda::std::plus of the accumulator"};
}

}  // namespace

void add_cub_segments(CubTable& table) {
  each_type(RowTypes{}, [&]<class T>() {
    add_sum<T, Acc::wide>(table);
    if constexpr (std::is_same_v<library_accumulator<T, Acc::wide>, library_accumulator<T, Acc::same>>)
      table.at(CubTable::rows, Op::sum, dtype_of<T>, Acc::same) =
          table.at(CubTable::rows, Op::sum, dtype_of<T>, Acc::wide);
    else
      add_sum<T, Acc::same>(table);
    for (const Acc acc : {Acc::wide, Acc::same}) {
      table.at(CubTable::rows, Op::min, dtype_of<T>, acc) = {&rows<T, Op::min, Acc::wide>,
                                                             "cub::DeviceSegmentedReduce::Min"};
      table.at(CubTable::rows, Op::max, dtype_of<T>, acc) = {&rows<T, Op::max, Acc::wide>,
                                                             "cub::DeviceSegmentedReduce::Max"};
    }
  });
}

}  // namespace rung
