# SPDX-License-Identifier: Apache-2.0
# The example of README.md, as tools/new_suite writes it: it is built and tested from the document's own text, under
# another name. Its kernel is in no catalogue but the test's.
set(example "${CMAKE_BINARY_DIR}/generated/example")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/README.md"
                                                               "${PROJECT_SOURCE_DIR}/tools/new_suite")
file(REMOVE_RECURSE "${example}")
execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/new_suite" newcomer --into "${example}"
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
add_subdirectory("${example}/suites/newcomer" newcomer)
target_include_directories(halfmark_suites_newcomer PUBLIC "${example}")

file(GLOB kernel_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/*.hk")
halfmark_test_program(program newcomer_suite_test)
halfmark_catalog(${program} "${example}/generated" ${kernel_files} "${example}/kernels/newcomer.hk")
target_sources(${program} PRIVATE "${PROJECT_SOURCE_DIR}/kernels/catalog.cpp")
