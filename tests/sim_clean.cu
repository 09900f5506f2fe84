// Kernels without a fault, of the kinds that a checker could take for one.
#include "sim_planted.hpp"

#include "../kernels/machine/machine.hpp"

namespace planted {
namespace {

using rung::launch;
using rung::shared_array;

template <class S>
__device__ __forceinline__ void tail(S* s, unsigned t) {
  for (unsigned k = 32; k > 0; k /= 2) {
    const float v = s[t] + s[t + k];
    __syncwarp();
    s[t] = v;
    __syncwarp();
  }
}
template <class S>
__global__ void synced_tail_k(float* o) {
  S* s = shared_array<float>();
  s[threadIdx.x] = 1;
  s[threadIdx.x + 32] = 1;
  __syncwarp();
  tail(s, threadIdx.x);
  o[threadIdx.x] = s[threadIdx.x];
}
__global__ void half_mask_sync_k(float* o) {
  float* s = shared_array<float>();
  const unsigned t = threadIdx.x, half = t / 16;
  for (unsigned round = 0; round < 3 + half; ++round) {  // the halves go their own ways
    s[t] = static_cast<float>(round);
    __syncwarp(0xffffu << (16 * half));
    o[t] = s[t ^ 1];
    __syncwarp(0xffffu << (16 * half));
  }
  __syncwarp();
  o[t] = s[t ^ 16];
}
// Lane 1 reads, then 2 follows it; 3 reads later, then 2 follows that too; so 2 may write.
__global__ void chain_of_masks_k(float* o) {
  float* s = shared_array<float>();
  const unsigned t = threadIdx.x;
  if (t == 0) s[0] = 1;
  __syncwarp();
  if (t == 1) o[1] = s[0];
  if (t == 1 || t == 2) __syncwarp(1u << 1 | 1u << 2);
  if (t == 3 || t == 4) __syncwarp(1u << 3 | 1u << 4);
  if (t == 3) o[3] = s[0];
  if (t == 2 || t == 3) __syncwarp(1u << 2 | 1u << 3);
  if (t == 2) s[0] = 2;
}
__global__ void bytes_then_words_k(float* o) {
  o += blockIdx.x * blockDim.x;
  auto* bytes = shared_array<unsigned char>();
  for (unsigned k = 0; k < 4; ++k) bytes[threadIdx.x + k * blockDim.x] = static_cast<unsigned char>(k);
  __syncthreads();
  o[threadIdx.x] = static_cast<float>(shared_array<unsigned>()[threadIdx.x]);
  __syncthreads();
  shared_array<unsigned>()[threadIdx.x] = 0;
  __syncthreads();
  o[threadIdx.x] += bytes[4 * (threadIdx.x ^ 1) + 3];
}
__global__ void words_then_bytes_k(float* o) {
  o += blockIdx.x * blockDim.x;
  shared_array<unsigned>()[threadIdx.x] = 0x01020304u;
  __syncthreads();
  o[threadIdx.x] = shared_array<unsigned char>()[blockDim.x * 4 - 1 - threadIdx.x];
}
__global__ void atomics_meet_k(float* o) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  o[threadIdx.x] = static_cast<float>(sum);
}
__global__ void padded_tile_k(const float* in, float* o) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  o[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void spin_in_block_k(volatile float* io) {
  if (threadIdx.x == 0) {
    while (io[0] == 1.0f) continue;  // until the last warp has run
  }
  if (threadIdx.x == 63) io[0] = 2;
}
__global__ void grid_atomics_k(float* o) { atomicAdd(o, 1.0f); }

__global__ void after_previous_kernel_k(float* io) {
  rung::allow_next_kernel();
  rung::prefetch(io + 1024);
  float* s = shared_array<float>();
  s[threadIdx.x] = 2;
  rung::wait_for_previous_kernel();
  io[threadIdx.x] = io[1024 + threadIdx.x] + s[threadIdx.x];
}

}  // namespace

void synced_tail(float* io, float*) { launch(synced_tail_k<float>, {1, 32, 256}, {}, io); }
void volatile_tail(float* io, float*) { launch(synced_tail_k<volatile float>, {1, 32, 256}, {}, io); }
void half_mask_sync(float* io, float*) { launch(half_mask_sync_k, {1, 32, 128}, {}, io); }
void chain_of_masks(float* io, float*) { launch(chain_of_masks_k, {1, 32, 4}, {}, io); }
void bytes_then_words(float* io, float*) { launch(bytes_then_words_k, {2, 64, 256}, {}, io); }
void words_then_bytes(float* io, float*) { launch(words_then_bytes_k, {2, 64, 256}, {}, io); }
void atomics_meet(float* io, float*) { launch(atomics_meet_k, {1, 64}, {}, io); }
void padded_tile(float* io, float*) {
  launch(padded_tile_k, {1, dim3(32, 32)}, {}, static_cast<const float*>(io), io + 1024);
}
void spin_in_block(float* io, float*) { launch(spin_in_block_k, {1, 64}, {}, io); }
void grid_atomics(float* io, float*) { launch(grid_atomics_k, {4, 64}, {}, io); }
void after_previous_kernel(float* io, float*) {
  rung::launch_overlapping(after_previous_kernel_k, {1, 64, 256}, {}, io);
}

}  // namespace planted
