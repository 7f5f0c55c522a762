// SPDX-License-Identifier: Apache-2.0
//
// Compares telemetry.hpp with the rocm_smi.h of the installed release.
#include <gtest/gtest.h>
#include <rocm_smi/rocm_smi.h>

#include <cstring>

#include "backends/hip/telemetry.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::hip::telemetry {
namespace {

HM_TELEMETRY(HM_CHECK_TELEMETRY_CALL)
HM_TELEMETRY_OPTIONAL(HM_CHECK_TELEMETRY_CALL)

#define HM_CHECK_ENUMERATOR(ours, theirs) \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours " is not " #theirs);
HM_TELEMETRY_NUMBERS(HM_CHECK_ENUMERATOR)

static_assert(sizeof(Block) > 4 * sizeof(rsmi_gpu_metrics_t));
static_assert(sizeof(Block) > sizeof(rsmi_frequencies_t));
static_assert(sizeof(Block) > sizeof(rsmi_error_count_t));
static_assert(offsetof(rsmi_error_count_t, correctable_err) == 0);
static_assert(offsetof(rsmi_error_count_t, uncorrectable_err) == 8);
static_assert(offsetof(metrics_table_header_t, format_revision) == 2);
static_assert(offsetof(metrics_table_header_t, content_revision) == 3);

// Works with the layout of the installed release.
TEST(RocmSmiHeader, FrequenciesAreRead) {
  rsmi_frequencies_t theirs{};
  theirs.num_supported = 3;
  theirs.current = 1;
  theirs.frequency[0] = 500'000'000;
  theirs.frequency[1] = 1'410'000'000;
  theirs.frequency[2] = 1'980'000'000;
  Block block{};
  std::memcpy(block.bytes.data(), &theirs, sizeof theirs);
  const std::optional<Frequencies> found = frequencies_in(block);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(1'410'000'000u, found->current);
  EXPECT_EQ(1'980'000'000u, found->most);
}

}  // namespace
}  // namespace halfmark::backends::hip::telemetry
