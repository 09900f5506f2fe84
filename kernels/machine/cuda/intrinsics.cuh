// Named instructions on a GPU.
#pragma once
#include "../qualifiers.hpp"

#include <cuda_runtime.h>

namespace rung {
inline namespace RUNG_ABI {

/// 16 bytes that travel as one access.
struct alignas(16) Vector16 {
  unsigned words[4];
};

/// Load of data that is read once: does not displace what the caches hold.
__device__ __forceinline__ Vector16 load_streaming(const Vector16* p) {
  const uint4 v = __ldcs(reinterpret_cast<const uint4*>(p));
  return {{v.x, v.y, v.z, v.w}};
}

/// Store of data that is not read again soon.
__device__ __forceinline__ void store_streaming(Vector16* p, const Vector16& v) {
  __stcs(reinterpret_cast<uint4*>(p), make_uint4(v.words[0], v.words[1], v.words[2], v.words[3]));
}

}  // namespace RUNG_ABI
}  // namespace rung
