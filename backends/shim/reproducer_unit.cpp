// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/reproducer_unit.hpp"

#include <memory>
#include <span>
#include <string>

#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {
namespace {

class NotedLaunch final : public DriverProgram {
 public:
  explicit NotedLaunch(OperatorKernel& kernel) : kernel_(kernel) {}
  std::uint64_t launch(const std::string& entry, const Grid& grid,
                       std::span<const DriverArgument> arguments) override {
    kernel_.entry = entry;
    kernel_.grid = grid;
    kernel_.arguments.assign(arguments.begin(), arguments.end());
    return 1;
  }

 private:
  OperatorKernel& kernel_;
};

// The facts that describe.cpp has written into the description.
DeviceFacts facts_of(const DeviceInfo& device) {
  const std::string capability = device.extra.value("compute_capability", "0.0");
  const std::size_t dot = capability.find('.');
  return {.capability = 10 * std::stoi(capability) + std::stoi(capability.substr(dot + 1)),
          .architecture = device.extra.value("architecture", ""),
          .runtime_version = 0};
}

}  // namespace

std::optional<OperatorKernel> unit_kernel(const UnitForm& form, const DriverOperatorCall& call,
                                          const DeviceInfo& device) {
  OperatorKernel kernel;
  const auto build = [&](const std::string& text, const char* feature) {
    kernel.text = text;
    kernel.feature = feature;
    return std::make_unique<NotedLaunch>(kernel);
  };
  UnitPrograms programs;
  const OperatorOutcome outcome = run_unit(form, facts_of(device), build, programs, call);
  if (!outcome.supported || kernel.entry.empty()) return std::nullopt;
  return kernel;
}

}  // namespace halfmark::backends::shim
