// SPDX-License-Identifier: Apache-2.0
//
// How a row of faults.hpp is written, and the parts of the table. A group of faults is in the part
// of its operator; fault_rows.cpp joins them.
#pragma once

#include "backends/host/faults.hpp"

namespace halfmark::backends::host {

using Parameters = std::array<FaultParameter, 2>;

constexpr FaultRow fault(std::string_view id, std::string_view operation, std::string_view does,
                         std::string_view imitates, std::string_view must_report, int severity,
                         Parameters parameters = {}) {
  return {.id = id,
          .operation = operation,
          .does = does,
          .imitates = imitates,
          .must_report = must_report,
          .severity = severity,
          .parameters = parameters};
}

constexpr FaultRow control(std::string_view id, std::string_view operation, std::string_view does,
                           std::string_view imitates, Parameters parameters = {}) {
  FaultRow row = fault(id, operation, does, imitates, "", 0, parameters);
  row.kind = FaultKind::kControl;
  return row;
}

[[nodiscard]] std::span<const FaultRow> gemm_faults();      // G
[[nodiscard]] std::span<const FaultRow> row_faults();       // S, L
[[nodiscard]] std::span<const FaultRow> element_faults();   // C, A, R, E
[[nodiscard]] std::span<const FaultRow> kernel_faults();    // K
[[nodiscard]] std::span<const FaultRow> training_faults();  // X, O
[[nodiscard]] std::span<const FaultRow> device_faults();    // F, T
[[nodiscard]] std::span<const FaultRow> controls();         // N

}  // namespace halfmark::backends::host
