// cub::DeviceSegmentedReduce::ArgMin and ArgMax along rows.
#include "cub_rows.cuh"

namespace rung {

/// An output iterator that keeps the index of CUB's (index, value) pair, as the 64 bits that rung asks for.
class IndexOnly {
 public:
  struct Slot {
    std::int64_t* place;
    template <class Pair>
    __host__ __device__ const Slot& operator=(const Pair& pair) const {
      if constexpr (requires { pair.key; })
        *place = pair.key;
      else
        *place = pair.first;
      return *this;
    }
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Slot;

  explicit IndexOnly(std::int64_t* place) : place_(place) {}
  __host__ __device__ Slot operator*() const { return {place_}; }
  __host__ __device__ Slot operator[](std::ptrdiff_t k) const { return {place_ + k}; }
  __host__ __device__ IndexOnly& operator+=(std::ptrdiff_t k) {
    place_ += k;
    return *this;
  }
  __host__ __device__ IndexOnly operator+(std::ptrdiff_t k) const { return IndexOnly(place_ + k, 0); }

 private:
  __host__ __device__ IndexOnly(std::int64_t* place, int) : place_(place) {}
  std::int64_t* place_;
};

namespace {

template <class T, bool max>
cudaError_t locate(const CubArguments& a, std::size_t& bytes) {
  const auto* in = static_cast<const library_type<T>*>(a.in);
  const IndexOnly out(static_cast<std::int64_t*>(a.out));
  const auto count = static_cast<std::int64_t>(a.rows);
  return with_rows(a, [&](auto... segments) {
    if constexpr (max)
      return cub::DeviceSegmentedReduce::ArgMax(a.workspace, bytes, in, out, count, segments..., a.stream);
    else
      return cub::DeviceSegmentedReduce::ArgMin(a.workspace, bytes, in, out, count, segments..., a.stream);
  });
}

}  // namespace

void add_cub_segments_locating(CubTable& table) {
  each_type(RowTypes{}, [&]<class T>() {
    for (const Acc acc : {Acc::wide, Acc::same}) {
      table.at(CubTable::rows, Op::argmin, dtype_of<T>, acc) = {&locate<T, false>,
                                                                "cub::DeviceSegmentedReduce::ArgMin"};
      table.at(CubTable::rows, Op::argmax, dtype_of<T>, acc) = {&locate<T, true>, "cub::DeviceSegmentedReduce::ArgMax"};
    }
  });
}

}  // namespace rung
