// The list of kernels. A kernel file registers itself by one call: add_reduce<K>(), add_mover<K>().
#pragma once
#include "kernel.hpp"
#include "machine/qualifiers.hpp"
#include "monoid.hpp"

#include <memory>
#include <string>
#include <vector>

namespace rung {

/// Takes ownership; called while static objects are built, in any order.
bool enlist(std::unique_ptr<Kernel> kernel);

/// Every kernel of every machine of this build, sorted by family, order, machine.
const std::vector<const Kernel*>& kernels();

/// Those of one family on one machine, in the order of the ladder.
std::vector<const Kernel*> kernels(Family family, Machine machine);

/// The kernel of that name or alias; null when there is none.
const Kernel* find_kernel(Family family, Machine machine, std::string_view name);

/// Bytes of the types a reduction uses: for workspace sizes.
struct ReduceSizes {
  std::size_t input, accumulator, result;
};

inline namespace RUNG_ABI {

/// Which machine runs what this translation unit compiles.
#if defined(__CUDACC__)
inline constexpr Machine this_machine = Machine::gpu;
#elif defined(__SANITIZE_THREAD__)
inline constexpr Machine this_machine = Machine::sim;
#else
inline constexpr Machine this_machine = Machine::cpu;
#endif

/// Adapter for reductions. K has:
///   static constexpr KernelInfo info;
///   static Plan plan(const Problem&, const ReduceSizes&, const Launch&, const DeviceProperties&);
///   template <class M> static constexpr bool supports = …;   (optional: false leaves M out of the build)
///   template <class M> static std::string unsupported();      (optional: the reason where supports is false)
///   template <class M> static void run(const typename M::Input* in, typename M::Result* out, void* workspace,
///                                      const Problem&, const Launch&, const DeviceProperties&, Stream);
template <class K>
class ReduceKernel final : public Kernel {
  using Run = void (*)(const Problem&, const Launch&, const DeviceProperties&, const Buffers&, Stream);
  struct Entry {
    Run run = nullptr;
    ReduceSizes sizes{};
    std::string reason{};  ///< why there is no run
  };

 public:
  ReduceKernel() : Kernel(K::info, this_machine) {
    for_each_monoid([this]<class M>(Op op, DType dtype, Acc acc) {
      Entry& entry = at(op, dtype, acc);
      entry.sizes = {sizeof(typename M::Input), sizeof(typename M::Accumulator), sizeof(typename M::Result)};
      if constexpr (has<M>())
        entry.run = &call<M>;
      else
        entry.reason = why_not<M>();
    });
  }

  Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) const override {
    const Entry& entry = at(p.op, p.dtype, p.acc);
    if (!entry.run)
      return refuse(std::string(name_of(p.op)) + " of " + std::string(name_of(p.dtype)) +
                    (entry.reason.empty() ? " is not something this kernel can do" : ": " + entry.reason));
    return K::plan(p, entry.sizes, launch, device);
  }

  void run(const Problem& p, const Launch& launch, const DeviceProperties& device, const Buffers& b,
           Stream s) const override {
    at(p.op, p.dtype, p.acc).run(p, launch, device, b, s);
  }

 private:
  template <class M>
  static constexpr bool has() {
    if constexpr (requires { K::template supports<M>; })
      return K::template supports<M>;
    else
      return true;
  }
  template <class M>
  static std::string why_not() {
    if constexpr (requires { K::template unsupported<M>(); })
      return K::template unsupported<M>();
    else
      return {};
  }
  template <class M>
  static void call(const Problem& p, const Launch& launch, const DeviceProperties& device, const Buffers& b, Stream s) {
    K::template run<M>(static_cast<const typename M::Input*>(b.in), static_cast<typename M::Result*>(b.out),
                       b.workspace, p, launch, device, s);
  }
  Entry& at(Op op, DType dtype, Acc acc) {
    return entries_[(static_cast<std::size_t>(op) * dtype_count + static_cast<std::size_t>(dtype)) * 2 +
                    static_cast<std::size_t>(acc)];
  }
  const Entry& at(Op op, DType dtype, Acc acc) const { return const_cast<ReduceKernel*>(this)->at(op, dtype, acc); }

  std::array<Entry, op_names.size() * dtype_count * 2> entries_{};
};

/// Elements as movers see them: by size alone, so that every bit is kept.
struct alignas(16) Word16 {
  std::uint64_t low, high;
};

/// Adapter for transposes and reverses, compiled for elements of 1, 2, 4, 8 and 16 bytes. K has:
///   static constexpr KernelInfo info;
///   static Plan plan(const Problem&, const Launch&, const DeviceProperties&);
///   template <class T> static void run(const T* in, T* out, void* workspace, const Problem&, const Launch&,
///                                      const DeviceProperties&, Stream);
template <class K>
class MoverKernel final : public Kernel {
 public:
  MoverKernel() : Kernel(K::info, this_machine) {}
  Plan plan(const Problem& p, const Launch& launch, const DeviceProperties& device) const override {
    return K::plan(p, launch, device);
  }
  void run(const Problem& p, const Launch& launch, const DeviceProperties& device, const Buffers& b,
           Stream s) const override {
    switch (size_of(p.dtype)) {
      case 1:
        return call<std::uint8_t>(p, launch, device, b, s);
      case 2:
        return call<std::uint16_t>(p, launch, device, b, s);
      case 4:
        return call<std::uint32_t>(p, launch, device, b, s);
      case 8:
        return call<std::uint64_t>(p, launch, device, b, s);
      default:
        return call<Word16>(p, launch, device, b, s);
    }
  }

 private:
  template <class T>
  static void call(const Problem& p, const Launch& launch, const DeviceProperties& device, const Buffers& b, Stream s) {
    K::template run<T>(static_cast<const T*>(b.in), static_cast<T*>(b.out), b.workspace, p, launch, device, s);
  }
};

template <class K>
bool add_reduce() {
  return enlist(std::make_unique<ReduceKernel<K>>());
}
template <class K>
bool add_mover() {
  return enlist(std::make_unique<MoverKernel<K>>());
}

}  // namespace RUNG_ABI
}  // namespace rung
