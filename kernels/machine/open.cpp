#include "../error.hpp"
#include "device.hpp"

namespace rung {

#if !defined(RUNG_HAS_CUDA)
int gpu_count(std::string* why) {
  if (why) *why = "this rung was built without CUDA";
  return 0;
}
#endif

std::unique_ptr<Device> open_device(Machine machine, [[maybe_unused]] int ordinal) {
  if (machine == Machine::cpu) return open_cpu();
  if (machine == Machine::sim) return open_sim();
  std::string why;
  const int count = gpu_count(&why);
  const std::string hint = "-d cpu computes on this machine's cores; -d sim runs the CUDA kernels themselves, slowly";
  if (count == 0) throw DeviceError("no GPU: " + why, hint);
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError("no GPU " + std::to_string(ordinal) + ": there are " + std::to_string(count) +
                      ", counted from 0");
#if defined(RUNG_HAS_CUDA)
  return open_gpu(ordinal);
#else
  throw DeviceError("no GPU: " + why, hint);
#endif
}

}  // namespace rung
