// SPDX-License-Identifier: Apache-2.0
// A case of the rates suite as numbers: the meaning of its tokens, and the evaluation of its
// tensors. Independent of any device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/rates/chains.hpp"

namespace halfmark::suites::rates {

struct Binding {
  const formats::Format* format = nullptr;
  const OperationRow* row = nullptr;
  int width = 1;            // numbers per pack
  std::uint64_t items = 0;  // work-items of a chain, packs of a stream
  std::uint64_t rounds = 0;

  /// The numbers in each tensor.
  [[nodiscard]] std::size_t count() const {
    const std::size_t each = static_cast<std::size_t>(width) * (row->is_chain ? kChains : 1);
    return static_cast<std::size_t>(items) * each;
  }
  /// After so many numbers, the operands of the case repeat.
  [[nodiscard]] std::size_t period() const { return row->is_chain ? kPeriod : kPeriodOfStreams; }
};

/// Throws UsageError for sizes that no kernel supports.
[[nodiscard]] Binding bind(const Case& c);

/// The tensor that the kernel writes, as a set, for any operands. Those that repeat with the period
/// cost no more than one of it.
[[nodiscard]] TensorSet evaluate(const Binding& bound, const TensorSet& inputs,
                                 const models::Machine& machine, const Mistake& mistake = {});

}  // namespace halfmark::suites::rates
