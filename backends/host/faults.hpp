// SPDX-License-Identifier: Apache-2.0
//
// The faults that can be planted in the software device, one row each: what a fault alters, what it
// imitates, and what a report must say of it. Rows are data; the operator that queries a fault
// decides where it acts (library/). `halfmark run --fault ID` plants one, `ci/faults` all.
//
// Assumptions:
//  1. At most one fault is planted in a device.
//  2. An id never changes its meaning. Parameters are natural numbers with a default and a
//  range in which the suites must detect the fault; `ci/faults --changed` plants values other
//  than the default.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends::host {

enum class FaultKind : std::uint8_t {
  kFault,
  kControl,  // legal behaviour: nothing may be reported
};

struct FaultParameter {
  std::string_view name;
  std::uint64_t value = 0;  // the default
  std::string_view help;
  std::uint64_t least = 0;  // smaller values are meaningless and refused
  std::uint64_t reach = 0;  // level standard must detect up to here; larger ones are accepted
};

struct FaultRow {
  std::string_view id;           // "G01"
  std::string_view operation;    // as findings name it
  std::string_view does;         // what it alters
  std::string_view imitates;     // where it has been observed
  std::string_view must_report;  // any of these finding classes; "" for controls
  int severity = 0;  // 1 ruins training silently, 2 wrong in a corner case, 3 reproducibility or
                     // rare rounding, 4 a characteristic
  std::array<FaultParameter, 2> parameters{};
  FaultKind kind = FaultKind::kFault;
};

[[nodiscard]] std::span<const FaultRow> all_faults();

// The fault planted in a device; none unless it was parsed.
class Fault {
 public:
  Fault() = default;
  Fault(const FaultRow& row, std::vector<std::uint64_t> values)
      : row_(&row), values_(std::move(values)) {}

  [[nodiscard]] bool planted() const { return row_ != nullptr; }
  [[nodiscard]] bool is(std::string_view id) const { return row_ != nullptr && row_->id == id; }
  [[nodiscard]] std::string_view id() const { return row_ == nullptr ? "" : row_->id; }
  [[nodiscard]] const FaultRow* row() const { return row_; }
  // A parameter of the planted fault; an unknown name is a programming error.
  [[nodiscard]] std::uint64_t value(std::string_view parameter) const;
  // "G02:block=16", with every parameter; "" when nothing is planted.
  [[nodiscard]] std::string name() const;

 private:
  const FaultRow* row_ = nullptr;
  std::vector<std::uint64_t> values_;
};

// One line that lists the valid ids, parameters or values.
struct FaultError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// "" plants nothing; else ID[:name=value,...]. Throws FaultError.
[[nodiscard]] Fault parse_fault(std::string_view text);

// The environment variable that plants a fault where no device option can.
inline constexpr const char* kFaultVariable = "HALFMARK_HOST_FAULT";

// The fault that kFaultVariable plants. Throws FaultError.
[[nodiscard]] Fault fault_of_environment();

}  // namespace halfmark::backends::host
