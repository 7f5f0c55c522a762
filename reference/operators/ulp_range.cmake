# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_ulp_range SOURCES ulp_range.cpp DEPENDS reference_soft)
halfmark_test(reference_operators_ulp_range_test SOURCES ulp_range_test.cpp
              DEPENDS reference_operators_ulp_range)
