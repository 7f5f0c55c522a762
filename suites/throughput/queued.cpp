// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/queued.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace halfmark::suites::throughput {
namespace {

constexpr std::size_t kGrowth = 4;

std::string name_in(std::size_t copy, const std::string& tensor) {
  return fmt::format("{}#{}", tensor, copy);
}

TensorSet copied(const TensorSet& inputs, std::size_t copies) {
  TensorSet all;
  for (const auto& [name, tensor] : inputs) {
    for (std::size_t copy = 0; copy < copies; ++copy) all.emplace(name_in(copy, name), tensor);
  }
  return all;
}

bool is_of_a_library(const backends::DeviceInfo& device, const OperatorStep& step) {
  return std::ranges::any_of(device.libraries, [&](const backends::Library& library) {
    return library.name == step.library && library.kind == "library";
  });
}

}  // namespace

Queue::Queue(Session& session, const Plan& one, const TensorSet& inputs, std::size_t copies)
    : session_(session), one_(one), inputs_(inputs), copies_(copies) {
  for (const TensorSpec& spec : one.tensors) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      plan_.tensors.push_back(spec);
      plan_.tensors.back().name = name_in(copy, spec.name);
    }
  }
  plan_.operators = one.operators;
  prepared_ = std::make_unique<PreparedPlan>(session, plan_, copied(inputs, copies), Unset{});
  set_calls(copies);
}

void Queue::set_calls(std::size_t calls) {
  calls_ = calls;
  const OperatorStep& one = one_.operators.front();
  OperatorStep& all = plan_.operators.front();
  all.tensors.clear();
  for (std::size_t call = 0; call < calls; ++call) {
    for (TensorSlice slice : one.tensors) {
      slice.tensor = name_in(call % copies_, slice.tensor);
      all.tensors.push_back(std::move(slice));
    }
  }
  all.options = one.options;
  all.options.emplace_back("calls", fmt::format("{}", calls));
}

void Queue::grow() {
  static_cast<void>(time_groups(1));  // the first calls may build kernels
  while (!is_declined() && time_groups(1).event_ns < kGroupNs && calls_ < kMostCalls)
    set_calls(std::min(kMostCalls, calls_ * kGrowth));
}

Clocks Queue::time_groups(std::int64_t groups) {
  using Clock = std::chrono::steady_clock;
  Clocks clocks;
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto start = Clock::now();
    clocks.read(prepared_->launch(), static_cast<std::int64_t>(calls_));
    clocks.host_ns += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
  }
  return clocks;
}

std::string Queue::changed_output() {
  PreparedPlan alone(session_, one_, inputs_, Unset{});
  static_cast<void>(alone.launch());
  prepared_->restore({});  // inputs stay
  static_cast<void>(prepared_->launch());
  for (const TensorSpec& spec : one_.tensors) {
    if (spec.role != Role::kOutput) continue;
    const auto [expected, expected_guard] = alone.read(spec);
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      TensorSpec queued = spec;
      queued.name = name_in(copy, spec.name);
      const auto [actual, guard] = prepared_->read(queued);
      if (!actual.has_bytes_of(expected) || !guard) return spec.name;
    }
  }
  return {};
}

bool can_queue(const backends::DeviceInfo& device, const Plan& plan) {
  const auto queued = device.extra.find("queued_calls");
  return queued != device.extra.end() && *queued == true && plan.launches.empty() &&
         plan.operators.size() == 1 && !plan.flipped &&
         is_of_a_library(device, plan.operators[0]) &&
         std::ranges::all_of(plan.tensors, [](const TensorSpec& spec) {
           return spec.role == Role::kInput || spec.role == Role::kOutput;
         });
}

std::unique_ptr<Queue> queue_for(Session& session, const Plan& plan, const TensorSet& inputs,
                                 std::size_t copies, std::uint64_t event_ns) {
  if (event_ns >= kGroupNs || !can_queue(session.device().info(), plan)) return nullptr;
  auto queue = std::make_unique<Queue>(session, plan, inputs, copies);
  queue->grow();
  return queue->is_declined() ? nullptr : std::move(queue);
}

}  // namespace halfmark::suites::throughput
