// SPDX-License-Identifier: Apache-2.0
//
// Compares names.hpp with HIP's own headers, mostly at compile time: with those of the system, and
// with those of version 7 that a package of PyPI carries, which has none of the run-time compiler.
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1  // overloads have no unique address
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#ifndef HM_HIP_MAJOR
#include <hip/hiprtc.h>
#endif

#if HIP_VERSION < 60000000
#define HM_NAMES_SINCE_6(X)
#else
#define HM_NAMES_UNTIL_5(X)
#endif
#include "backends/hip/names.hpp"
#include "backends/hip/vendor.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::hip {
namespace {

#undef hipGetDeviceProperties  // since 6 a macro for the newer structure's call

HM_NAMES_DRIVER(HM_CHECK_DRIVER_CALL)
HM_NAMES_DRIVER_OPTIONAL(HM_CHECK_DRIVER_CALL)
#ifndef HM_HIP_MAJOR
HM_NAMES_COMPILER(HM_CHECK_COMPILER_CALL)
#endif
HM_NAMES_ATTRIBUTES(HM_CHECK_NUMBER)
HM_NAMES_CODES(HM_CHECK_NUMBER)
HM_NAMES_LOST(HM_CHECK_NUMBER)

#ifdef HM_HIP_MAJOR
TEST(HipHeaders, AreOfTheVersionThatTheTestNames) { EXPECT_EQ(HM_HIP_MAJOR, HIP_VERSION_MAJOR); }
#endif

TEST(HipHeaders, ThePropertiesFitTheBlockThatIsSearched) {
  EXPECT_LT(sizeof(hipDeviceProp_t), 8192u);
}

}  // namespace
}  // namespace halfmark::backends::hip
