// SPDX-License-Identifier: Apache-2.0
// Which fp16 rows of a run claim to be faster than its wider units, and which row each is timed
// against in turn. Decides by medians, in steps of a unit; measures nothing, and judges no kind:
// reports/true_fp16.hpp does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "suites/runner/run.hpp"

namespace halfmark::suites {

/// A row of DeviceRun::throughput, with its worker's name for it.
struct TimedRow {
  std::string name;
  std::size_t row = 0;
  double rate = 0;  // operations per nanosecond; 0: it does not count
};

/// Whether the row's operands have this format.
[[nodiscard]] bool is_of(const nlohmann::json& row, std::string_view format);

/// The row with the most steps per nanosecond without fp16: of those in fp32 and, for a product,
/// also of products that multiply in tf32. Null if no row counts.
[[nodiscard]] const TimedRow* rival_of(const DeviceRun& run, const std::vector<TimedRow>& rows,
                                       bool of_product);

struct Claim {
  const TimedRow* own = nullptr;
  const TimedRow* against = nullptr;  // its rival
};

/// The fp16 rows with more steps per nanosecond than their rivals. Conversions claim nothing, nor
/// do products with their casts. The rows must outlive the claims.
[[nodiscard]] std::vector<Claim> claims_of(const DeviceRun& run, const std::vector<TimedRow>& rows);

}  // namespace halfmark::suites
