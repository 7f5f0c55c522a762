// SPDX-License-Identifier: Apache-2.0
//
// Every step that an implementation of conversions, activations, reductions and losses decides, as
// values. The default is a right one, in fp32 with one rounding at the end; each fault of groups C,
// A, R and E, and control N05, is another choice at one of these steps (elementwise_faults.cpp).
#pragma once

#include <cstdint>

#include "backends/host/faults.hpp"
#include "backends/host/library/number.hpp"

namespace halfmark::backends::host::library {

// One element from one format to another.
struct ConvertPolicy {
  Storing storing = {};
  const Format* through = nullptr;   // null: at once; else rounded to this format first
  bool cuts_nan = false;             // of a NaN only the upper bits are kept
  bool subnormals_lead_one = false;  // are read with the implicit leading one of normal numbers
  bool top_field_overflows = false;  // of a result without infinity
  bool infinity_is_largest = false;
};

// Activations of one element.
struct ActivationPolicy {
  bool tanh_by_exp = false;      // (e - 1) / (e + 1), e = exp(2z)
  float tanh_limit = 0;          // not 0: from this operand on tanh is 1
  const Format* cube = nullptr;  // null: fp32
  const Format* tail = nullptr;  // of 1 + tanh; null: fp32
  bool nan_at_infinity = false;  // the erf form
  int function_ulps = 0;         // by which exp, erf and tanh are off; legal up to 2
  bool relu_drops_nan = false;
  bool max_drops_nan = false;
};

// A row to one number.
struct ReductionPolicy {
  bool sums_in_operand_format = false;
  const Format* count = nullptr;  // of a mean, rounded to this; null: fp32
  bool order_drawn = false;       // of 64 partial sums, per call
  bool max_drops_nan_in_odd_lanes = false;
  bool nothing_returns = false;  // a length of 0 leaves the output as it is
};

struct LossPolicy {
  const Format* factor = nullptr;     // of 2 / N; null: fp32
  const Format* square = nullptr;     // of the squared difference; null: fp32
  const Format* product = nullptr;    // of loss and scale; null: fp32
  float added = 0;                    // to a mean of squares
  bool upstream_per_element = false;  // the upstream gradient has one element, and is indexed
};

// From and to as the call names them: "fp32", "int32".
[[nodiscard]] ConvertPolicy convert_policy(const Fault& fault, std::string_view from,
                                           std::string_view to);
[[nodiscard]] ActivationPolicy activation_policy(const Fault& fault);
[[nodiscard]] ReductionPolicy reduction_policy(const Fault& fault);
[[nodiscard]] LossPolicy loss_policy(const Fault& fault);

}  // namespace halfmark::backends::host::library
