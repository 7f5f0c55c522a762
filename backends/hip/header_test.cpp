// SPDX-License-Identifier: Apache-2.0
//
// Compares names.hpp with HIP's own headers, mostly at compile time.
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1  // overloads have no unique address
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#if HIP_VERSION < 60000000
#define HM_NAMES_SINCE_6(X)
#endif
#include "backends/hip/names.hpp"
#include "backends/hip/vendor.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::hip {
namespace {

#undef hipGetDeviceProperties  // since 6 a macro for the newer structure's call

HM_NAMES_DRIVER(HM_CHECK_DRIVER_CALL)
HM_NAMES_DRIVER_OPTIONAL(HM_CHECK_DRIVER_CALL)
HM_NAMES_COMPILER(HM_CHECK_COMPILER_CALL)
HM_NAMES_ATTRIBUTES(HM_CHECK_NUMBER)
HM_NAMES_CODES(HM_CHECK_NUMBER)
HM_NAMES_LOST(HM_CHECK_NUMBER)

TEST(HipHeaders, ThePropertiesFitTheBlockThatIsSearched) {
  EXPECT_LT(sizeof(hipDeviceProp_t), 8192u);
}

}  // namespace
}  // namespace halfmark::backends::hip
