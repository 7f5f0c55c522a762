// SPDX-License-Identifier: Apache-2.0
// This program serves no vendor's jobs. Asked to, it starts itself once, and not for ever.
#include "backends/shim/vendor_process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace halfmark::backends::shim {
namespace {

TEST(VendorProcess, DoesNotStartItselfForEver) {
  Vendor nobody{};
  nobody.backend = "nobody";
  const bool in_child = std::getenv("HALFMARK_VENDOR_PROCESS") != nullptr;
  try {
    (void)ask_vendor_process(nobody, {{"op", "probe"}}, std::chrono::seconds(5));
    FAIL() << "somebody answered";
  } catch (const BackendError& error) {
    const bool refused = error.vendor_text.find("does not serve") != std::string::npos;
    EXPECT_EQ(in_child, refused) << error.what();
  }
}

}  // namespace
}  // namespace halfmark::backends::shim
