// SPDX-License-Identifier: Apache-2.0
//
// The processor that Halfmark runs on as a device of its own. Kernels are compiled, cached and run
// as the software device does it (backends/host), for all instructions that the processor has.
#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backends/adapter.hpp"
#include "backends/cpu/embedded.hpp"
#include "backends/cpu/libraries.hpp"
#include "backends/cpu/processor.hpp"
#include "backends/cpu/unit_gemm.hpp"
#include "backends/environment_fault.hpp"
#include "backends/host/compute_units.hpp"
#include "backends/host/host_buffer.hpp"
#include "backends/host/image_cache.hpp"
#include "backends/host/program.hpp"
#include "backends/process_memory.hpp"

namespace halfmark::backends::cpu {
namespace {

DeviceInfo described(const Processor& processor, unsigned threads) {
  DeviceInfo info = identify(processor, threads);
  info.libraries = library_descriptions();
  for (Library& unit : unit_descriptions(processor.model))
    info.libraries.push_back(std::move(unit));
  return info;
}

class CpuDevice final : public DriverDevice {
 public:
  CpuDevice(const Processor& processor, unsigned threads)
      : processor_(processor), units_(threads), libraries_(threads) {}

  [[nodiscard]] DeviceInfo describe() override { return described(processor_, units_.count()); }
  [[nodiscard]] std::unique_ptr<DriverBuffer> allocate(std::uint64_t bytes) override {
    return host::make_buffer(bytes, {});
  }
  [[nodiscard]] std::unique_ptr<DriverProgram> build(const std::string& source,
                                                     std::span<const Define> defines) override {
    std::vector<Define> all(defines.begin(), defines.end());
    const bool has_half = !processor_.half_arithmetic.empty();
    if (has_half) all.push_back({.name = "HM_HOST_NATIVE_HALF", .value = "1"});
    host::Module module = host::Module::build(processor_.compiler, cache_, source, all,
                                              has_half ? half_h : std::string_view());
    return std::make_unique<host::HostProgram>(std::move(module), units_, std::nullopt);
  }
  [[nodiscard]] MemoryAnswer memory() override { return process_memory(); }
  [[nodiscard]] OperatorOutcome run(const DriverOperatorCall& call) override {
    if (is_unit(call.library)) return timed([&] { return prepared_unit(call); });
    return libraries_.run(call);
  }

 private:
  const Processor& processor_;
  host::ImageCache cache_;
  host::ComputeUnits units_;
  Libraries libraries_;
};

class CpuDriver final : public Driver {
 public:
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] std::string status() override {
    look();
    return status_;
  }
  [[nodiscard]] std::vector<DeviceInfo> devices() override {
    look();
    if (!processor_) return {};
    return {described(*processor_, host::default_thread_count())};
  }
  [[nodiscard]] std::unique_ptr<DriverDevice> open(std::uint32_t index,
                                                   const nlohmann::json& options) override {
    look();
    if (!processor_ || index != 0)
      throw BackendError("device_open", 0, processor_ ? "no such device" : status_);
    constexpr std::string_view kKnown[] = {"threads"};
    refuse_unknown_options(options, kKnown);
    const unsigned threads = options.value("threads", host::default_thread_count());
    if (threads == 0 || threads > host::kMostThreads) {
      throw BackendError("device_open", 0,
                         fmt::format("option 'threads' takes 1 to {}", host::kMostThreads));
    }
    return std::make_unique<CpuDevice>(*processor_, threads);
  }

 private:
  void look() {
    std::call_once(looked_, [this] {
      try {
        static_cast<void>(host::default_thread_count());
        processor_ = examine_processor();
        status_ = "ok";
      } catch (const EnvironmentFault& fault) {
        status_ = fault.what();
      }
    });
  }

  std::once_flag looked_;
  std::string status_;
  std::optional<Processor> processor_;
};

}  // namespace

const HmBackendApi* api();

const HmBackendApi* api() {
  static CpuDriver driver;
  static const ExportedDriver exported(driver);
  return exported.api();
}

}  // namespace halfmark::backends::cpu
