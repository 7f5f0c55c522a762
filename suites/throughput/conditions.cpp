// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/conditions.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "backends/census.hpp"

namespace halfmark::suites::throughput {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMostCopies = 16;

std::uint64_t bytes_of(const Plan& plan) {
  std::uint64_t total = 0;
  for (const TensorSpec& spec : plan.tensors)
    total += spec.count * static_cast<std::uint64_t>(spec.format->storage_bytes());
  return total;
}

// Rotates by whole elements, so that the fill keeps its properties.
TensorSet turned(const TensorSet& inputs, std::size_t by) {
  TensorSet made = inputs;
  for (auto& [name, tensor] : made) {
    if (tensor.count() < 2) continue;
    const std::size_t bytes =
        (by % tensor.count()) * static_cast<std::size_t>(tensor.format->storage_bytes());
    std::rotate(tensor.bytes.begin(), tensor.bytes.begin() + static_cast<std::ptrdiff_t>(bytes),
                tensor.bytes.end());
  }
  return made;
}

nlohmann::json to_json(const backends::Census& census) {
  return {{"fp16", census.half},
          {"bf16", census.bf16},
          {"fp32", census.single},
          {"conversions", census.conversions}};
}

// Counts over all kernels of the plan, or the reason if one of them cannot be read.
backends::CensusReading reading_of(
    const Plan& plan, const std::function<std::vector<std::byte>(const Launch&)>& image) {
  if (plan.launches.empty() || !plan.operators.empty())
    return {.why = "a library shows no image of its kernels"};
  backends::CensusReading sum{.census = backends::Census{}, .in_loops = backends::Census{}};
  for (const Launch& launch : plan.launches) {
    backends::CensusReading one = backends::census_of(image(launch), launch.entry);
    if (!one.census) return one;
    *sum.census += *one.census;
    if (sum.in_loops && one.in_loops) {
      *sum.in_loops += *one.in_loops;
    } else {
      sum.in_loops.reset();
    }
    sum.unresolved_calls.merge(one.unresolved_calls);
  }
  return sum;
}

}  // namespace

std::uint64_t cache_bytes(const backends::DeviceInfo& device) {
  for (const char* key : {"cache_bytes", "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE"}) {
    const auto found = device.extra.find(key);
    if (found != device.extra.end() && found->is_number_unsigned())
      return found->get<std::uint64_t>();
  }
  return 0;
}

double declared_gflops(const backends::DeviceInfo& device, std::string_view formats) {
  const auto sheet = device.extra.find("declared");
  if (sheet == device.extra.end() || !sheet->contains("gflops")) return 0;
  std::size_t longest = 0;
  double rate = 0;
  for (const auto& [key, value] : sheet->at("gflops").items()) {
    const bool fits = formats == key || formats.starts_with(key + ".");
    if (!fits || key.size() <= longest || !value.is_number()) continue;
    longest = key.size();
    rate = value.get<double>();
  }
  return rate;
}

std::string clock_of(const backends::DeviceInfo& device) {
  const auto named_clock = device.extra.find("clock");
  if (named_clock == device.extra.end() || !named_clock->is_string()) return "events";
  const auto& words = named_clock->get_ref<const std::string&>();
  for (const char* name : {"host", "modelled"}) {
    if (words.substr(0, words.find(':')) == name) return name;
  }
  return "events";
}

bool has_modelled_clock(const backends::DeviceInfo& device) {
  return clock_of(device) == "modelled";
}

std::size_t copies_for(std::uint64_t bytes, std::uint64_t cache) {
  const std::uint64_t each = std::max<std::uint64_t>(bytes, 1);
  const std::uint64_t wanted = std::max<std::uint64_t>(2, (2 * cache + each - 1) / each);
  const std::uint64_t room = std::max<std::uint64_t>(1, kMostBytes / each);
  return static_cast<std::size_t>(std::min<std::uint64_t>({wanted, room, kMostCopies}));
}

void add_instructions(const Plan& plan,
                      const std::function<std::vector<std::byte>(const Launch&)>& image,
                      nlohmann::json& conditions) {
  const backends::CensusReading sum = reading_of(plan, image);
  if (!sum.census) {
    conditions["instructions_unread"] = sum.why;
    return;
  }
  nlohmann::json counted = to_json(*sum.census);
  if (sum.in_loops) counted["in_loops"] = to_json(*sum.in_loops);
  if (!sum.unresolved_calls.empty()) counted["unresolved_calls"] = sum.unresolved_calls;
  conditions["instructions"] = std::move(counted);
}

Rotation::Rotation(Session& session, const Plan& plan, const TensorSet& inputs,
                   std::unique_ptr<PreparedPlan> first) {
  const std::size_t count = copies_for(bytes_of(plan), cache_bytes(session.device().info()));
  if (first != nullptr) copies_.push_back(std::move(first));
  while (copies_.size() < count)
    copies_.push_back(std::make_unique<PreparedPlan>(session, plan, inputs, Unset{}));
  bytes_ = count * bytes_of(plan);
  steps_ = static_cast<std::int64_t>(plan.launches.size() + plan.operators.size());
}

std::uint64_t Rotation::launch() {
  PreparedPlan& copy = *copies_[next_];
  next_ = (next_ + 1) % copies_.size();
  return copy.launch();
}

std::optional<std::string> Rotation::not_supported() const {
  for (const auto& copy : copies_) {
    if (copy->not_supported()) return copy->not_supported();
  }
  return std::nullopt;
}

std::uint64_t fresh_launch_ns(Session& session, const Plan& plan, const TensorSet& inputs,
                              Rotation& warm, int launches) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 1; i <= launches; ++i) {
    PreparedPlan fresh(session, plan, turned(inputs, static_cast<std::size_t>(i)), Unset{});
    static_cast<void>(warm.launch());
    least = std::min(least, fresh.launch());
  }
  return least;
}

}  // namespace halfmark::suites::throughput
