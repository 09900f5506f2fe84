// Each planted fault stands on a line of its own, which the test looks for in the finding.
#include "sim_planted.hpp"

#include "../kernels/machine/machine.hpp"

namespace planted {
namespace {

using rung::launch;
using rung::launch_overlapping;
using rung::shared_array;
constexpr unsigned whole = 0xffffffffu;

__global__ void exit_before_barrier_k(float* o) {
  if (threadIdx.x >= 40) return;
  o[threadIdx.x] = 1;
  __syncthreads();  // 40 of 64
  o[threadIdx.x] = 2;
}
__global__ void barrier_in_branch_k(float* o) {
  if (threadIdx.x % 2) {
    o[threadIdx.x] = 1;
    __syncthreads();  // odd
  } else {
    o[threadIdx.x] = 2;
    __syncthreads();  // even
  }
}
__global__ void barrier_against_shuffle_k(float* o) {
  float v = 1;
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    v = __shfl_down_sync(whole, v, 1);
  }
  o[threadIdx.x] = v;
}
__global__ void shuffle_after_exit_k(float* o) {
  if (threadIdx.x == 7) return;
  o[threadIdx.x] = __shfl_down_sync(whole, 1.0f, 1);  // without lane 7
}
__global__ void shuffle_inactive_source_k(float* o) {
  if (threadIdx.x < 16) {
    o[threadIdx.x] = __shfl_down_sync(0x0000ffffu, 1.0f, 1);  // lane 15 reads 16
  }
}
__global__ void lane_outside_mask_k(float* o) {
  if (threadIdx.x < 2) {
    o[threadIdx.x] = __shfl_sync(1u, 1.0f, 0);  // lane 1 too
  }
}
__global__ void collectives_differ_k(float* o) {
  if (threadIdx.x < 16) {
    o[threadIdx.x] = __shfl_sync(whole, 1.0f, 0);  // lower
  } else {
    o[threadIdx.x] = __shfl_sync(whole, 2.0f, 0);  // upper
  }
}
__global__ void waits_for_ever_k(volatile float* flag) {
  while (*flag == 1.0f) continue;  // nobody writes
}
__global__ void ping_pong_for_ever_k(volatile float* flag) {
  while (*flag == 1.0f) __syncthreads();  // nobody writes
}

__global__ void global_read_past_end_k(const float* in, float* o) {
  const float v = in[threadIdx.x + 1];  // past
  o[threadIdx.x] = v;
}
__global__ void global_write_below_k(float* o) {
  o[31 - static_cast<int>(threadIdx.x)] = 1;  // below
}
__global__ void shared_past_end_k(float* o) {
  float* s = shared_array<float>();
  s[threadIdx.x + 1] = 1;  // past
  o[threadIdx.x] = 1;
}
__global__ void shared_straddling_end_k(float* o) {
  float* s = shared_array<float>();
  s[1] = 1;  // bytes 4 to 7 of 6
  o[threadIdx.x] = 1;
}
__global__ void null_read_k(const float* in, float* o) {
  o[threadIdx.x] = in[threadIdx.x];  // null
}
__global__ void misaligned_double_k(const float* in, double* o) {
  o[threadIdx.x] = *reinterpret_cast<const double*>(in + 1);  // four bytes off
}
__global__ void misaligned_vector_k(const float* in, rung::Vector16* o) {
  o[threadIdx.x] = rung::load_streaming(reinterpret_cast<const rung::Vector16*>(in + 2));  // eight bytes off
}

__global__ void before_previous_kernel_k(float* io) {
  rung::allow_next_kernel();
  const float v = io[threadIdx.x];  // too early
  rung::wait_for_previous_kernel();
  io[1024 + threadIdx.x] = v;
}
__global__ void some_before_previous_kernel_k(float* o) {
  if (threadIdx.x < 40) rung::follow_previous_kernel();
  o[threadIdx.x] = 1;  // 24 have not waited
}

__global__ void uninitialised_k(float* o) {
  float* s = shared_array<float>();
  if (threadIdx.x < 63) s[threadIdx.x] = 1;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];  // 63 was not written
}
__global__ void uninitialised_in_second_block_k(float* o) {
  float* s = shared_array<float>();
  if (blockIdx.x == 0) s[threadIdx.x] = 1;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];  // the first block's
}
__global__ void uninitialised_static_k(float* o) {
  __shared__ float s[64];
  if (threadIdx.x < 63) s[threadIdx.x] = 1;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];  // 63 was not written
}
__global__ void read_after_write_k(float* o) {
  float* s = shared_array<float>();
  s[threadIdx.x] = 1;                                   // first
  o[threadIdx.x] = s[(threadIdx.x + 32) % blockDim.x];  // second
}
__global__ void read_then_write_k(float* o) {
  float* s = shared_array<float>();
  s[threadIdx.x] = 1;
  __syncthreads();
  const float v = s[(threadIdx.x + 40) % blockDim.x];  // second
  s[threadIdx.x] = v;                                  // first
  o[threadIdx.x] = v;
}
__global__ void write_after_write_k(float* o) {
  float* s = shared_array<float>();
  s[0] = static_cast<float>(threadIdx.x);  // all
  __syncthreads();
  o[threadIdx.x] = s[0];
}
__global__ void half_synced_tail_k(float* o) {
  float* s = shared_array<float>();
  const unsigned t = threadIdx.x;
  s[t] = 1;
  s[t + 32] = 1;
  __syncwarp();
  for (unsigned k = 32; k > 0; k /= 2) {
    s[t] += s[t + k];  // reads and writes in one step
    __syncwarp();
  }
  o[t] = s[t];
}
__global__ void wrong_half_synced_k(float* o) {
  float* s = shared_array<float>();
  const unsigned t = threadIdx.x;
  s[t] = 1;  // first
  if (t < 16) __syncwarp(0x0000ffffu);
  o[t] = s[t ^ 16];  // second: the other half
}
template <bool in_time>
__global__ void copied_k(const rung::Vector16* in, float* o) {
  auto* s = shared_array<rung::Vector16>();
  rung::copy_async(s + threadIdx.x, in + threadIdx.x);
  if (in_time) rung::wait_for_copies();
  __syncthreads();
  o[threadIdx.x] = shared_array<float>()[4 * threadIdx.x + 1];  // not waited for
  if (!in_time) rung::wait_for_copies();
}
__global__ void byte_race_k(float* o) {
  auto* s = shared_array<unsigned char>();
  s[threadIdx.x] = 1;                                  // first
  o[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];  // second
}
__global__ void vector_race_k(float* o) {
  auto* s = shared_array<rung::Vector16>();
  rung::store_streaming(s + threadIdx.x, {{1, 2, 3, 4}});  // first
  const auto* words = shared_array<unsigned>();
  o[threadIdx.x] = static_cast<float>(words[(4 * threadIdx.x + 7) % (4 * blockDim.x)]);  // second
}
__global__ void atomic_against_plain_k(float* o) {
  int* s = shared_array<int>();
  if (threadIdx.x == 0) *s = 0;
  __syncthreads();
  atomicAdd(s, 1);                          // first
  o[threadIdx.x] = static_cast<float>(*s);  // second
}
__global__ void static_race_k(float* o) {
  __shared__ float s[64];
  s[threadIdx.x] = 1;                    // first
  o[threadIdx.x] = s[threadIdx.x ^ 63];  // second
}
__global__ void race_through_shuffle_k(float* o) {
  float* s = shared_array<float>();
  s[threadIdx.x] = 1;  // first
  const float v = __shfl_xor_sync(whole, 1.0f, 1);
  o[threadIdx.x] = v + s[threadIdx.x ^ 1];  // second: a shuffle orders no memory
}

