// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/formats/classify.hpp"
#include "reference/inference/boxes.hpp"

namespace halfmark::inference {
namespace {

TEST(Findings, SayWhichNanWasAsked) {
  struct Row {
    const Format& format;
    const char* said;
    Bits asked;
  };
  for (const Row& row :
       {Row{formats::kFp16, "a negative NaN with all fraction bits in A", 0xffff},
        Row{formats::kE5m2, "a negative NaN with all fraction bits in A", 0xff},
        Row{formats::kE4m3fn, "7f in A again, since its NaNs have no payload", 0x7f},
        Row{formats::kE5m2fnuz, "80 in A again, since its NaNs have no payload", 0x80}}) {
    SCOPED_TRACE(row.format.name);
    Laboratory laboratory(box_of("exact", row.format, formats::kFp32, 3));
    const std::vector<Finding> findings = special_findings(laboratory);
    const auto payload = std::ranges::find(findings, "nan.payload", &Finding::name);
    ASSERT_NE(findings.end(), payload);
    EXPECT_EQ(row.said, payload->detail);
    std::vector<Bits> nans;
    const Tensor& a = laboratory.record().at(0).question.a;
    for (std::size_t i = 0; i < a.count(); ++i) {
      if (formats::is_nan(row.format, a.at(i))) nans.push_back(a.at(i));
    }
    EXPECT_EQ((std::vector{formats::quiet_nan(row.format), row.asked}), nans);
  }
}

}  // namespace
}  // namespace halfmark::inference
