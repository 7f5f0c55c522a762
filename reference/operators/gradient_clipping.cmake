# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_gradient_clipping SOURCES gradient_clipping.cpp DEPENDS reference_operators_loss_scaler)
halfmark_test(reference_operators_gradient_clipping_test SOURCES gradient_clipping_test.cpp
              DEPENDS reference_operators_gradient_clipping)
