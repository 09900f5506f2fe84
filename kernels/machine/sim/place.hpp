// Places in a kernel's source, small enough to stand in every shadow cell.
#pragma once
#include <cstdint>
#include <string>

extern "C" char __executable_start[];

namespace rung::sim {

/// An offset into the executable: of a return address, or (top bit set) of a __builtin_source_location record.
using Place = std::uint32_t;
inline constexpr Place nowhere = 0;

inline Place code_place(const void* return_address) {
  return static_cast<Place>(static_cast<const char*>(return_address) - __executable_start);
}
inline Place record_place(const void* source_location) {
  return static_cast<Place>(static_cast<const char*>(source_location) - __executable_start) | 0x80000000u;
}

/// "sequential.cu:20", from the debug line table (-g1 is enough) or the record; empty for nowhere.
std::string text_of_place(Place place);

}  // namespace rung::sim
