# SPDX-License-Identifier: Apache-2.0
halfmark_library(reference_operators_philox SOURCES philox.cpp)
halfmark_test(reference_operators_philox_test SOURCES philox_test.cpp DEPENDS reference_operators_philox)
