// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/signature.hpp"

#include <gtest/gtest.h>

#include "kernels/catalog.hpp"

namespace halfmark::backends::shim {
namespace {

constexpr const char* kText =
    "// HM_KERNEL mentioned(HM_GLOBAL int* out)\n"
    "HM_KERNEL none() {}\n"
    "HM_KERNEL all(HM_GLOBAL const HM_ELEMENT(HM_A_FORMAT)* a, int n, unsigned u,\n"
    "              float f, HM_GLOBAL unsigned* d) {\n"
    "  call(1, 2);\n"
    "}\n";

TEST(Signature, OneLetterPerParameter) {
  EXPECT_EQ("", signature_of(kText, "none"));
  EXPECT_EQ("piufp", signature_of(kText, "all"));
}

TEST(Signature, OnlyKernelsThatBeginALine) {
  EXPECT_EQ(std::nullopt, signature_of(kText, "mentioned"));
  EXPECT_EQ(std::nullopt, signature_of(kText, "al"));
}

// Every launch needs at least one buffer, so an empty list means that the text was misread.
TEST(Signature, EveryKernelOfTheCatalogueTakesABuffer) {
  for (const kernels::Family& family : kernels::families()) {
    for (const std::string& entry : kernels::entries(family.text)) {
      const auto kinds = signature_of(family.text, entry);
      ASSERT_TRUE(kinds) << entry;
      EXPECT_NE(std::string::npos, kinds->find('p')) << entry << " " << *kinds;
    }
  }
}

}  // namespace
}  // namespace halfmark::backends::shim
