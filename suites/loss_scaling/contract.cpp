// SPDX-License-Identifier: Apache-2.0
// What loss_scaling asserts, and who promises it. An API may leave the sign of a zero and fp32
// subnormals open; scripts keep the scale and most unscaled gradients normal.
#include "suites/loss_scaling/binding.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

constexpr ContractRow kRows[] = {
    {.id = "loss_scaling.script",
     .tier = Tier::kSpecified,
     .promise = "in every step non-finite gradients are found wherever they are, gradients are "
                "unscaled, the weights of all devices move or stay, and the scale follows the "
                "profile",
     .source = "Halfmark kernel specification, reference/operators/loss_scaler.hpp and "
               "kernels/loss_scaling.hk; the source of each profile, "
               "reference/operators/loss_scaler_profiles.cpp; IEEE 754-2019, 5.4.1",
     .freedoms = kFp32Freedoms},
    {.id = "loss_scaling.clip",
     .tier = Tier::kSpecified,
     .promise = "in every step the gradients of all devices are clipped to one norm, of the "
                "unscaled gradients, in fp32 whatever their format, and in the order of the "
                "profile, and the rest is as without clipping",
     .source = "Halfmark kernel specification, reference/operators/gradient_clipping.hpp and "
               "kernels/clipping.hk; the source of each profile, "
               "reference/operators/loss_scaler_profiles.cpp; IEEE 754-2019, 5.4.1",
     .freedoms = kFp32Freedoms},
};

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

}  // namespace halfmark::suites::loss_scaling
