// The plain loops of products: a translation unit of their own, because all of them take a compiler minutes.
#define RUNG_WITHOUT_TARGETS HWY_SSE4
#include "../machine/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce/cpu-plain-prod.cpp"
#include <hwy/foreach_target.h>

#include "cpu_plain-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace rung::reduce::cpu {
namespace HWY_NAMESPACE {

const LoopTable& plain_prod() {
  static const LoopTable table = tabulate_plain<Op::prod>();
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace rung::reduce::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rung::reduce::cpu {

HWY_EXPORT(plain_prod);

const LoopTable& plain_prod_loops() { return HWY_DYNAMIC_DISPATCH(plain_prod)(); }

}  // namespace rung::reduce::cpu
#endif
