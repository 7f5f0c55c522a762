// SPDX-License-Identifier: Apache-2.0
// What a library declines has no time, and is accused of nothing. The device is this process (the
// plug-in leads back into it): the software device, whose library declines what a test says.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "backends/adapter.hpp"
#include "backends/host/host.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/measure.hpp"
#include "suites/throughput/queued.hpp"
#include "suites/throughput/sizes.hpp"

namespace halfmark::suites::throughput {
namespace {

using backends::DriverOperatorCall;

constexpr const char* kProduct = "gemm.fp16.acc-fp32.out-fp16.library.nn.m64n64k64.plain.normal.s1";
constexpr const char* kAnswer = "that is not offered";

bool (*is_declined)(const DriverOperatorCall&) = nullptr;
bool is_fast = false;  // claims a microsecond for every call

class DecliningDevice final : public backends::DriverDevice {
 public:
  explicit DecliningDevice(std::unique_ptr<backends::DriverDevice> host) : host_(std::move(host)) {}

  static backends::DeviceInfo described(backends::DeviceInfo info) {
    info.selector.clear();
    info.alias.clear();
    info.name = "declining";
    info.extra["queued_calls"] = true;
    return info;
  }
  [[nodiscard]] backends::DeviceInfo describe() override { return described(host_->describe()); }
  [[nodiscard]] std::unique_ptr<backends::DriverBuffer> allocate(std::uint64_t bytes) override {
    return host_->allocate(bytes);
  }
  [[nodiscard]] std::unique_ptr<backends::DriverProgram> build(
      const std::string& source, std::span<const backends::Define> defines) override {
    return host_->build(source, defines);
  }
  [[nodiscard]] backends::OperatorOutcome run(const DriverOperatorCall& call) override {
    if (is_declined(call)) return {.supported = false, .answer = kAnswer, .elapsed_ns = 0};
    backends::OperatorOutcome outcome = host_->run(call);
    if (is_fast) outcome.elapsed_ns = 1000;
    return outcome;
  }

 private:
  std::unique_ptr<backends::DriverDevice> host_;
};

class DecliningDriver final : public backends::Driver {
 public:
  [[nodiscard]] std::string name() const override { return "declining"; }
  [[nodiscard]] std::string status() override { return host_->status(); }
  [[nodiscard]] std::vector<backends::DeviceInfo> devices() override {
    std::vector<backends::DeviceInfo> list = host_->devices();
    for (backends::DeviceInfo& info : list) {
      info = DecliningDevice::described(std::move(info));
      info.backend = name();
    }
    return list;
  }
  [[nodiscard]] std::unique_ptr<backends::DriverDevice> open(
      std::uint32_t index, const nlohmann::json& options) override {
    return std::make_unique<DecliningDevice>(host_->open(index, options));
  }

 private:
  std::unique_ptr<backends::Driver> host_ = backends::host::make_driver();
};

Session opened(bool (*declines)(const DriverOperatorCall&)) {
  is_declined = declines;
  static_cast<void>(backends::load_plugin(HM_FIXTURE));
  return Session(backends::Device::open("declining"));
}

bool is_group(const DriverOperatorCall& call) {
  return std::ranges::any_of(call.options,
                             [](const auto& option) { return option.name == "calls"; });
}

TEST(Declined, IsWhatTheRowSaysInTheLibrarysWords) {
  Session session = opened([](const DriverOperatorCall& call) { return call.name == "convert"; });
  const nlohmann::json row = measure(session, std::string(kAutocast) + kProduct);
  EXPECT_EQ(kAnswer, row.at("doubt"));
  EXPECT_EQ(nlohmann::json::array(), row.at("samples_ns"));
}

TEST(Declined, AGroupOfCallsIsNoQueueAndTheProductIsTimedAlone) {
  Session session = opened(is_group);
  const Case c = parse_case(kProduct);
  const auto problem = find_suite(c.suite).bind(c);
  const Plan plan = problem->plan(session.device().info());
  const TensorSet inputs = problem->inputs();
  ASSERT_TRUE(can_queue(session.device().info(), plan));
  EXPECT_EQ(nullptr, queue_for(session, plan, inputs, 2, 1));
  const nlohmann::json row = measure(session, kProduct);
  EXPECT_EQ(1, row.at("conditions").at("calls_between_events"));
  EXPECT_FALSE(row.at("samples_ns").empty());
  EXPECT_EQ(std::string::npos, row.at("doubt").get<std::string>().find("left another"));
}

TEST(Declined, ASizeIsNotGrownTo) {
  Session session =
      opened([](const DriverOperatorCall& call) { return call.tensor("d")->sizes[0] > 128; });
  is_fast = true;
  EXPECT_EQ(kProduct, print(speaking_size(session, parse_case(kProduct))));
  is_fast = false;
}

}  // namespace
}  // namespace halfmark::suites::throughput

extern "C" const HmBackendApi* hm_fixture_api();
extern "C" const HmBackendApi* hm_fixture_api() {
  static halfmark::suites::throughput::DecliningDriver driver;
  static const halfmark::backends::ExportedDriver exported(driver);
  return exported.api();
}
