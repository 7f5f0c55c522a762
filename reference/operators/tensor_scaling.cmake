# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_tensor_scaling SOURCES tensor_scaling.cpp
                 DEPENDS reference_formats reference_models reference_operators_elementary)
halfmark_test(reference_operators_tensor_scaling_test SOURCES tensor_scaling_test.cpp
              DEPENDS reference_operators_tensor_scaling)
