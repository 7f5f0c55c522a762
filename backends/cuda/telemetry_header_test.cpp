// SPDX-License-Identifier: Apache-2.0
//
// Compares telemetry.hpp with nvml.h at compile time.
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // the rows mean the functions with these exact names
#include <gtest/gtest.h>
#include <nvml.h>

#include "backends/cuda/telemetry.hpp"
#if NVML_API_VERSION < 13
#undef HM_TELEMETRY_THROTTLE_SINCE_13
#define HM_TELEMETRY_THROTTLE_SINCE_13(X)
#endif
#include "backends/shim/header_check.hpp"

#ifdef __GNUC__  // newer releases replace these calls but keep them
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace halfmark::backends::cuda::telemetry {
namespace {

HM_TELEMETRY(HM_CHECK_TELEMETRY_CALL)
HM_TELEMETRY_OPTIONAL(HM_CHECK_TELEMETRY_CALL)

#define HM_CHECK_ENUMERATOR(ours, theirs) \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours " is not " #theirs);
HM_TELEMETRY_NUMBERS(HM_CHECK_ENUMERATOR)

#define HM_CHECK_BIT(enumerator, bit, word) static_assert(enumerator == bit, #enumerator);
HM_TELEMETRY_THROTTLE(HM_CHECK_BIT)

static_assert(sizeof(PciInfo) == sizeof(nvmlPciInfo_t));
static_assert(offsetof(PciInfo, device_and_maker) == offsetof(nvmlPciInfo_t, pciDeviceId));
static_assert(sizeof(Memory) == sizeof(nvmlMemory_t));
static_assert(offsetof(Memory, total) == offsetof(nvmlMemory_t, total));
static_assert(offsetof(Memory, used) == offsetof(nvmlMemory_t, used));

TEST(NvmlHeader, AgreesWithTheRows) { SUCCEED() << "or this file would not have compiled"; }

}  // namespace
}  // namespace halfmark::backends::cuda::telemetry
