# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_perceptron SOURCES perceptron.cpp DEPENDS reference_operators_elementary)
