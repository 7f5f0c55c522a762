// SPDX-License-Identifier: Apache-2.0
// A device's description on the stand-in's driver: the variables from which the compiler takes
// options are part of it. The backend's own object file serves the children, so it must be linked.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "backends/abi.h"

namespace halfmark::backends::hip {
const HmBackendApi* api();
namespace {

TEST(Description, HoldsTheVariablesThatChangeTheCompilersCode) {
  for (const char* library : {"HALFMARK_HIP_DRIVER", "HALFMARK_HIP_COMPILER"})
    ::setenv(library, HM_STAND_IN_FOLDER, 1);
  ::setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-O1", 1);
  ::setenv("ROCR_VISIBLE_DEVICES", "0", 1);  // chooses a device: no matter of its results
  const HmBackendApi& backend = *api();
  ASSERT_STREQ("ok", backend.status(backend.context));
  const char* text = nullptr;
  ASSERT_EQ(0, backend.describe(backend.context, 0, &text));
  const auto variables = nlohmann::json::parse(text).at("extra").at("variables");
  EXPECT_EQ("-O1", variables.value("HIPRTC_COMPILE_OPTIONS_APPEND", "not recorded"));
  EXPECT_FALSE(variables.contains("ROCR_VISIBLE_DEVICES"));
}

}  // namespace
}  // namespace halfmark::backends::hip
