// SPDX-License-Identifier: Apache-2.0
#include "suites/core/golden/device_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/fast/digest_kernels.hpp"
#include "suites/core/execute/plan_builder.hpp"

namespace halfmark::suites {
namespace {

constexpr std::uint32_t kItems = 64;  // HM_DIGEST_ITEMS of kernels/digest.hk
constexpr std::size_t kElementsOfItem = 64;
constexpr std::size_t kMostGroups = 256;
constexpr std::uint64_t kMostIndex = std::uint64_t{1} << 30;  // an int holds it, plus all items
constexpr std::byte kPoison{0xa5};
constexpr std::size_t kLeastBytes = std::size_t{1} << 16;
// Threads cost more than they gain for tensors of this size.
constexpr std::size_t kSmallBytes = std::size_t{1} << 20;

Launch launch_of(const TensorSpec& spec) {
  const std::size_t groups =
      std::clamp<std::size_t>(spec.count / (kItems * kElementsOfItem), 1, kMostGroups);
  return {.family = "digest",
          .defines = {{"HM_WORD_BYTES", std::to_string(spec.format->storage_bytes())}},
          .entry = "digest_tensor",
          .groups = {static_cast<std::uint32_t>(groups), 1, 1},
          .items = {kItems, 1, 1},
          .arguments = {}};
}

fast::Digest added(const std::vector<std::byte>& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  fast::Digest sum;
  for (std::size_t i = 0; i < words.size(); i += 2)
    sum += fast::Digest{.low = words[i], .high = words[i + 1]};
  return sum;
}

}  // namespace

std::vector<Launch> digest_programs() {
  std::vector<Launch> programs;
  for (const formats::Format* format : {&formats::kE5m2, &formats::kFp16, &formats::kFp32})
    programs.push_back(launch_of({.name = {}, .format = format}));
  return programs;
}

bool may_be_digested(const Plan& plan) {
  const bool runs = !plan.launches.empty() || !plan.operators.empty();
  return runs && plan.repeats == 0;
}

std::size_t least_bytes_digested(const backends::DeviceInfo& device) {
  const bool is_processor =
      device.kind == "cpu" || device.kind == "software" || device.kind == "simulator";
  Plan none;
  const bool has_groups = require_group(none, device, kItems);
  return is_processor || !has_groups ? std::numeric_limits<std::size_t>::max() : kLeastBytes;
}

DeviceDigests::DeviceDigests(Session& session, const Plan& plan, const TensorSet& inputs,
                             std::size_t least_bytes)
    : session_(session), plan_(plan), inputs_(inputs), least_bytes_(least_bytes) {}

bool DeviceDigests::may_launch(const TensorSpec& spec, std::uint64_t first) const {
  const std::size_t width = spec.format->storage_bytes();
  const bool is_word = width == 1 || width == 2 || width == 4;
  return can_build_ && is_word && spec.stretches == 1 && spec.count * width >= least_bytes_ &&
         first + spec.count <= kMostIndex;
}

fast::Digest DeviceDigests::launch(const PreparedPlan& run, const TensorSpec& spec,
                                   std::uint32_t first) {
  const Launch step = launch_of(spec);
  backends::Program& program = session_.program(step);
  std::vector<std::byte> bytes(step.groups[0] * sizeof(std::uint64_t), kPoison);
  backends::Buffer sums = session_.device().allocate(bytes.size());
  sums.write(0, bytes);
  const fast::WordRule rule = fast::word_rule(*spec.format);
  const std::vector<backends::Argument> arguments{&run.buffer(spec),
                                                  &sums,
                                                  static_cast<std::int32_t>(spec.count),
                                                  first,
                                                  static_cast<std::uint32_t>(rule.padding),
                                                  rule.mask,
                                                  rule.nan_mask,
                                                  rule.nan_first,
                                                  rule.nan_last,
                                                  rule.quiet_nan};
  device_ns_ += program.launch(step.entry, {.groups = step.groups, .items = step.items}, arguments);
  ++launches_;
  sums.read(0, bytes);
  return added(bytes);
}

std::optional<fast::Digest> DeviceDigests::digest_of(const PreparedPlan& run,
                                                     const TensorSpec& spec, std::uint64_t first) {
  if (may_launch(spec, first)) {
    try {
      static_cast<void>(session_.program(launch_of(spec)));
    } catch (const backends::BackendError& error) {
      if (error.device_lost) throw;
      can_build_ = false;  // a device without a compiler of its own
    }
  }
  if (!may_launch(spec, first)) {
    const auto [tensor, is_intact] = run.read(spec);
    const fast::Options options{.threads = tensor.bytes.size() <= kSmallBytes ? 1U : 0U};
    return is_intact ? std::optional(fast::digest(tensor, first, options)) : std::nullopt;
  }
  const fast::Digest digest = launch(run, spec, static_cast<std::uint32_t>(first));
  return run.guard_is_intact(spec) ? std::optional(digest) : std::nullopt;
}

bool DeviceDigests::inputs_are_unchanged(const PreparedPlan& run) {
  return std::ranges::all_of(plan_.tensors, [&](const TensorSpec& spec) {
    if (spec.role != Role::kInput) return is_output(spec) || run.guard_is_intact(spec);
    if (!may_launch(spec, 0)) {
      const auto [tensor, is_intact] = run.read(spec);
      return is_intact && tensor.has_bytes_of(inputs_.at(spec.name));
    }
    const auto [known, is_new] = of_inputs_.try_emplace(spec.name);
    if (is_new) known->second = fast::digest(inputs_.at(spec.name));
    return digest_of(run, spec, 0) == known->second;
  });
}

bool DeviceDigests::hold(const PreparedPlan& run, std::uint64_t expected) {
  std::map<std::string, const TensorSpec*> outputs;  // by name, as a TensorSet has them
  for (const TensorSpec& spec : plan_.tensors) {
    if (is_output(spec)) outputs.emplace(spec.name, &spec);
  }
  fast::Digest sum;
  std::uint64_t first = 0;
  for (const auto& [name, spec] : outputs) {
    const auto part = digest_of(run, *spec, first);
    if (!part) return false;
    sum += *part;
    first += spec->count;
  }
  return sum.word() == expected && inputs_are_unchanged(run);
}

}  // namespace halfmark::suites
