// SPDX-License-Identifier: Apache-2.0
// What is worth timing: a table of operators and formats, and the choice of one passed case for
// each. Decides which rows are compared with each other, and what counts as one operation. Measures
// nothing; names no device. Assumes: 1. work grows with the product of a case's sizes. 2. The
// traffic of an operator is each of its tensors once.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"

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

/// How many bits of its operands a product toggles, which its speed and its power follow on devices
/// that are bound by power. Times of different regimes are never compared.
enum class Regime : std::uint8_t {
  kRandom,
  kIntegers,  // small whole numbers: few bits of a significand, and exact sums
  kZeros,     // all but one number in each row and column
};

/// Of a fill; nothing for one that is not timed.
[[nodiscard]] std::optional<Regime> regime_of(std::string_view fill);

/// The first row whose glob and fill fit; null when the case is not timed. Regimes other than
/// random are of products, from 128 cubed on.
[[nodiscard]] const Target* find_target(const Case& c);

/// One case for each target, provider, class of shapes and regime that has any: of the largest
/// shape and fill that most targets of the operation can run, so that a ratio between formats can
/// be formed; a target without that shape takes its own largest. Shapes that are not aligned count
/// from a million products on. The points of a sweep (small linear layers, the four layouts, a
/// rectangle, large squares) are taken each for itself. The order is drawn by the seeds in the
/// names: neighbours in the table must not always warm the device for each other. Throws UsageError
/// for a name that is no case.
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

/// The row of a case that was not timed, as measure() would give it, without a sample.
[[nodiscard]] nlohmann::json untimed(const Case& c, const backends::DeviceInfo& device,
                                     const std::string& why);

/// The product of all sizes in the case's name.
[[nodiscard]] std::uint64_t elements_of_work(const Case& c);

/// Each input and output once, what is updated in place twice, a kernel's scratch never: the least
/// that any kernel must move. What one call of a library leaves for the next is written and read.
[[nodiscard]] std::uint64_t traffic_bytes(const Plan& plan);

}  // namespace halfmark::suites::throughput
