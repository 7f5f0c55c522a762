# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_cross_entropy SOURCES cross_entropy.cpp DEPENDS reference_operators_elementary)
halfmark_test(reference_operators_cross_entropy_test SOURCES cross_entropy_test.cpp
              DEPENDS reference_operators_cross_entropy reference_operators_softmax)
