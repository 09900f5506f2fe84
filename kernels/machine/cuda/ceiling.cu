// ceiling-read and ceiling-copy on a GPU: 16-byte accesses and nothing else. Which shape reaches most, and whether the
// accesses should ask to stream past the caches, differs with the size and the GPU: a measurement takes the best of a
// few.
#include "../ceiling.hpp"
#include "../machine.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace rung {
namespace {

template <bool Streams>
__device__ Vector16 load(const Vector16* p) {
  if constexpr (Streams)
    return load_streaming(p);
  else
    return *p;
}

template <bool Streams>
__device__ void store(Vector16* p, const Vector16& v) {
  if constexpr (Streams)
    store_streaming(p, v);
  else
    *p = v;
}

/// A tile is Items lines a thread, `blockDim.x` lines apart, loaded before the first is used.
template <int Items, bool Streams>
__global__ void ceiling_read(const Vector16* in, std::size_t lines, unsigned* sink) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * Items;
  unsigned all = 0;
  for (std::size_t at = blockIdx.x * tile + threadIdx.x; at < lines; at += gridDim.x * tile) {
    Vector16 v[Items];
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (at + k * blockDim.x < lines) v[k] = load<Streams>(in + at + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (at + k * blockDim.x < lines) all ^= v[k].words[0] ^ v[k].words[1] ^ v[k].words[2] ^ v[k].words[3];
  }
  // Almost never true, but the compiler cannot know: the loads stay.
  if (all == 0x9e3779b9u) *sink = all;
}

/// `tail`: bytes beyond the last whole line.
template <int Items, bool Streams>
__global__ void ceiling_copy(const Vector16* in, Vector16* out, std::size_t lines, unsigned tail) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * Items;
  for (std::size_t at = blockIdx.x * tile + threadIdx.x; at < lines; at += gridDim.x * tile) {
    Vector16 v[Items];
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (at + k * blockDim.x < lines) v[k] = load<Streams>(in + at + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (at + k * blockDim.x < lines) store<Streams>(out + at + k * blockDim.x, v[k]);
  }
  if (blockIdx.x == 0 && threadIdx.x < tail)
    reinterpret_cast<std::uint8_t*>(out + lines)[threadIdx.x] =
        reinterpret_cast<const std::uint8_t*>(in + lines)[threadIdx.x];
}

struct CeilingShape {
  unsigned block;
  int items;
  unsigned waves;  ///< blocks a multiprocessor; 0: one tile a block
  bool streams = true;
};

template <bool Streams, class Call>
void with_items(int items, Call&& call) {
  switch (items) {
    case 1:
      return call.template operator()<1, Streams>();
    case 2:
      return call.template operator()<2, Streams>();
    case 4:
      return call.template operator()<4, Streams>();
    default:
      return call.template operator()<8, Streams>();
  }
}

class Ceiling final : public Runnable {
 public:
  Ceiling(bool copies, CeilingShape shape) : copies_(copies), shape_(shape) {}

  Plan plan(const Problem& p, const Launch&, const DeviceProperties& device) const override {
    Plan plan;
    plan.workspace = 256;
    plan.launch = "grid " + std::to_string(grid(p, device)) + ", block " + std::to_string(shape_.block) + ", " +
                  std::to_string(shape_.items) + (shape_.items == 1 ? " vector" : " vectors") +
                  (shape_.streams ? ", streaming" : "");
    return plan;
  }

  void run(const Problem& p, const Launch&, const DeviceProperties& device, const Buffers& b,
           Stream stream) const override {
    const std::size_t lines = p.input_bytes() / sizeof(Vector16);
    const auto tail = static_cast<unsigned>(p.input_bytes() % sizeof(Vector16));
    const LaunchShape shape{dim3(grid(p, device)), dim3(shape_.block)};
    const auto* in = static_cast<const Vector16*>(b.in);
    const auto call = [&]<int Items, bool Streams>() {
      if (copies_)
        launch(ceiling_copy<Items, Streams>, shape, stream, in, static_cast<Vector16*>(b.out), lines, tail);
      else
        launch(ceiling_read<Items, Streams>, shape, stream, in, lines, static_cast<unsigned*>(b.workspace));
    };
    if (shape_.streams)
      with_items<true>(shape_.items, call);
    else
      with_items<false>(shape_.items, call);
  }

 private:
  unsigned grid(const Problem& p, const DeviceProperties& device) const {
    const std::size_t lines = p.input_bytes() / sizeof(Vector16);
    const std::size_t tiles = std::max<std::size_t>(1, ceil_div(lines, std::size_t{shape_.block} * shape_.items));
    const std::size_t most = shape_.waves ? std::size_t{device.multiprocessors} * shape_.waves : 0x7fffffff;
    return static_cast<unsigned>(std::min(tiles, most));
  }

  bool copies_;
  CeilingShape shape_;
};

}  // namespace

std::vector<const Runnable*> gpu_ceilings(bool copies) {
  constexpr bool plain = false;
  static const Ceiling read[] = {{false, {512, 1, 0}}, {false, {512, 2, 0}},        {false, {512, 4, 0}},
                                 {false, {256, 8, 0}}, {false, {512, 4, 4}},        {false, {512, 8, 2}},
                                 {false, {256, 8, 4}}, {false, {512, 4, 4, plain}}, {false, {256, 4, 0, plain}}};
  static const Ceiling copy[] = {{true, {256, 1, 0}},        {true, {512, 1, 0}},        {true, {1024, 1, 0}},
                                 {true, {512, 2, 0}},        {true, {512, 4, 0}},        {true, {512, 4, 4}},
                                 {true, {256, 1, 0, plain}}, {true, {512, 1, 0, plain}}, {true, {512, 2, 0, plain}}};
  std::vector<const Runnable*> shapes;
  for (const Ceiling& ceiling : copies ? copy : read) shapes.push_back(&ceiling);
  return shapes;
}

}  // namespace rung
