#include "sim_language.hpp"

#include "../kernels/machine/machine.hpp"

namespace language {
namespace {

using rung::launch;
constexpr unsigned whole = 0xffffffffu;

__global__ void shuffles_k(int* out) {
  const int v = static_cast<int>(threadIdx.x) * 10;
  int* o = out + threadIdx.x * 12;
  o[0] = __shfl_sync(whole, v, 5);
  o[1] = __shfl_sync(whole, v, 37);
  o[2] = __shfl_sync(whole, v, 3, 8);
  o[3] = __shfl_up_sync(whole, v, 3);
  o[4] = __shfl_up_sync(whole, v, 3, 8);
  o[5] = __shfl_down_sync(whole, v, 3);
  o[6] = __shfl_down_sync(whole, v, 3, 8);
  o[7] = __shfl_xor_sync(whole, v, 1);
  o[8] = __shfl_xor_sync(whole, v, 16);
  o[9] = __shfl_xor_sync(whole, v, 16, 8);
  int sum = v;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(whole, sum, d);
  o[10] = sum;
  int prefix = 1;
  for (unsigned d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(whole, prefix, d);
    if (threadIdx.x % 32 >= d) prefix += left;
  }
  o[11] = prefix;
}
__global__ void votes_k(unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned* o = out + t * 8;
  o[7] = __activemask();  // first: no lane has exited yet
  o[0] = __ballot_sync(whole, t % 3 == 0);
  o[1] = static_cast<unsigned>(__any_sync(whole, t == 40));
  o[2] = static_cast<unsigned>(__all_sync(whole, t < 64));
  o[3] = __match_any_sync(whole, t / 10);
  o[4] = __reduce_add_sync(whole, t);
  o[5] = static_cast<unsigned>(__reduce_min_sync(whole, -static_cast<int>(t)));
  o[6] = __reduce_xor_sync(whole, t);
}
__global__ void block_votes_k(int* out) {
  const unsigned t = threadIdx.x;
  int* o = out + (blockIdx.x * blockDim.x + t) * 3;
  o[0] = __syncthreads_count(t % 3 == blockIdx.x);
  o[1] = __syncthreads_and(t != 95 || blockIdx.x == 1);
  o[2] = __syncthreads_or(t == 95 && blockIdx.x == 1);
}
__global__ void typed_shuffles_k(double* out) {
  const unsigned t = threadIdx.x;
  double* o = out + t * 8;
  o[0] = __shfl_down_sync(whole, 0.5f * static_cast<float>(t), 1);
  o[1] = __shfl_down_sync(whole, 0.25 * t, 1);
  o[2] = static_cast<double>(__shfl_down_sync(whole, -(1ll << 40) * t, 1));
  o[3] = static_cast<double>(__shfl_down_sync(whole, (1ull << 50) + t, 1));
  o[4] = static_cast<double>(__shfl_down_sync(whole, -static_cast<long>(t), 1));
  o[5] = static_cast<double>(__shfl_down_sync(whole, 1ul << t, 1));
  o[6] = __shfl_down_sync(whole, static_cast<signed char>(-static_cast<int>(t)), 1);
  o[7] = __shfl_down_sync(whole, 4000000000u + t, 1);
}
__global__ void atomics_k(int* i, unsigned* u, unsigned long long* w, float* f, double* d, unsigned short* h) {
  const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  const int s = static_cast<int>(g);
  atomicAdd(i + 0, s);
  atomicSub(i + 1, s);
  atomicMin(i + 2, -s);
  atomicMax(i + 3, s);
  atomicOr(i + 4, 1 << g % 5);
  atomicAnd(i + 5, ~(1 << g % 5));
  atomicXor(i + 6, s);
  atomicExch(i + 7, 7);
  atomicCAS(i + 8, 0, 99);
  atomicAdd(u + 0, 0x80000001u);
  atomicMin(u + 1, 1000u - g);
  atomicMax(u + 2, 0x80000000u + g);
  atomicInc(u + 3, 9u);
  atomicDec(u + 4, 9u);
  atomicSub(u + 5, 1u);
  atomicAdd(w + 0, 1ull << 33);
  atomicMax(w + 1, (1ull << 40) + g);
  atomicMin(reinterpret_cast<long long*>(w + 2), -(1ll << 40) - s);
  atomicCAS(w + 3, 0ull, 1ull << 63);
  atomicAdd(f + 0, 0.5f);
  atomicExch(f + 1, 2.5f);
  atomicAdd(d + 0, 0.25);
  unsigned short seen = *static_cast<volatile unsigned short*>(h), expected;
  do {
    expected = seen;
    seen = atomicCAS(h, expected, static_cast<unsigned short>(expected + 3));
  } while (seen != expected);
}
__global__ void indices_k(unsigned* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}
__global__ void intrinsics_k(unsigned long long* o) {
  o[0] = static_cast<unsigned>(__popc(0xf0f00001u)) + static_cast<unsigned>(__popcll(0xf0f0000100000001ull)) * 100u;
  o[1] = static_cast<unsigned>(__ffs(0x50)) + static_cast<unsigned>(__ffs(0)) * 100u +
         static_cast<unsigned>(__ffsll(1ll << 40)) * 1000u;
  o[2] = static_cast<unsigned>(__clz(1)) + static_cast<unsigned>(__clz(0)) * 100u +
         static_cast<unsigned>(__clzll(1)) * 10000u;
  o[3] = __brev(0x00000003u);
  o[4] = __brevll(0x1ull);
  o[5] = __byte_perm(0x33221100u, 0x77665544u, 0x7210u);
  o[6] = __funnelshift_l(0x80000000u, 0x1u, 4);
  o[7] = __funnelshift_r(0x80000000u, 0x1u, 4);
  o[8] = __umulhi(0x80000000u, 6u);
  o[9] = __float_as_uint(1.0f);
  o[10] = static_cast<unsigned long long>(__double_as_longlong(-2.0));
}
__global__ void halves_k(int* out) {
  const unsigned lane = threadIdx.x;
  int v = 1;
  if (lane < 8) {
    for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(0xffu, v, static_cast<unsigned>(d), 8);
  } else {
    for (int d = 8; d > 0; d /= 2) v += __shfl_up_sync(0xffffff00u, v, static_cast<unsigned>(d), 8);
  }
  out[lane] = v;
}
__global__ void copy16_k(const rung::Vector16* in, rung::Vector16* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  rung::store_streaming(out + i, rung::load_streaming(in + i));
}
__global__ void count_threads_k(unsigned long long* out) { atomicAdd(out, 1ull); }
__global__ void touch_byte_k(unsigned char* p, bool write, unsigned char* sink) {
  if (write)
    *p = 1;
  else
    *sink = *p;
}
template <class T>
__global__ void touch_k(T* p) {
  *p = T{};
}
__global__ void tree_sum_k(const int* in, int* out) {
  __shared__ int smem[256];
  const unsigned t = threadIdx.x;
  smem[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned stride = 128; stride > 0; stride /= 2) {
    if (t < stride) smem[t] += smem[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = smem[0];
}
struct alignas(16) Sixteen {
  unsigned long long low, high;
};

}  // namespace

void shuffles(int* out) { launch(shuffles_k, {1, 64}, {}, out); }
void votes(unsigned* out) { launch(votes_k, {1, 70}, {}, out); }
void block_votes(int* out) { launch(block_votes_k, {2, 96}, {}, out); }
void typed_shuffles(double* out) { launch(typed_shuffles_k, {1, 32}, {}, out); }
void atomics(int* i, unsigned* u, unsigned long long* w, float* f, double* d, unsigned short* h) {
  launch(atomics_k, {4, 64}, {}, i, u, w, f, d, h);
}
void indices(unsigned* out) { launch(indices_k, {dim3(3, 2, 2), dim3(5, 4, 3)}, {}, out); }
void intrinsics(unsigned long long* out) { launch(intrinsics_k, {1, 1}, {}, out); }
void halves(int* out) { launch(halves_k, {1, 32}, {}, out); }
void copy16(const void* in, void* out, unsigned blocks) {
  launch(copy16_k, {blocks, 64}, {}, static_cast<const rung::Vector16*>(in), static_cast<rung::Vector16*>(out));
}
void count_threads(unsigned long long* out, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned x,
                   unsigned y, unsigned z, std::size_t shared) {
  launch(count_threads_k, {dim3(blocks_x, blocks_y, blocks_z), dim3(x, y, z), shared}, {}, out);
}
void touch_byte(unsigned char* p, bool write) { launch(touch_byte_k, {1, 1}, {}, p, write, p); }
void touch(unsigned char* p, unsigned size) {
  switch (size) {
    case 1:
      return launch(touch_k<unsigned char>, {1, 1}, {}, p);
    case 2:
      return launch(touch_k<unsigned short>, {1, 1}, {}, reinterpret_cast<unsigned short*>(p));
    case 4:
      return launch(touch_k<unsigned>, {1, 1}, {}, reinterpret_cast<unsigned*>(p));
    case 8:
      return launch(touch_k<unsigned long long>, {1, 1}, {}, reinterpret_cast<unsigned long long*>(p));
    default:
      return launch(touch_k<Sixteen>, {1, 1}, {}, reinterpret_cast<Sixteen*>(p));
  }
}
void tree_sum(const int* in, int* out, unsigned blocks) { launch(tree_sum_k, {blocks, 256}, {}, in, out); }

}  // namespace language
