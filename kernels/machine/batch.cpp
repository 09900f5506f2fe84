#include "device.hpp"

namespace rung {
namespace {

class HostBatch final : public Batch {
 public:
  HostBatch(Device& device, TurnRun run, unsigned count) : device_(device), run_(std::move(run)), count_(count) {}
  double sample() override {
    return device_.time([this](Stream stream) { run_(stream, turn_++); }, count_) / count_;
  }

 private:
  Device& device_;
  TurnRun run_;
  unsigned count_;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Batch> Device::batch(TurnRun run, const BatchShape& shape) {
  return std::make_unique<HostBatch>(*this, std::move(run), shape.count);
}

}  // namespace rung
