// SPDX-License-Identifier: Apache-2.0
// Faults of groups C, A, R and E, and control N05: which step each of them alters.
#include <string_view>

#include "backends/host/library/elementwise_policy.hpp"

namespace halfmark::backends::host::library {
namespace {

using formats::kFp16;
using formats::kFp32;

// The formats between which a conversion fault acts; "" is any.
struct ConvertRow {
  std::string_view id, from, to;
  void (*alter)(ConvertPolicy&);
};

constexpr ConvertRow kConversions[] = {
    {"C01", "fp32", "fp16", [](ConvertPolicy& p) { p.storing.rounding = Rounding::kTowardZero; }},
    {"C02", "fp32", "fp16", [](ConvertPolicy& p) { p.storing.rounding = Rounding::kNearestAway; }},
    {"C03", "fp64", "fp16", [](ConvertPolicy& p) { p.through = &kFp32; }},
    {"C04", "", "fp16", [](ConvertPolicy& p) { p.storing.saturates = true; }},
    {"C05", "", "fp16", [](ConvertPolicy& p) { p.storing.flushes = true; }},
    {"C06", "fp32", "bf16", [](ConvertPolicy& p) { p.storing.rounding = Rounding::kTowardZero; }},
    {"C07", "fp32", "bf16",
     [](ConvertPolicy& p) {
       p.storing.rounding = Rounding::kTowardZero;
       p.cuts_nan = true;
     }},
    {"C08", "fp16", "fp32", [](ConvertPolicy& p) { p.subnormals_lead_one = true; }},
    {"C09", "int32", "bf16", [](ConvertPolicy& p) { p.storing.rounding = Rounding::kTowardZero; }},
    {"C10", "", "e4m3fn", [](ConvertPolicy& p) { p.top_field_overflows = true; }},
    {"C11", "", "e5m2", [](ConvertPolicy& p) { p.infinity_is_largest = true; }},
    {"C12", "", "", [](ConvertPolicy& p) { p.storing.loses_zero_sign = true; }},
};

}  // namespace

ConvertPolicy convert_policy(const Fault& fault, std::string_view from, std::string_view to) {
  ConvertPolicy policy;
  for (const ConvertRow& row : kConversions) {
    const bool here = (row.from.empty() || row.from == from) && (row.to.empty() || row.to == to);
    if (fault.is(row.id) && here) row.alter(policy);
  }
  return policy;
}

ActivationPolicy activation_policy(const Fault& fault) {
  ActivationPolicy policy;
  policy.tanh_by_exp = fault.is("A01");
  if (fault.is("A02")) policy.cube = &kFp16;
  if (fault.is("A03")) policy.tanh_limit = 1.044F;
  if (fault.is("A04")) policy.tail = &kFp16;
  policy.nan_at_infinity = fault.is("A05");
  policy.relu_drops_nan = fault.is("A06");
  policy.max_drops_nan = fault.is("A07");
  if (fault.is("N05")) policy.function_ulps = 2;
  return policy;
}

ReductionPolicy reduction_policy(const Fault& fault) {
  ReductionPolicy policy;
  policy.sums_in_operand_format = fault.is("R01");
  if (fault.is("R02")) policy.count = &kFp16;
  policy.max_drops_nan_in_odd_lanes = fault.is("R03");
  policy.order_drawn = fault.is("R04");
  policy.nothing_returns = fault.is("R05");
  return policy;
}

LossPolicy loss_policy(const Fault& fault) {
  LossPolicy policy;
  if (fault.is("E01")) policy.factor = &kFp16;
  policy.upstream_per_element = fault.is("E02");
  if (fault.is("E03")) policy.square = &kFp16;
  if (fault.is("E04")) policy.product = &kFp16;
  if (fault.is("E05")) policy.added = 1e-6F;
  return policy;
}

}  // namespace halfmark::backends::host::library
