// SPDX-License-Identifier: Apache-2.0
// A plan's buffers on a device and its launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/catalog.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/core/execute/progress.hpp"

namespace halfmark::suites {
namespace {

std::string key_of(const Launch& launch) {
  std::string key = launch.family;
  for (const auto& [name, value] : launch.defines) key += fmt::format(" {}={}", name, value);
  return key;
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
                           const Unset& unset, Reporting reporting)
    : session_(session), plan_(plan), unset_(unset), reporting_(reporting) {
  for (const TensorSpec& spec : plan.tensors) {
    buffers_.emplace(spec.name, session.device().allocate(placed(spec).memory_bytes()));
    write_first(buffers_.at(spec.name), spec, inputs, unset);
    specs_.emplace(spec.name, &spec);
  }
}

void PreparedPlan::start_again(const TensorSet& inputs, const Unset& unset) {
  unset_ = unset;
  for (const TensorSpec& spec : plan_.tensors)
    write_first(buffers_.at(spec.name), spec, inputs, unset);
}

void PreparedPlan::restore(const TensorSet& inputs) {
  for (const TensorSpec& spec : plan_.tensors) {
    if (spec.role != Role::kInput) write_first(buffers_.at(spec.name), spec, inputs, unset_);
  }
}

std::uint64_t PreparedPlan::launch() {
  std::uint64_t total_ns = 0;
  auto next = plan_.operators.begin();
  const auto run_operators_before = [&](std::size_t launches) {
    for (; next != plan_.operators.end() && next->launches_before <= launches; ++next) {
      if (!not_supported_) total_ns += run_operator(*next);
    }
  };
  for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
    run_operators_before(i);
    if (not_supported_) return total_ns;
    total_ns += run_launch(plan_.launches[i]);
  }
  run_operators_before(std::numeric_limits<std::size_t>::max());
  if (plan_.flipped) flip();
  return total_ns;
}

std::uint64_t PreparedPlan::run_launch(const Launch& step) {
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
  return session_.program(step).launch(step.entry, grid, arguments);
}

void PreparedPlan::flip() {
  const auto& [tensor, index] = *plan_.flipped;
  std::byte lowest{};
  const std::size_t place = index * specs_.at(tensor)->format->storage_bytes();
  backends::Buffer& buffer = buffers_.at(tensor);
  buffer.read(place, {&lowest, 1});
  lowest ^= std::byte{1};
  buffer.write(place, {&lowest, 1});
}

void PreparedPlan::begin_launch() const {
  if (reporting_ == Reporting::kStages) enter_stage("launch", true);
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

std::uint64_t PreparedPlan::run_operator(const OperatorStep& step) {
  begin_launch();
  backends::OperatorOutcome outcome = session_.device().run(call_of(step));
  if (!outcome.supported) not_supported_ = std::move(outcome.answer);
  return outcome.supported ? outcome.elapsed_ns : 0;
}

bool PreparedPlan::guard_is_intact(const TensorSpec& spec, std::size_t stretch) const {
  const Placed place = placed(spec);
  std::vector<std::byte> guard(kGuardBytes);
  buffers_.at(spec.name).read(place.start_of(stretch) + place.bytes, guard);
  return std::ranges::all_of(guard, [this](std::byte b) { return b == unset_.behind; });
}

bool PreparedPlan::guard_is_intact(const TensorSpec& spec) const {
  for (std::size_t i = 0; i < spec.stretches; ++i) {
    if (!guard_is_intact(spec, i)) return false;
  }
  return true;
}

bool PreparedPlan::holds(const TensorSpec& spec, const formats::Tensor& tensor) const {
  const Placed place = placed(spec);
  const backends::Buffer& buffer = buffers_.at(spec.name);
  std::vector<std::byte> piece(std::min(place.bytes, kPieceBytes));
  for (std::size_t i = 0; i < place.stretches; ++i) {
    const auto wanted = std::span(tensor.bytes).subspan(i * place.bytes, place.bytes);
    for (std::size_t at = 0; at < place.bytes; at += kPieceBytes) {
      const auto part = std::span(piece).first(std::min(kPieceBytes, place.bytes - at));
      buffer.read(place.start_of(i) + at, part);
      if (std::memcmp(part.data(), wanted.data() + at, part.size()) != 0) return false;
    }
  }
  return true;
}

std::pair<formats::Tensor, bool> PreparedPlan::read(const TensorSpec& spec) const {
  const Placed place = placed(spec);
  const backends::Buffer& buffer = buffers_.at(spec.name);
  std::vector<std::byte> bytes(place.stretches * place.bytes);
  bool intact = true;
  for (std::size_t i = 0; i < place.stretches; ++i) {
    if (place.bytes > 0)
      buffer.read(place.start_of(i), std::span(bytes).subspan(i * place.bytes, place.bytes));
    intact = guard_is_intact(spec, i) && intact;
  }
  return {formats::Tensor{.format = spec.format, .bytes = std::move(bytes)}, intact};
}

}  // namespace halfmark::suites