/// Too large for registers, and made by a function that g++ would not inline of itself: callers pass memory for it.
struct Moments {
  float count, sum, least, greatest, squares, cubes;
};
__device__ Moments moments(float x, unsigned count) {
  Moments m{0, 0, x, x, 0, 0};
  for (unsigned k = 0; k < count; ++k, x = x * 1.5f - static_cast<float>(k)) {
    m.count += 1, m.sum += x, m.squares += x * x, m.cubes += x * x * x;
    if (x < m.least) m.least = x;
    if (x > m.greatest) m.greatest = x;
  }
  if (m.count > 0) m.sum /= m.count, m.squares /= m.count, m.cubes /= m.count;
  return m;
}
template <unsigned written, bool synced>
__global__ void struct_returned_k(float* o) {
  o += blockIdx.x * blockDim.x;
  auto* s = shared_array<Moments>();
  const unsigned t = threadIdx.x;
  if (t < written) s[t] = moments(o[t], t);  // first
  if (synced) __syncthreads();
  o[t] = s[(t + 32) % 64].cubes;  // second; 63 was not written
}

__global__ void reverse_in_place_k(float* io, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = io[n - 1 - i];  // another block's
  io[i] = v;                      // here
}
__global__ void unguarded_sum_k(float* io) {
  io[0] += 1;  // all
}
template <bool fence>
__global__ void last_block_k(float* partials, unsigned* tickets, float* out) {
  unsigned* last = shared_array<unsigned>();
  partials[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // a partial
  if (fence) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (*last) {
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += partials[b * blockDim.x + threadIdx.x];  // of every block
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0) *tickets = 0;
  }
}
__global__ void neighbours_in_block_k(float* io) {
  io[threadIdx.x] = 1;                                 // first
  io[64 + threadIdx.x] = io[(threadIdx.x + 32) % 64];  // second
}

}  // namespace

