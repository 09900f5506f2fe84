// Small kernels whose answers a test computes by hand, compiled for the simulator (sim_language.cu).
#pragma once
#include <cstddef>

namespace language {

/// Runs kernel `name` on a grid of this many blocks and threads; `out`: what the kernel writes, by its own layout.
void shuffles(int* out);           // 1 × 64: 12 ints a thread
void votes(unsigned* out);         // 1 × 70: 8 a thread
void block_votes(int* out);        // 2 × 96: 3 a thread
void typed_shuffles(double* out);  // 1 × 32: 8 a thread
void atomics(int* i, unsigned* u, unsigned long long* w, float* f, double* d, unsigned short* h);  // 4 × 64
void indices(unsigned* out);                              // (3, 2, 2) × (5, 4, 3): one a thread
void intrinsics(unsigned long long* out);                 // 1 × 1
void halves(int* out);                                    // 1 × 32
void copy16(const void* in, void* out, unsigned blocks);  // blocks × 64, 16 bytes a thread
void count_threads(unsigned long long* out, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned x,
                   unsigned y, unsigned z, std::size_t shared);
void touch_byte(unsigned char* p, bool write);            // one thread reads or writes *p
void touch(unsigned char* p, unsigned size);              // one thread writes size (1, 2, 4, 8, 16) bytes at p
void tree_sum(const int* in, int* out, unsigned blocks);  // blocks × 256: one sum a block

}  // namespace language
