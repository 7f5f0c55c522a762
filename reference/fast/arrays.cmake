# SPDX-License-Identifier: Apache-2.0
# The fast engine apart from matrix products.
halfmark_library(reference_fast_rows SOURCES elementary_kernels.cpp layernorm.cpp rows_kernels.cpp softmax.cpp
                 DEPENDS reference_fast reference_operators_layernorm reference_operators_softmax)
halfmark_test(reference_fast_rows_test SOURCES elementary_test.cpp layernorm_test.cpp softmax_test.cpp
              DEPENDS reference_fast_rows)

halfmark_library(reference_fast_backward SOURCES backward.cpp backward_kernels.cpp perceptron.cpp
                 DEPENDS reference_fast reference_operators_loss_scaled_backward reference_operators_perceptron)
halfmark_test(reference_fast_backward_test SOURCES backward_test.cpp perceptron_test.cpp DEPENDS reference_fast_backward)

halfmark_library(reference_fast_statistics SOURCES statistics.cpp DEPENDS reference_fast)
halfmark_test(reference_fast_statistics_test SOURCES statistics_test.cpp DEPENDS reference_fast_statistics)

halfmark_library(reference_fast_arrays
                 SOURCES convert.cpp convert_kernels.cpp digest.cpp digest_kernels.cpp elementwise.cpp
                         elementwise_kernels.cpp functions.cpp sweep.cpp
                 DEPENDS reference_fast)
halfmark_test(reference_fast_arrays_test
              SOURCES convert_test.cpp digest_test.cpp elementwise_test.cpp functions_test.cpp sweep_test.cpp
              DEPENDS reference_fast_arrays)
halfmark_test(reference_fast_sweep_full_test SOURCES sweep_full_test.cpp DEPENDS reference_fast_arrays LABEL full)
