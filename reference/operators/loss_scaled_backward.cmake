# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_loss_scaled_backward SOURCES loss_scaled_backward.cpp
                 DEPENDS reference_operators_gemm reference_operators_elementary reference_operators_loss_scaler reference_operators_tensor_scaling)
halfmark_test(reference_operators_loss_scaled_backward_test SOURCES loss_scaled_backward_test.cpp
              DEPENDS reference_operators_loss_scaled_backward)
