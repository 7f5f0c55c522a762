// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/device_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "suites/core/execute/plan.hpp"
#include "suites/core/execute/plan_builder.hpp"

namespace halfmark::suites {
namespace {

using formats::kFp32;

constexpr std::uint32_t kGroupItems = 64;
// The prefix of the capabilities that name a language's functions, and the language that has only
// some of them.
constexpr std::string_view kLanguage = "functions.", kLibm = "functions.libm";
struct FunctionRow {
  std::string_view name, entry;
  bool of_libm;
};
constexpr std::array<FunctionRow, 4> kFunctions{{{"exp", "function_standard_exp", true},
                                                 {"log", "function_standard_log", true},
                                                 {"rsqrt", "function_standard_rsqrt", false},
                                                 {"fast-recip", "function_fast_recip", false}}};

const FunctionRow* row_of(std::string_view function) {
  const auto* row = std::ranges::find(kFunctions, function, &FunctionRow::name);
  return row == kFunctions.end() ? nullptr : row;
}

bool names_a_language(const backends::Promise& promise) {
  return promise.offered && promise.capability.starts_with(kLanguage);
}

Plan plan_of(std::string_view function, std::size_t count) {
  Plan plan;
  plan.tensors = {{"x", &kFp32, count, Role::kInput}, {"y", &kFp32, count, Role::kOutput}};
  plan.launches.push_back(
      {.family = "functions",
       .defines = {},
       .entry = std::string(row_of(function)->entry),
       .groups = {static_cast<std::uint32_t>((count + kGroupItems - 1) / kGroupItems), 1, 1},
       .items = {kGroupItems, 1, 1},
       .arguments = {TensorRef{"x"}, TensorRef{"y"}, static_cast<std::int32_t>(count)}});
  return plan;
}

class DeviceFunctions final : public OwnFunctions {
 public:
  DeviceFunctions(Session& session, bool has_all) : session_(session), has_all_(has_all) {}

  [[nodiscard]] bool offers(std::string_view function) const override {
    const FunctionRow* row = row_of(function);
    return row != nullptr && (has_all_ || row->of_libm);
  }

  [[nodiscard]] std::vector<float> values(std::string_view function,
                                          std::span<const float> arguments) override {
    if (!offers(function))
      throw std::logic_error(fmt::format("the device's language has no '{}'", function));
    const std::scoped_lock lock(mutex_);  // a device serves one thread at a time
    Known& known = known_[std::string(function)];
    ask(function, arguments, known);
    std::vector<float> results;
    results.reserve(arguments.size());
    for (const float x : arguments) results.push_back(known.at(std::bit_cast<std::uint32_t>(x)));
    return results;
  }

 private:
  using Known = std::unordered_map<std::uint32_t, float>;

  void ask(std::string_view function, std::span<const float> arguments, Known& known) {
    std::vector<formats::Bits> missing;
    for (const float x : arguments) {
      const auto bits = std::bit_cast<std::uint32_t>(x);
      if (known.emplace(bits, 0.0F).second) missing.push_back(bits);
    }
    if (missing.empty()) return;
    const TensorSet inputs{{"x", formats::Tensor::from_bits(kFp32, missing)}};
    const DeviceResult got = execute(session_, plan_of(function, missing.size()), inputs);
    if (got.error || got.not_supported) {
      for (const formats::Bits bits : missing) known.erase(static_cast<std::uint32_t>(bits));
      throw backends::BackendError("functions", 0,
                                   got.error ? got.error->text : *got.not_supported);
    }
    const formats::Tensor& y = got.outputs.at("y");
    for (std::size_t i = 0; i < missing.size(); ++i)
      known[static_cast<std::uint32_t>(missing[i])] =
          std::bit_cast<float>(static_cast<std::uint32_t>(y.at(i)));
  }

  Session& session_;
  bool has_all_;
  std::mutex mutex_;
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace

bool has_own_functions(const backends::DeviceInfo& device) {
  Plan none;
  return require_group(none, device, kGroupItems) &&
         std::ranges::any_of(device.promises, names_a_language);
}

std::shared_ptr<OwnFunctions> own_functions(Session& session) {
  const backends::DeviceInfo& device = session.device().info();
  if (!has_own_functions(device)) return nullptr;
  const bool has_all = std::ranges::any_of(device.promises, [](const backends::Promise& promise) {
    return names_a_language(promise) && promise.capability != kLibm;
  });
  return std::make_shared<DeviceFunctions>(session, has_all);
}

}  // namespace halfmark::suites
