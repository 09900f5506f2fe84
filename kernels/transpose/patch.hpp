// Four by four bytes, turned in registers: what the kernels for few columns and for few rows of bytes share.
#pragma once
#include "../machine/machine.hpp"

namespace rung::transpose {
inline namespace RUNG_ABI {

inline constexpr unsigned patch_turns = 4;  ///< patches that a thread holds
inline constexpr unsigned bytes_threads = 256;

/// The bytes of four words exchanged: byte k of result j is byte j of word k.
__device__ __forceinline__ void turn_patch(unsigned (&w)[4]) {
  const unsigned low01 = __byte_perm(w[0], w[1], 0x5140), high01 = __byte_perm(w[0], w[1], 0x7362);
  const unsigned low23 = __byte_perm(w[2], w[3], 0x5140), high23 = __byte_perm(w[2], w[3], 0x7362);
  w[0] = __byte_perm(low01, low23, 0x5410);
  w[1] = __byte_perm(low01, low23, 0x7632);
  w[2] = __byte_perm(high01, high23, 0x5410);
  w[3] = __byte_perm(high01, high23, 0x7632);
}

}  // namespace RUNG_ABI
}  // namespace rung::transpose
