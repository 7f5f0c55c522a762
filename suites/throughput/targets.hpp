// SPDX-License-Identifier: Apache-2.0
// The table of operators and formats to time, and the choice of one passed case for each. Decides
// which rows are compared with each other, and what counts as one operation. Measures nothing;
// names no device. Assumes: (1) work grows with the product of a case's sizes; (2) the traffic of
// an operator is each of its tensors once.
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
  std::string_view operation;  // rows of one operation are compared: ideally one shape
  std::string_view glob;       // matches the seedless name of a case
  /// Floating-point operations of the case; null if there is no agreed count.
  std::uint64_t (*flops)(const Case&) = nullptr;
};

[[nodiscard]] std::span<const Target> targets();

/// Whether a row's operation is a product; and whether two of its flops are one step of a unit, as
/// in fused multiply-adds, which also make up products. reports/roofs.cpp counts alike.
[[nodiscard]] bool is_product(std::string_view operation);
[[nodiscard]] bool is_fused(std::string_view operation);

/// How many operand bits a product toggles, which affects its speed and power on devices limited by
/// power. Times of different regimes are never compared.
enum class Regime : std::uint8_t {
  kRandom,
  kIntegers,  // small whole numbers: few significant bits, and exact sums
  kZeros,     // zero except for one number in each row and column
};

/// The regime of a fill; nothing for a fill that is not timed.
[[nodiscard]] std::optional<Regime> regime_of(std::string_view fill);

/// The first row whose glob and fill match; null if the case is not timed. Only products from 128
/// cubed on have regimes other than random.
[[nodiscard]] const Target* find_target(const Case& c);

/// Chooses one case for each target, provider, shape class and regime that has any: with the
/// largest shape and fill that most targets of the operation can run, so that ratios between
/// formats can be formed; a target without that shape takes its own largest. Unaligned shapes count
/// from a million products on. Each point of a sweep (small linear layers, the four layouts, a
/// rectangle, large squares) is chosen separately. The seeds in the names determine the order, so
/// that neighbours in the table do not always warm the device for each other. Throws UsageError for
/// a name that is not a case.
[[nodiscard]] std::vector<std::string> choose(std::span<const std::string> passed);

/// The words of a case, split into what is compared (formats) and what must agree (the rest).
struct Labels {
  std::string provider;
  std::string formats;  // format of the operands first: "fp16.acc-fp32.out-fp16"
  std::string shape;    // "nn.m128n128k128.plain"
  std::string fill;
  /// For a product: "aligned" or "ragged" with respect to multiples of eight, as fast paths
  /// require, or "skinny": one side of at most 64 and another of 512 or more. "stream" for a case
  /// without m, n and k.
  std::string shape_class;
};
[[nodiscard]] Labels labels_of(const Case& c);

/// The row of a case that was not timed: as from measure(), but without a sample.
[[nodiscard]] nlohmann::json untimed(const Case& c, const backends::DeviceInfo& device,
                                     const std::string& why);

/// The product of all sizes in the case's name.
[[nodiscard]] std::uint64_t elements_of_work(const Case& c);

/// Each input and output once, in-place updates twice, a kernel's scratch never: the minimum that
/// any kernel must move. Data that one library call leaves for the next counts as written and read.
[[nodiscard]] std::uint64_t traffic_bytes(const Plan& plan);

}  // namespace halfmark::suites::throughput
