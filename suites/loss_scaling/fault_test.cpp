// SPDX-License-Identifier: Apache-2.0
// Faults that are planted in the text of the kernels are caught and named, and legal variants of
// that text pass.
#include <gtest/gtest.h>

#include "backends/host/text_faults.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/loss_scaling/suite.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

struct Planted {
  const char* fault;
  const char* name;  // of a case of level smoke
  const char* sentence;
};

constexpr const char* kOverflow = "halfmark.fp16.portable.n1021d2.overflow.s7";

constexpr const char* kClip = "halfmark.fp16.portable.n1021d2.clip.s7";

constexpr Planted kPlanted[] = {
    {"X01", kOverflow, "the check stops at the last multiple of eight"},
    {"X02", kOverflow, "the check sees infinities only"},
    {"X03", kOverflow, "the check sees infinities only"},
    {"X04", kOverflow, "non-finite gradients are not looked for"},
    {"X05", kOverflow, "the check looks at the fp16 sum"},
    {"X06", "pytorch.fp32.portable.n1021d2.overflow.s7", "one unit in the last place too large"},
    {"X07", kOverflow, "gradients are unscaled in fp16"},
    {"X08", kOverflow, "gradients are unscaled twice"},
    {"X09", kOverflow, "the flag of an overflow is never cleared"},
    {"X10", "pytorch.fp32.portable.n67d1.top.s7", "the scale grows past its limit"},
    {"X11", "tensorflow.fp32.portable.n67d2.bottom.s7", "the scale falls below its floor"},
    {"X12", kOverflow, "the count of clean steps survives an overflow"},
    {"X13", kOverflow, "the scale grows one step after its interval"},
    {"X14", kOverflow, "the weights move although a gradient is not finite"},
    {"X15", kOverflow, "the scale stays after an overflow"},
    {"X16", kOverflow, "the sum of their flags is compared with 1"},
    {"X18", kClip, "the norm of the gradients before they are unscaled"},
    {"X19", kClip, "the norm is computed in fp16"},
    {"X17", "pytorch.bf16.portable.n67d3.restore.s7", "has lost its count of clean steps"},
};

CaseResult with_fault(const std::string& fault, const Case& c) {
  Session session(backends::Device::open("host", {{"fault", fault}}));
  return run_case(session, suite(), c);
}

TEST(LossScalingFaults, EachIsCaughtAndNamed) {
  for (const Planted& planted : kPlanted) {
    const Case c =
        parse_case("loss_scaling", suite().axes, std::string("loss_scaling.") + planted.name);
    const CaseResult result = with_fault(planted.fault, c);
    EXPECT_EQ(Verdict::kFail, result.verdict) << planted.fault;
    EXPECT_EQ(backends::host::parse_fault(planted.fault).row()->must_report, result.finding_class)
        << planted.fault << ": " << result.reason;
    EXPECT_NE(std::string::npos, result.reason.find(planted.sentence))
        << planted.fault << ": " << result.reason;
  }
}

TEST(LossScalingFaults, NoneIsLeftOut) {
  for (const backends::host::TextFault& fault : backends::host::text_faults()) {
    if (fault.id[0] != 'X') continue;
    EXPECT_TRUE(std::any_of(std::begin(kPlanted), std::end(kPlanted), [&](const Planted& planted) {
      return planted.fault == fault.id;
    })) << fault.id;
  }
}

TEST(LossScalingFaults, NoLegalVariantIsAccused) {
  for (const char* control : {"N31", "N32", "N33", "N36"}) {
    for (const Case& c : suite().cases(Level::kSmoke, 7)) {
      const CaseResult result = with_fault(control, c);
      EXPECT_EQ(Verdict::kPass, result.verdict)
          << control << ' ' << result.name << ": " << result.reason;
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::loss_scaling
