# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_layernorm SOURCES layernorm.cpp DEPENDS reference_operators_elementary)
halfmark_test(reference_operators_layernorm_test SOURCES layernorm_test.cpp
              DEPENDS reference_operators_layernorm LIBRARIES mpfr gmp)
