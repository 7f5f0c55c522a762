# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_elementary SOURCES elementary.cpp fp32.cpp DEPENDS reference_models)
halfmark_test(reference_operators_elementary_test SOURCES elementary_test.cpp
              DEPENDS reference_operators_elementary LIBRARIES mpfr gmp)
