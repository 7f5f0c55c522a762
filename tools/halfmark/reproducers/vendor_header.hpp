// SPDX-License-Identifier: Apache-2.0
// Writes a replacement for a vendor's header, with the calls that stand-alone programs make, for
// tests where the real one is not installed. It comes from the tables that
// backends/VENDOR/header_test.cpp compares with the real header.
#pragma once

#include <string>

#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/vendors.hpp"  // written by CMake: HM_VENDORS(X)

namespace halfmark::tools {

#define HM_DECLARE_HEADER(vendor)                            \
  namespace vendor {                                         \
  std::string header_text(const backends::Words& of_vendor); \
  }
HM_VENDORS(HM_DECLARE_HEADER)

}  // namespace halfmark::tools
