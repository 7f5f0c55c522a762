// SPDX-License-Identifier: Apache-2.0
// Faults S01 to S26 and the controls of softmax: which step each of them alters.
#include <algorithm>

#include "backends/host/library/softmax.hpp"

namespace halfmark::backends::host::library {
namespace {

using Policy = SoftmaxPolicy;

struct Alteration {
  std::string_view id;
  void (*alter)(Policy& p, const Fault& f);
};

constexpr Alteration kForward[] = {
    {"S01", [](Policy& p, const Fault&) { p.shifts = false; }},
    {"S02", [](Policy& p, const Fault&) { p.sum.kept_in = &formats::kFp16; }},
    {"S03", [](Policy& p, const Fault&) { p.first_maximum = 0; }},
    {"S04", [](Policy& p, const Fault&) { p.zeroes_rows_without_maximum = true; }},
    {"S05", [](Policy& p, const Fault&) { p.masked_row = MaskedRow::kUniform; }},
    {"S06", [](Policy& p, const Fault&) { p.pads_with_zeros = true; }},
    {"S07",
     [](Policy& p, const Fault& f) {
       p.widest_whole = std::max<std::size_t>(f.value("width"), 1);
       p.wave = std::max<std::size_t>(f.value("wave"), 1);
     }},
    {"S08", [](Policy& p, const Fault& f) { p.stale_every = f.value("every"); }},
    {"S09", [](Policy& p, const Fault&) { p.reciprocal_in_half = true; }},
    {"S10", [](Policy& p, const Fault&) { p.addressing.dense = true; }},
    {"S11",
     [](Policy& p, const Fault& f) {
       p.addressing.offset_bits =
           static_cast<unsigned>(std::min<std::uint64_t>(f.value("bits"), 63));
     }},
    {"S19", [](Policy& p, const Fault&) { p.addressing.offset_bits = 31; }},
    {"S12", [](Policy& p, const Fault&) { p.log_of_quotient = true; }},
    {"S13", [](Policy& p, const Fault&) { p.keeps_kernels_by_shape = true; }},
    {"S16", [](Policy& p, const Fault&) { p.storing.flushes = true; }},
    {"S17", [](Policy& p,
               const Fault& f) { p.online_lanes = std::max<std::size_t>(f.value("block"), 1); }},
    {"N38", [](Policy& p, const Fault&) { p.natural_up_to = 32; }},
    {"S21",
     [](Policy& p, const Fault& f) {
       p.functions.least_exponent =
           static_cast<int>(std::min<std::uint64_t>(f.value("exponent"), 1000));
     }},
    {"S22",
     [](Policy& p, const Fault& f) {
       p.functions.reduction_parts = 1;
       p.functions.reduction_bits =
           static_cast<int>(std::clamp<std::uint64_t>(f.value("bits"), 1, 24));
     }},
    {"S23", [](Policy& p, const Fault&) { p.copies_single = true; }},
    {"S24", [](Policy& p, const Fault& f) { p.most_for_maximum = f.value("columns"); }},
    {"S25", [](Policy& p, const Fault& f) { p.most_for_sum = f.value("columns"); }},
    {"S26",
     [](Policy& p, const Fault& f) {
       p.functions.seed_bits =
           static_cast<unsigned>(std::clamp<std::uint64_t>(f.value("bits"), 1, 24));
     }},
    {"N18", [](Policy& p, const Fault&) { p.in_double = true; }},
    {"N19",
     [](Policy& p, const Fault&) { p.natural_up_to = -std::numeric_limits<float>::infinity(); }},
    {"N20", [](Policy& p, const Fault&) { p.functions.reduction_parts = 2; }},
    {"N21", [](Policy& p, const Fault&) { p.online = true; }},
    {"N22", [](Policy& p, const Fault&) { p.adds_logarithm_to_maximum = true; }},
    {"N23", [](Policy& p, const Fault&) { p.log_of_one_plus = true; }},
    {"S18", [](Policy& p, const Fault&) { p.divides_zeroed_rows = true; }},
};

constexpr Alteration kBackward[] = {
    {"S14", [](Policy& p, const Fault&) { p.subtracts_row_sum = false; }},
    {"S15", [](Policy& p, const Fault&) { p.sum.kept_in = &formats::kFp16; }},
};

}  // namespace

void plant(const Fault& fault, bool backward, SoftmaxPolicy& policy) {
  for (const Alteration& row : backward ? std::span<const Alteration>(kBackward) : kForward) {
    if (fault.is(row.id)) row.alter(policy, fault);
  }
  plant_control(fault, policy.functions, policy.sum, policy.storing);
}

}  // namespace halfmark::backends::host::library
