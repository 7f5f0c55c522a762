// SPDX-License-Identifier: Apache-2.0
//
// The OpenCL backend as a driver: enumerates the devices once, describes them, opens them.
#include <mutex>

#include "backends/adapter.hpp"
#include "backends/driver.hpp"
#include "backends/opencl/blast.hpp"
#include "backends/opencl/describe.hpp"
#include "backends/opencl/device.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {
namespace {

class OpenClDriver final : public Driver {
 public:
  [[nodiscard]] std::string name() const override { return "opencl"; }
  [[nodiscard]] std::string status() override { return found().status; }
  [[nodiscard]] std::vector<DeviceInfo> devices() override {
    found();
    return infos_;
  }
  [[nodiscard]] std::unique_ptr<DriverDevice> open(std::uint32_t index,
                                                   const nlohmann::json& options) override {
    refuse_unknown_options(options, {});
    return open_device(found().devices.at(index), infos_.at(index));
  }

 private:
  const Discovery& found() {
    std::call_once(searched_, [this] {
      try {
        discovery_ = discover();
        for (const FoundDevice& device : discovery_.devices) infos_.push_back(describe(device));
        choose_aliases(infos_);
        for (DeviceInfo& info : infos_) {
          info.libraries = {blast_library()};
          if (!discovery_.faults.empty()) info.extra[kFaultsBeside] = discovery_.faults;
        }
      } catch (const BackendError& error) {
        discovery_ = {.status = error.vendor_text, .devices = {}};
        infos_.clear();
      }
    });
    return discovery_;
  }

  std::once_flag searched_;
  Discovery discovery_;
  std::vector<DeviceInfo> infos_;
};

}  // namespace

const HmBackendApi* api();

const HmBackendApi* api() {
  static OpenClDriver driver;
  static const ExportedDriver exported(driver);
  return exported.api();
}

}  // namespace halfmark::backends::opencl
