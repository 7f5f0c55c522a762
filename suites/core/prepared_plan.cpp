// SPDX-License-Identifier: Apache-2.0
// A plan's buffers on a device, and its launches: where each tensor lies, and what surrounds it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/catalog.hpp"
#include "suites/core/execute.hpp"
#include "suites/core/stage.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kGuardBytes = 256;

std::size_t size_bytes(const TensorSpec& spec) {
  return spec.count * static_cast<std::size_t>(spec.format->storage_bytes());
}

// Of a stretch and from one to the next.
std::size_t stretch_bytes(const TensorSpec& spec) { return size_bytes(spec) / spec.stretches; }
std::size_t apart_bytes(const TensorSpec& spec) {
  return spec.apart * static_cast<std::size_t>(spec.format->storage_bytes());
}

// Each stretch is followed by a guard, the last one's the end of the memory.
std::size_t device_bytes(const TensorSpec& spec) {
  return (spec.stretches - 1) * apart_bytes(spec) + stretch_bytes(spec) + kGuardBytes;
}

std::string key_of(const Launch& launch) {
  std::string key = launch.family;
  for (const auto& [name, value] : launch.defines) key += fmt::format(" {}={}", name, value);
  return key;
}

// A tensor in memory before anything runs, with its guards.
void write_first(backends::Buffer& buffer, const TensorSpec& spec, const TensorSet& inputs,
                 const Unset& unset) {
  const bool is_given = spec.role == Role::kInput || spec.role == Role::kInOut;
  const std::size_t length = stretch_bytes(spec);
  for (std::size_t i = 0; i < spec.stretches; ++i) {
    std::vector<std::byte> image(length, unset.contents);
    image.resize(length + kGuardBytes, unset.behind);
    if (is_given) {
      const auto part = std::span(inputs.at(spec.name).bytes).subspan(i * length, length);
      std::copy(part.begin(), part.end(), image.begin());
    }
    buffer.write(i * apart_bytes(spec), image);
  }
}

}  // namespace

Session& Session::beside() {
  if (beside_ == nullptr) beside_ = std::make_unique<Session>(device_.open_again());
  return *beside_;
}

backends::Program& Session::program(const Launch& launch) {
  const std::string key = key_of(launch);
  const auto found = programs_.find(key);
  if (found != programs_.end()) return found->second;
  std::vector<backends::Define> defines;
  for (const auto& [name, value] : launch.defines) defines.push_back({name, value});
  return programs_.emplace(key, device_.build(kernels::program_text(launch.family), defines))
      .first->second;
}

PreparedPlan::PreparedPlan(Session& session, const Plan& plan, const TensorSet& inputs,
                           const Unset& unset, Telling telling)
    : session_(session), plan_(plan), unset_(unset), telling_(telling) {
  for (const TensorSpec& spec : plan.tensors) {
    backends::Buffer buffer = session.device().allocate(device_bytes(spec));
    write_first(buffer, spec, inputs, unset);
    buffers_.emplace(spec.name, std::move(buffer));
    specs_.emplace(spec.name, &spec);
  }
}

void PreparedPlan::restore(const TensorSet& inputs) {
  for (const TensorSpec& spec : plan_.tensors) {
    if (spec.role != Role::kInput) write_first(buffers_.at(spec.name), spec, inputs, unset_);
  }
}

std::uint64_t PreparedPlan::launch() {
  std::uint64_t total_ns = 0;
  for (const Launch& step : plan_.launches) {
    std::vector<backends::Argument> arguments;
    for (const PlanArgument& argument : step.arguments) {
      if (const auto* tensor = std::get_if<TensorRef>(&argument)) {
        arguments.emplace_back(&buffers_.at(tensor->name));
      } else if (const auto* i32 = std::get_if<std::int32_t>(&argument)) {
        arguments.emplace_back(*i32);
      } else if (const auto* u32 = std::get_if<std::uint32_t>(&argument)) {
        arguments.emplace_back(*u32);
      } else {
        arguments.emplace_back(std::get<float>(argument));
      }
    }
    begin_launch();
    const backends::Grid grid{.groups = step.groups, .items = step.items};
    total_ns += session_.program(step).launch(step.entry, grid, arguments);
  }
  return total_ns + run_operators();
}

void PreparedPlan::begin_launch() const {
  if (telling_ == Telling::kStages) enter_stage("launch", true);
}

backends::OperatorCall PreparedPlan::call_of(const OperatorStep& step) const {
  backends::OperatorCall call{step.library, step.name, step.compute, {}, {}, {}};
  for (const TensorSlice& slice : step.tensors) {
    const formats::Format& format = *specs_.at(slice.tensor)->format;
    call.tensors.push_back(
        {.role = slice.role,
         .buffer = &buffers_.at(slice.tensor),
         .offset_bytes = slice.offset * static_cast<std::size_t>(format.storage_bytes()),
         .format = slice.format.empty() ? std::string(format.name) : slice.format,
         .sizes = slice.sizes,
         .strides = slice.strides});
  }
  for (const auto& [name, value] : step.scalars) call.scalars.push_back({name, value});
  for (const auto& [name, value] : step.options) call.options.push_back({name, value});
  return call;
}

std::uint64_t PreparedPlan::run_operators() {
  std::uint64_t total_ns = 0;
  for (const OperatorStep& step : plan_.operators) {
    begin_launch();
    backends::OperatorOutcome outcome = session_.device().run(call_of(step));
    if (!outcome.supported) {
      not_supported_ = std::move(outcome.answer);
      return total_ns;
    }
    total_ns += outcome.elapsed_ns;
  }
  return total_ns;
}

std::pair<formats::Tensor, bool> PreparedPlan::read(const TensorSpec& spec) const {
  const std::size_t length = stretch_bytes(spec);
  std::vector<std::byte> bytes(size_bytes(spec));
  bool intact = true;
  for (std::size_t i = 0; i < spec.stretches; ++i) {
    std::vector<std::byte> image(length + kGuardBytes);
    buffers_.at(spec.name).read(i * apart_bytes(spec), image);
    const std::span part(image);
    intact = intact && std::ranges::all_of(part.subspan(length),
                                           [this](std::byte b) { return b == unset_.behind; });
    std::copy_n(part.begin(), length, std::span(bytes).subspan(i * length, length).begin());
  }
  return {formats::Tensor{.format = spec.format, .bytes = std::move(bytes)}, intact};
}

}  // namespace halfmark::suites
