// SPDX-License-Identifier: Apache-2.0
#include "backends/host/library/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "backends/host/float_state.hpp"
#include "backends/host/library/layernorm.hpp"
#include "backends/host/library/softmax.hpp"

namespace halfmark::backends::host::library {
namespace {

// Every family, in the order of the description.
constexpr std::span<const OperatorRow> (*kFamilies[])() = {
    gemm_operators,          elementwise_operators, reduction_operators,
    cross_entropy_operators, softmax_operators,     layernorm_operators};

std::atomic<int> g_calls_in_flight = 0;

class InFlight {
 public:
  InFlight() { ++g_calls_in_flight; }
  ~InFlight() { --g_calls_in_flight; }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
};

}  // namespace

bool Tensor::in_memory(std::int64_t offset) const {
  const auto width = static_cast<std::int64_t>(format->storage_bytes());
  const std::int64_t first = origin_bytes + offset * width;
  return first >= 0 && first + width <= static_cast<std::int64_t>(memory.bytes);
}

Tensor Context::tensor(std::string_view role, std::size_t least, std::size_t most) const {
  const TensorView* view = call.tensor(role);
  if (view == nullptr) throw Unsupported{fmt::format("{} needs a tensor '{}'", call.name, role)};
  const Format* format = formats::find_format(view->format);
  if (format == nullptr || !format->has_sign || !format->has_zero)
    throw Unsupported{fmt::format("{} does not take format '{}'", call.name, view->format)};
  if (view->sizes.size() < least || view->sizes.size() > most)
    throw Unsupported{fmt::format("{}: '{}' has {} axes", call.name, role, view->sizes.size())};
  return {.format = format,
          .memory = view->buffer,
          .origin_bytes = static_cast<std::int64_t>(view->offset_bytes),
          .sizes = view->sizes,
          .strides = view->strides};
}

Integers::Integers(const Context& context, std::string_view role)
    : view_([&]() -> const TensorView& {
        const TensorView* view = context.call.tensor(role);
        if (view == nullptr || view->sizes.size() != 1) {
          throw Unsupported{fmt::format("{} needs a vector '{}'", context.call.name, role)};
        }
        return *view;
      }()),
      wide_(view_.format == "int64") {
  if (!wide_ && view_.format != "int32") {
    throw Unsupported{fmt::format("{}: '{}' is of int32 or int64", context.call.name, role)};
  }
}

std::int64_t Integers::at(std::int64_t index) const {
  const std::byte* first = view_.buffer.address + view_.offset_bytes;
  const auto read = [&](auto value) {
    std::memcpy(&value, first + index * view_.strides[0] * static_cast<std::int64_t>(sizeof value),
                sizeof value);
    return static_cast<std::int64_t>(value);
  };
  return wide_ ? read(std::int64_t{0}) : read(std::int32_t{0});
}

void rows_do(ThreadPool& pool, std::int64_t count, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next = 0;
  const auto task = [&](unsigned) {
    const FloatStateScope state(FloatControl::ieee());
    for (std::int64_t i = next++; i < count; i = next++) work(i);
  };
  const auto threads = std::min<std::int64_t>(pool.workers(), count);
  if (threads > 0) pool.run(static_cast<unsigned>(threads), task);
}

std::span<const OperatorRow> all_operators() {
  static const std::vector<OperatorRow> kAll = [] {
    std::vector<OperatorRow> rows;
    for (const auto family : kFamilies) rows.insert(rows.end(), family().begin(), family().end());
    return rows;
  }();
  return kAll;
}

Library describe_library(std::string_view version) {
  Library library{.name = "host",
                  .version = std::string(version),
                  .kind = "library",
                  .operators = {},
                  .usable = true,
                  .evidence = "built in: backends/host/library"};
  for (const OperatorRow& row : all_operators()) library.operators.emplace_back(row.name);
  return library;
}

int calls_in_flight() { return g_calls_in_flight; }

OperatorOutcome run_operator(const OperatorCall& call, const Fault& fault, const Caller& caller,
                             ThreadPool& pool) {
  const auto rows = all_operators();
  const auto row = std::ranges::find(rows, call.name, &OperatorRow::name);
  if (row == rows.end()) return {false, fmt::format("no operator '{}'", call.name), 0};
  try {
    const InFlight in_flight;
    const FloatStateScope state(FloatControl::ieee());
    const auto start = std::chrono::steady_clock::now();
    row->run({.call = call, .fault = fault, .caller = caller, .pool = pool});
    const auto elapsed = std::chrono::steady_clock::now() - start;
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    return {.supported = true, .answer = {}, .elapsed_ns = static_cast<std::uint64_t>(ns)};
  } catch (const Unsupported& refusal) {
    return {.supported = false, .answer = refusal.answer, .elapsed_ns = 0};
  }
}

}  // namespace halfmark::backends::host::library
