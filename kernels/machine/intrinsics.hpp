// Special instructions by name, with a version for each machine.
#pragma once
#if defined(__CUDACC__)
#include "cuda/intrinsics.cuh"
#else
#include "sim/intrinsics.hpp"
#endif
