// Fibers: the stacks that CUDA threads of a block run on, all on one thread of the host.
#pragma once
#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rung::sim {

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  bool fresh = true;  ///< has no frames worth keeping: starts anew when it is taken
  char* top = nullptr;
  std::size_t size = 0;
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  void* fake_stack = nullptr;
#endif
};

// AddressSanitizer must know which stack is in use; elsewhere these are empty.
#if defined(__SANITIZE_ADDRESS__)
void announce(Fiber* from, const Fiber* to);
void confirm(Fiber* here, Fiber* from);
#else
inline void announce(Fiber*, const Fiber*) {}
inline void confirm(Fiber*, Fiber*) {}
#endif

class Fibers {
 public:
  using Main = void (*)(boost::context::detail::transfer_t);
  /// `most`: fibers that can be taken at once. Stacks are reserved at once and touched when used.
  Fibers(std::size_t most, Main main);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  ~Fibers();

  Fiber* take();
  void put_back(Fiber* fiber) { idle_.push_back(fiber); }
  /// For a fiber whose frames are abandoned; not the one that runs.
  void put_back_fresh(Fiber* fiber) {
    fiber->fresh = true;
    idle_.push_back(fiber);
  }

  /// Leaves `from` for `to`; returns when something switches back to `from`. `argument` reaches a fresh fiber's main.
  void switch_to(Fiber* to, void* argument) {
    Fiber* const me = running_;
    from_ = me;
    running_ = to;
    announce(me, to);
    const auto back = boost::context::detail::jump_fcontext(to->context, argument);
    arrive(back);
  }
  /// To be called first by a fiber's main, with what it was given.
  void arrive(boost::context::detail::transfer_t transfer) {
    confirm(running_, from_);
    from_->context = transfer.fctx;
  }

  Fiber* running() const { return running_; }
  Fiber* host() { return &host_; }  ///< the thread's own stack

  /// True for addresses on the fibers' stacks.
  bool on_stack(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(stacks_) < stack_bytes * most_;
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  std::size_t most_;
  Main main_;
  char* stacks_;
  std::unique_ptr<Fiber[]> all_;
  std::size_t made_ = 0;
  std::vector<Fiber*> idle_;
  Fiber host_;
  Fiber* running_ = &host_;
  Fiber* from_ = nullptr;
};

}  // namespace rung::sim
