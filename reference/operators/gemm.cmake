# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_gemm SOURCES gemm.cpp
                 DEPENDS reference_models reference_soft reference_formats reference_operators_elementary
                 LIBRARIES Threads::Threads)
halfmark_test(reference_operators_gemm_test SOURCES gemm_test.cpp gemm_unit_test.cpp
              DEPENDS reference_operators_gemm reference_slow)
