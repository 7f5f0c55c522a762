// SPDX-License-Identifier: Apache-2.0
// Faults that are planted in the text of the kernels are caught and named, and legal variants of
// that text pass.
#include <gtest/gtest.h>

#include "suites/core/testing/text_faults.hpp"
#include "suites/loss_scaling/suite.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

constexpr const char* kOverflow = "loss_scaling.halfmark.fp16.portable.n1021d2.overflow.s7";

constexpr const char* kClip = "loss_scaling.halfmark.fp16.portable.n1021d2.clip.s7";

constexpr ShownFault kShown[] = {
    {"X01", kOverflow, "the check stops at the last multiple of eight"},
    {"X02", kOverflow, "the check sees infinities only"},
    {"X03", kOverflow, "the check sees infinities only"},
    {"X04", kOverflow, "non-finite gradients are not looked for"},
    {"X05", kOverflow, "the check looks at the fp16 sum"},
    {"X06", "loss_scaling.pytorch.fp32.portable.n1021d2.overflow.s7",
     "one unit in the last place too large"},
    {"X07", kOverflow, "gradients are unscaled in fp16"},
    {"X08", kOverflow, "gradients are unscaled twice"},
    {"X09", kOverflow, "the flag of an overflow is never cleared"},
    {"X10", "loss_scaling.pytorch.fp32.portable.n67d1.top.s7", "the scale grows past its limit"},
    {"X11", "loss_scaling.tensorflow.fp32.portable.n67d2.bottom.s7",
     "the scale falls below its floor"},
    {"X12", kOverflow, "the count of clean steps survives an overflow"},
    {"X13", kOverflow, "the scale grows one step after its interval"},
    {"X14", kOverflow, "the weights move although a gradient is not finite"},
    {"X15", kOverflow, "the scale stays after an overflow"},
    {"X16", kOverflow, "the sum of their flags is compared with 1"},
    {"X18", kClip, "the norm of the gradients before they are unscaled"},
    {"X19", kClip, "the norm is computed in fp16"},
    {"X17", "loss_scaling.pytorch.bf16.portable.n67d3.restore.s7",
     "has lost its count of clean steps"},
};

TEST(LossScalingFaults, EachIsCaughtAndNamed) { expect_text_faults_named(suite(), kShown); }
TEST(LossScalingFaults, NoneIsLeftOut) { expect_every_text_fault_shown(kShown, 'X'); }
TEST(LossScalingFaults, NoLegalVariantIsAccused) {
  expect_legal_texts_pass(suite(), {"N31", "N32", "N33", "N36"});
}

}  // namespace
}  // namespace halfmark::suites::loss_scaling
