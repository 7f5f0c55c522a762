# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_softmax SOURCES softmax.cpp softmax_exact.cpp fixed_point.cpp DEPENDS reference_operators_elementary)
halfmark_test(reference_operators_softmax_test SOURCES softmax_test.cpp
              DEPENDS reference_operators_softmax LIBRARIES mpfr gmp)
