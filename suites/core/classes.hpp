// SPDX-License-Identifier: Apache-2.0
// The closed list of finding classes: what kind of bug a wrong result is. One table; names are
// stable, since waivers and dashboards use them.
#pragma once

#include <string_view>

namespace halfmark::suites {

struct FindingClass {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr FindingClass kFindingClasses[] = {
    {"acc_narrow", "accumulator or partial sum too narrow"},
    {"act_ovf", "activation function overflows or cancels"},
    {"align", "misaligned operands mishandled"},
    {"amp_state", "loss scaling, unscale, skip or optimizer step wrong"},
    {"contraction", "separate multiplication and addition fused, or the reverse"},
    {"cvt_round", "conversion rounds wrongly"},
    {"edge_tile", "edge of a tile dropped, doubled or over-read"},
    {"fmt_subst", "another number format inside than the one claimed"},
    {"formula", "a term of the formula is missing or misplaced"},
    {"ftz", "subnormals flushed to zero"},
    {"index_ovf", "index or offset wrong"},
    {"input_changed", "an input was written to"},
    {"layout", "stride, transposition or broadcast wrong"},
    {"nan_inf", "NaN or infinity swallowed or invented"},
    {"norm_stat", "statistics of a normalisation wrong"},
    {"order", "operations in another order than the specified one"},
    {"out_of_bounds", "memory outside the output was written"},
    {"race", "result differs from run to run"},
    {"rounding", "an elementary operation is not correctly rounded"},
    {"signed_zero", "a zero result has the wrong sign"},
    {"unexplained", "no named arithmetic explains the bits"},
    {"uninit", "output left unwritten, or unset memory read"},
};

}  // namespace halfmark::suites
