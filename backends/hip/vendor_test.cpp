// SPDX-License-Identifier: Apache-2.0
// What a runtime of each age promises, and which variables count. No driver is asked.
#include "backends/hip/vendor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace halfmark::backends::hip {
namespace {

bool is_refined(int runtime_version) {
  const std::vector<Promise> all = kVendor.promises(
      {.capability = 90, .architecture = "gfx90a", .runtime_version = runtime_version});
  const auto row =
      std::ranges::find(all, "fp32.divide_sqrt_correctly_rounded", &Promise::capability);
  if (row != all.end()) return row->offered;
  ADD_FAILURE() << "nothing is said of square roots";
  return false;
}

// ROCm 6.0 and 6.1 have LLVM 17, which uses the bare instruction.
TEST(Promises, SquareRootsAreRefinedFromRocm62On) {
  EXPECT_FALSE(is_refined(50'230'000));
  EXPECT_FALSE(is_refined(60'032'830));
  EXPECT_FALSE(is_refined(60'140'000));
  EXPECT_TRUE(is_refined(60'200'000));
  EXPECT_TRUE(is_refined(70'000'000));
}

// hipBLASLt chooses its kernels by TENSILE_SOLUTION_SELECTION_METHOD.
TEST(Variables, OfTheLibrariesUnderTheLibrariesAreRead) {
  const auto counts = [](std::string_view variable) {
    return std::ranges::any_of(
        kVendor.variables, [&](const char* beginning) { return variable.starts_with(beginning); });
  };
  EXPECT_TRUE(counts("TENSILE_SOLUTION_SELECTION_METHOD=2"));
  EXPECT_TRUE(counts("HIPRTC_COMPILE_OPTIONS_APPEND=-O1"));
  EXPECT_FALSE(counts("HOME=/root"));
}

}  // namespace
}  // namespace halfmark::backends::hip
