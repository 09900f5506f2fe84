// Which instruction sets the native kernels are compiled for; Highway picks one when the program starts. Included
// before any header of Highway. On x86: SSE4, AVX2, AVX-512, and below them plain C++ (HWY_SCALAR), of which the
// compiler makes SSE2. The others would cost compile time and give little. SVE and RVV vectors have no size at
// compile time, so there are no arrays of them: NEON serves.
#pragma once
#define HWY_DISABLED_TARGETS \
  (RUNG_WITHOUT_TARGETS | HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// Plain loops gain too little from SSE4 to be compiled once more.
#if !defined(RUNG_WITHOUT_TARGETS)
#define RUNG_WITHOUT_TARGETS 0
#endif
