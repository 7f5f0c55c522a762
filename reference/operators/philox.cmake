# SPDX-License-Identifier: Apache-2.0
halfmark_test(reference_operators_philox_test SOURCES philox_test.cpp)
