// SPDX-License-Identifier: Apache-2.0
//
// The driver interface over the parts of this folder; rejects callers' mistakes.
#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backends/adapter.hpp"
#include "backends/environment_fault.hpp"
#include "backends/host/compute_units.hpp"
#include "backends/host/faults.hpp"
#include "backends/host/host.hpp"
#include "backends/host/host_buffer.hpp"
#include "backends/host/identity.hpp"
#include "backends/host/library/modelled_clock.hpp"
#include "backends/host/library/operators.hpp"
#include "backends/host/program.hpp"
#include "backends/host/text_faults.hpp"
#include "backends/host/variable.hpp"
#include "backends/process_memory.hpp"

namespace halfmark::backends::host {
namespace {

std::atomic<std::uint64_t> g_opened = 0;  // devices opened in this process

// The settings of one opened device.
struct Settings {
  Compiler compiler;
  std::optional<std::uint64_t> shuffle_seed;
  Fault fault;  // of the library, or of copies
};

[[nodiscard]] library::OperatorCall in_memory(const DriverOperatorCall& call) {
  library::OperatorCall made{call.library, call.name, call.compute, {}, call.scalars, call.options};
  for (const DriverTensorView& view : call.tensors) {
    made.tensors.push_back({.role = view.role,
                            .buffer = static_cast<HostBuffer*>(view.buffer)->memory(),
                            .offset_bytes = view.offset_bytes,
                            .format = view.format,
                            .sizes = view.sizes,
                            .strides = view.strides});
  }
  return made;
}

// "7" of K07, as dialect_faults.h compares it.
std::string kernel_fault_number(const Fault& fault) {
  const std::string_view digits = fault.id().substr(1);
  return std::string(digits.substr(digits.find_first_not_of('0')));
}

// Marks a faulty device, so that neither it nor its scorecard passes for a correct one.
void stamp(DeviceInfo& info, const Fault& fault) {
  if (!fault.planted()) return;
  info.name += fmt::format(" with fault {}", fault.name());
  info.extra["fault"] = fault.name();
  if (!library::ModelledClock::serves(fault)) return;
  info.extra["clock"] = "modelled: of library operators";
  info.extra["declared"] = library::ModelledClock::data_sheet();
}

class HostDevice final : public DriverDevice {
 public:
  HostDevice(Settings settings, unsigned threads)
      : settings_(std::move(settings)), units_(threads), library_threads_(threads) {
    if (library::ModelledClock::serves(settings_.fault)) modelled_clock_.emplace(settings_.fault);
  }
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  ~HostDevice() override { --g_opened; }

  [[nodiscard]] DeviceInfo describe() override {
    DeviceInfo info = identify(settings_.compiler, units_.count());
    stamp(info, settings_.fault);
    if (settings_.shuffle_seed) info.extra["shuffle"] = *settings_.shuffle_seed;
    return info;
  }
  [[nodiscard]] std::unique_ptr<DriverBuffer> allocate(std::uint64_t bytes) override {
    return make_buffer(bytes, settings_.fault);
  }
  [[nodiscard]] std::unique_ptr<DriverProgram> build(const std::string& source,
                                                     std::span<const Define> defines) override {
    std::vector<Define> all(defines.begin(), defines.end());
    if (settings_.fault.id().starts_with('K'))
      all.push_back({.name = "HM_HOST_FAULT", .value = kernel_fault_number(settings_.fault)});
    return std::make_unique<HostProgram>(
        Module::build(settings_.compiler, cache_, with_fault(source, settings_.fault), all), units_,
        settings_.shuffle_seed);
  }
  [[nodiscard]] MemoryAnswer memory() override { return process_memory(); }
  [[nodiscard]] OperatorOutcome run(const DriverOperatorCall& call) override {
    const library::OperatorCall made = in_memory(call);
    OperatorOutcome outcome = library::run_operator(made, settings_.fault,
                                                    {operator_calls_++, handle_}, library_threads_);
    if (modelled_clock_ && outcome.supported)
      outcome.elapsed_ns = modelled_clock_->elapsed_ns(made);
    return outcome;
  }

 private:
  Settings settings_;
  ImageCache cache_;
  ComputeUnits units_;
  ThreadPool library_threads_;
  std::uint64_t operator_calls_ = 0;
  const std::uint64_t handle_ = g_opened++;
  std::optional<library::ModelledClock> modelled_clock_;
};

[[nodiscard]] std::optional<std::uint64_t> default_shuffle_seed() {
  return number_in("HALFMARK_HOST_SHUFFLE", 0, std::numeric_limits<std::uint64_t>::max());
}

class HostDriver final : public Driver {
 public:
  [[nodiscard]] std::string name() const override { return "host"; }
  [[nodiscard]] std::string status() override {
    look();
    return status_;
  }
  [[nodiscard]] std::vector<DeviceInfo> devices() override {
    look();
    if (!compiler_) return {};
    DeviceInfo info = identify(*compiler_, default_thread_count());
    stamp(info, fault_);
    return {std::move(info)};
  }
  [[nodiscard]] std::unique_ptr<DriverDevice> open(std::uint32_t index,
                                                   const nlohmann::json& options) override {
    look();
    if (!compiler_ || index != 0)
      throw BackendError("device_open", 0, compiler_ ? "no such device" : status_);
    constexpr std::string_view kKnown[] = {"threads", "shuffle", "fault"};
    refuse_unknown_options(options, kKnown);
    Settings settings{
        .compiler = *compiler_, .shuffle_seed = default_shuffle_seed(), .fault = fault_};
    if (options.contains("shuffle"))
      settings.shuffle_seed = options.at("shuffle").get<std::uint64_t>();
    if (options.contains("fault")) settings.fault = fault_of(options.at("fault"));
    const unsigned threads = options.value("threads", default_thread_count());
    if (threads == 0 || threads > kMostThreads)
      throw BackendError("device_open", 0,
                         fmt::format("option 'threads' takes 1 to {}", kMostThreads));
    return std::make_unique<HostDevice>(std::move(settings), threads);
  }

 private:
  [[nodiscard]] static Fault fault_of(const nlohmann::json& option) {
    try {
      return parse_fault(option.get<std::string>());
    } catch (const FaultError& error) {
      throw BackendError("device_open", 0, error.what());
    }
  }

  void look() {
    std::call_once(looked_, [this] {
      try {
        fault_ = fault_of_environment();
        static_cast<void>(default_thread_count());
        static_cast<void>(default_shuffle_seed());
        compiler_ = find_compiler();
        status_ = "ok";
      } catch (const FaultError& error) {
        status_ = fmt::format("{}: {}", kFaultVariable, error.what());
      } catch (const EnvironmentFault& fault) {
        status_ = fault.what();
      }
    });
  }

  std::once_flag looked_;
  std::string status_;
  std::optional<Compiler> compiler_;
  Fault fault_;  // from the environment
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<HostDriver>(); }

const HmBackendApi* api() {
  static const std::unique_ptr<Driver> driver = make_driver();
  static const ExportedDriver exported(*driver);
  return exported.api();
}

}  // namespace halfmark::backends::host