void exit_before_barrier(float* io, float*) { launch(exit_before_barrier_k, {1, 64}, {}, io); }
void barrier_in_branch(float* io, float*) { launch(barrier_in_branch_k, {1, 64}, {}, io); }
void barrier_against_shuffle(float* io, float*) { launch(barrier_against_shuffle_k, {1, 32}, {}, io); }
void shuffle_after_exit(float* io, float*) { launch(shuffle_after_exit_k, {1, 32}, {}, io); }
void shuffle_inactive_source(float* io, float*) { launch(shuffle_inactive_source_k, {1, 32}, {}, io); }
void lane_outside_mask(float* io, float*) { launch(lane_outside_mask_k, {1, 32}, {}, io); }
void collectives_differ(float* io, float*) { launch(collectives_differ_k, {1, 32}, {}, io); }
void waits_for_ever(float* io, float*) { launch(waits_for_ever_k, {4, 64}, {}, io); }
void ping_pong_for_ever(float* io, float*) { launch(ping_pong_for_ever_k, {4, 64}, {}, io); }
void global_read_past_end(float* io, float* small) { launch(global_read_past_end_k, {1, 64}, {}, small, io); }
void global_write_below(float*, float* small) { launch(global_write_below_k, {1, 64}, {}, small); }
void shared_past_end(float* io, float*) { launch(shared_past_end_k, {1, 64, 256}, {}, io); }
void shared_straddling_end(float* io, float*) { launch(shared_straddling_end_k, {1, 1, 6}, {}, io); }
void null_read(float* io, float*) { launch(null_read_k, {1, 1}, {}, static_cast<const float*>(nullptr), io); }
void misaligned_double(float* io, float* small) {
  launch(misaligned_double_k, {1, 1}, {}, io, reinterpret_cast<double*>(small));
}
void misaligned_vector(float* io, float* small) {
  launch(misaligned_vector_k, {1, 1}, {}, io, reinterpret_cast<rung::Vector16*>(small));
}
void before_previous_kernel(float* io, float*) { launch_overlapping(before_previous_kernel_k, {1, 64}, {}, io); }
void some_before_previous_kernel(float* io, float*) {
  launch_overlapping(some_before_previous_kernel_k, {3, 64}, {}, io);
}
void uninitialised(float* io, float*) { launch(uninitialised_k, {1, 64, 256}, {}, io); }
void uninitialised_in_second_block(float* io, float*) { launch(uninitialised_in_second_block_k, {2, 64, 256}, {}, io); }
void uninitialised_static(float* io, float*) { launch(uninitialised_static_k, {1, 64}, {}, io); }
void read_after_write(float* io, float*) { launch(read_after_write_k, {1, 64, 256}, {}, io); }
void read_then_write(float* io, float*) { launch(read_then_write_k, {1, 64, 256}, {}, io); }
void write_after_write(float* io, float*) { launch(write_after_write_k, {1, 64, 256}, {}, io); }
void half_synced_tail(float* io, float*) { launch(half_synced_tail_k, {1, 32, 256}, {}, io); }
void wrong_half_synced(float* io, float*) { launch(wrong_half_synced_k, {1, 32, 256}, {}, io); }
void copied_too_late(float* io, float*) {
  launch(copied_k<false>, {1, 64, 1024}, {}, reinterpret_cast<const rung::Vector16*>(io), io + 1024);
}
void copied_in_time(float* io, float*) {
  launch(copied_k<true>, {2, 64, 1024}, {}, reinterpret_cast<const rung::Vector16*>(io), io + 1024);
}
void byte_race(float* io, float*) { launch(byte_race_k, {1, 64, 64}, {}, io); }
void vector_race(float* io, float*) { launch(vector_race_k, {1, 64, 1024}, {}, io); }
void atomic_against_plain(float* io, float*) { launch(atomic_against_plain_k, {1, 64, 4}, {}, io); }
void static_race(float* io, float*) { launch(static_race_k, {1, 64}, {}, io); }
void race_through_shuffle(float* io, float*) { launch(race_through_shuffle_k, {1, 32, 128}, {}, io); }
constexpr rung::LaunchShape two_of_moments{2, 64, 64 * sizeof(Moments)};
void struct_returned(float* io, float*) { launch(struct_returned_k<64, true>, two_of_moments, {}, io); }
void struct_uninitialised(float* io, float*) { launch(struct_returned_k<63, true>, two_of_moments, {}, io); }
void struct_race(float* io, float*) { launch(struct_returned_k<64, false>, two_of_moments, {}, io); }
void reverse_in_place(float* io, float*) { launch(reverse_in_place_k, {4, 64}, {}, io, 256u); }
void unguarded_sum(float* io, float*) { launch(unguarded_sum_k, {2, 1}, {}, io); }
void last_block_without_fence(float* io, float* small) {
  launch(last_block_k<false>, {4, 64, 4}, {}, io, reinterpret_cast<unsigned*>(small), io + 2048);
}
void neighbours_in_block(float* io, float*) { launch(neighbours_in_block_k, {1, 64}, {}, io); }
void last_block(float* io, float* small) {
  launch(last_block_k<true>, {4, 64, 4}, {}, io, reinterpret_cast<unsigned*>(small), io + 2048);
}

}  // namespace planted
