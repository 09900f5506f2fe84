#include "fiber.hpp"

#include "../../error.hpp"
#include "memory.hpp"

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace rung::sim {
namespace ctx = boost::context::detail;
namespace {

constexpr std::size_t page = Memory::page;

#if defined(__SANITIZE_ADDRESS__)
void describe(Fiber* fiber, char* low) { fiber->bottom = low; }
void start_anew(Fiber* fiber) {
  __asan_unpoison_memory_region(fiber->bottom, fiber->size);
  fiber->fake_stack = nullptr;
}
#else
void describe(Fiber*, char*) {}
void start_anew(Fiber*) {}
#endif

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
void announce(Fiber* from, const Fiber* to) { __sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->size); }
void confirm(Fiber* here, Fiber* from) {
  __sanitizer_finish_switch_fiber(here->fake_stack, &from->bottom, &from->size);
}
#endif

Fibers::Fibers(std::size_t most, Main main)
    : most_(most), main_(main), stacks_(static_cast<char*>(reserve(stack_bytes * most))), all_(new Fiber[most]) {
  if (!stacks_) throw DeviceError("sim: cannot reserve address space for the stacks of a block");
}

Fibers::~Fibers() { munmap(stacks_, stack_bytes * most_); }

Fiber* Fibers::take() {
  if (idle_.empty()) {
    const std::size_t index = made_++;
    Fiber* fiber = &all_[index];
    char* low = stacks_ + stack_bytes * index;
    mprotect(low, page, PROT_NONE);  // a stack that overflows stops here
    low += page;
    // Tops at 61 different offsets: equal ones would fall into the same sets of the first-level cache.
    fiber->top = low + stack_bytes - page - index % 61 * 64;
    fiber->size = static_cast<std::size_t>(fiber->top - low);
    describe(fiber, low);
    idle_.push_back(fiber);
  }
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  if (fiber->fresh) {
    start_anew(fiber);
    fiber->context = ctx::make_fcontext(fiber->top, fiber->size, main_);
    fiber->fresh = false;
  }
  return fiber;
}

}  // namespace rung::sim
