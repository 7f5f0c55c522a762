// SPDX-License-Identifier: Apache-2.0
// What is worth timing: a table of operators and formats, and the choice of one passed case for
// each. Decides which rows are compared with each other, and what counts as one operation. Measures
// nothing; names no device. Assumes: 1. work grows with the product of a case's sizes. 2. The
// traffic of an operator is each of its tensors once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/case.hpp"
#include "suites/core/plan.hpp"

namespace halfmark::suites::throughput {

/// A row of the table. A `*` for the provider means portable, library and library2.
struct Target {
  std::string_view
      operation;          // rows of one operation are compared, so they should run the same shape
  std::string_view glob;  // over the seedless name of a case
  /// Floating-point operations of the case; null where counting them would be a matter of taste.
  std::uint64_t (*flops)(const Case&) = nullptr;
};

[[nodiscard]] std::span<const Target> targets();

/// The first row whose glob and fill fit; null when the case is not timed.
[[nodiscard]] const Target* find_target(const Case& c);

/// One case for each target, provider and class of shapes that has any: of the largest shape and
/// fill that most targets of the operation can run, so that a ratio between formats can be formed;
/// a target without that shape takes its own largest. Shapes that are not aligned count from a
/// million products on. The order is drawn by the seeds in the names: neighbours in the table must
/// not always warm the device for each other. Throws UsageError for a name that is no case.
[[nodiscard]] std::vector<std::string> choose(std::span<const std::string> passed);

/// The words of a case apart: what is compared (formats) and what has to agree (the rest).
struct Labels {
  std::string provider;
  std::string formats;  // format of the operands first: "fp16.acc-fp32.out-fp16"
  std::string shape;    // "nn.m128n128k128.plain"
  std::string fill;
  /// Of a product: "aligned" or "ragged" by eight, as fast paths ask, or "skinny", a side of at
  /// most 64 beside one of 512 or more; "stream" for what has no m, n and k.
  std::string shape_class;
};
[[nodiscard]] Labels labels_of(const Case& c);

/// The product of all sizes in the case's name.
[[nodiscard]] std::uint64_t elements_of_work(const Case& c);

/// Each input and output once, what is updated in place twice, scratch never: the least that any
/// kernel must move.
[[nodiscard]] std::uint64_t traffic_bytes(const Plan& plan);

}  // namespace halfmark::suites::throughput
