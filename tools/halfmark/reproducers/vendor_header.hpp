// SPDX-License-Identifier: Apache-2.0
// What a vendor's header says of the calls that stand-alone programs make, written from the tables
// that backends/VENDOR/header_test.cpp compares with the real one: for tests where that is not
// installed.
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
