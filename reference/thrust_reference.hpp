// Thrust as a reference, on either machine: what the command sees of a ThrustTable.
#pragma once
#include "reference.hpp"
#include "thrust_table.hpp"

namespace rung {

class ThrustReference final : public Reference {
 public:
  struct Description {
    std::string name, version;
    Machine machine;
    std::string types;  ///< what the table is built for, in words: "rung has ..."
  };
  ThrustReference(Description description, const ThrustTable& table)
      : description_(std::move(description)), table_(table) {}

  std::string name() const override { return description_.name; }
  std::string version() const override { return description_.version; }
  Machine machine() const override { return description_.machine; }
  std::string call(const Problem& p) const override;
  std::string difference(const Problem& p) const override;
  bool synchronises() const override { return description_.machine == Machine::gpu; }
  bool synchronises(const Problem& p) const override { return synchronises() && p.family == Family::reduce; }
  Plan plan(const Problem&, const Launch&, const DeviceProperties&) const override;
  void run(const Problem&, const Launch&, const DeviceProperties&, const Buffers&, Stream) const override;

 private:
  /// Null, with the reason in `why`, where Thrust has no call or none was built.
  ThrustCall find(const Problem& p, std::string& why) const;

  Description description_;
  ThrustTable table_;
};

/// "Thrust 3.0.1" of a THRUST_VERSION.
inline std::string thrust_version(int number) {
  return "Thrust " + std::to_string(number / 100000) + "." + std::to_string(number / 100 % 1000) + "." +
         std::to_string(number % 100);
}

}  // namespace rung
