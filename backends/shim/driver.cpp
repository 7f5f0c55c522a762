// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/driver.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "backends/shim/describe.hpp"
#include "backends/shim/device.hpp"
#include "backends/shim/runtime.hpp"
#include "backends/shim/telemetry.hpp"

namespace halfmark::backends::shim {
namespace {

class ShimDriver final : public Driver {
 public:
  explicit ShimDriver(const Vendor& vendor) : vendor_(vendor) {}
  [[nodiscard]] std::string name() const override { return vendor_.backend; }
  [[nodiscard]] std::string status() override {
    look();
    return status_;
  }
  [[nodiscard]] std::vector<DeviceInfo> devices() override {
    look();
    return infos_;
  }
  [[nodiscard]] std::unique_ptr<DriverDevice> open(std::uint32_t index,
                                                   const nlohmann::json& options) override {
    look();
    refuse_unknown_options(options, {});
    if (!runtime_ || index >= infos_.size()) throw BackendError("device_open", 0, status_);
    return open_device(*runtime_, static_cast<int>(index));
  }

 private:
  void look() {
    std::call_once(looked_, [this] {
      try {
        runtime_.emplace(vendor_);
        static_cast<void>(runtime_->compiler());  // without a compiler the device is unusable
        for (int i = 0; i < runtime_->device_count(); ++i) infos_.push_back(describe(*runtime_, i));
        add_telemetry(vendor_, infos_);
        status_ = "ok";
      } catch (const BackendError& error) {
        infos_.clear();
        status_ = error.vendor_text;
      }
    });
  }

  const Vendor& vendor_;
  std::once_flag looked_;
  std::optional<Runtime> runtime_;
  std::string status_;
  std::vector<DeviceInfo> infos_;
};

}  // namespace

std::unique_ptr<Driver> make_driver(const Vendor& vendor) {
  return std::make_unique<ShimDriver>(vendor);
}

}  // namespace halfmark::backends::shim
