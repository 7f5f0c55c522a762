# SPDX-License-Identifier: Apache-2.0
# One function for each kind of target in the project. Warnings, language level and sanitizers are set only here.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(HALFMARK_TEST_FOLDER "${CMAKE_BINARY_DIR}/tests")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# The hot loops are templates over constant formats; -O3 gains nothing there and costs a third of the build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
find_program(HALFMARK_CCACHE ccache)
if(HALFMARK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HALFMARK_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(HALFMARK_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# Parsing the same few large headers in every file took a third of a build. The clang-19 preset builds without
# precompiled headers, to expose a source that relies on them instead of its own includes. The compiler accepts them
# only with the options with which they were made, so each kind of target has its own. Since reading them also takes
# time, folders that do not use JSON leave its header out.
option(HALFMARK_PRECOMPILE "Precompile the standard, fmt, JSON and GoogleTest headers" ON)
set(HALFMARK_ROOMS_WITHOUT_JSON reference)

# The definitions of fmt's own library, and those templates of it and of JSON that nearly every source uses, compiled once.
# The distribution's library of fmt is shared, and every machine would need it.
add_library(halfmark_fmt STATIC "${PROJECT_SOURCE_DIR}/tools/cmake/fmt.cpp" "${PROJECT_SOURCE_DIR}/tools/cmake/json.cpp")
target_include_directories(halfmark_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(halfmark_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
# Nothing in it is hot, and it is not instrumented.
target_compile_options(halfmark_fmt PRIVATE -fPIC -fvisibility=hidden $<IF:$<CONFIG:Release>,-O1,-O0>)

# Sources of one target whose names do not collide are compiled together, which halves the time of a build from nothing. A
# changed source costs its whole unit and a new configuration, so that frequent editors may prefer OFF; clang-tidy and
# editors need the command line of each source, and the clang-19 and dev presets are without units.
option(HALFMARK_UNITS "Compile sources of a target together" ON)
set(HALFMARK_SOURCES_PER_UNIT 8)

# _halfmark_settings(target [SHARABLE | TEST])
# HALFMARK_OPTIMISED of a folder: `lightly`, where no time is spent in loops over numbers, saves a fifth of the compile time, and
# `barely`, where there are none, a third.
function(_halfmark_settings target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARABLE;TEST" "" "")
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wswitch-enum
                                           -Wnon-virtual-dtor -ffp-contract=off)
  set(kind "")
  if(arg_SHARABLE)
    target_compile_options(${target} PRIVATE -fPIC -fvisibility=hidden)
    set(kind _sharable)
  elseif(arg_TEST)
    set(kind _test)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # At -O2 GCC 12 reports these falsely in its own std::string and std::variant (GCC bugs 105329, 105562); the second
    # compiler and the sanitizers look for the real ones.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
                                             -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(HALFMARK_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(HALFMARK_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${HALFMARK_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${HALFMARK_SANITIZE})
  endif()
  if(HALFMARK_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE room)
  string(REGEX REPLACE "/.*" "" room "${room}")
  if(NOT room IN_LIST HALFMARK_ROOMS_WITHOUT_JSON)
    string(APPEND kind _json)
  endif()
  # The code that tests call is optimised, the tests need not be, which saves a third of their compile time. Functions of
  # headers, such as the soft-float, are linked once, from any object that has them: small ones are inlined everywhere.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (arg_TEST OR HALFMARK_OPTIMISED MATCHES "lightly|barely"))
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-finline-small-functions -finline-functions-called-once>)
  endif()
  if(HALFMARK_OPTIMISED STREQUAL barely OR (arg_TEST AND kind MATCHES "_json"))
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  elseif(arg_TEST OR HALFMARK_OPTIMISED STREQUAL lightly)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(HALFMARK_PRECOMPILE AND NOT target MATCHES "^halfmark_precompiled")
    _halfmark_precompiled("${kind}")
    target_precompile_headers(${target} REUSE_FROM halfmark_precompiled${kind})
  endif()
endfunction()

# _halfmark_precompiled(KIND): the target that carries the headers of [_sharable|_test][_json], created on first use.
function(_halfmark_precompiled kind)
  set(target halfmark_precompiled${kind})
  if(TARGET ${target})
    return()
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/precompiled.cpp" CONTENT "// Carries the precompiled headers.\n")
  add_library(${target} OBJECT "${CMAKE_BINARY_DIR}/generated/precompiled.cpp")
  target_link_libraries(${target} PRIVATE halfmark_fmt)
  set(headers "${PROJECT_SOURCE_DIR}/tools/cmake/precompiled_fmt.hpp" <algorithm> <array> <bit> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <optional>
              <span> <sstream> <string> <variant> <vector>)
  set(option "")
  if(kind MATCHES "_json")
    list(APPEND headers "${PROJECT_SOURCE_DIR}/tools/cmake/precompiled_json.hpp")
  endif()
  if(kind MATCHES "_sharable")
    set(option SHARABLE)
  elseif(kind MATCHES "_test")
    set(option TEST)
    list(APPEND headers <gtest/gtest.h>)
    target_link_libraries(${target} PRIVATE GTest::gtest)
  endif()
  # GCC 12 dies in functions optimised more than their precompiled header; less is accepted.
  set(HALFMARK_OPTIMISED fully)
  _halfmark_settings(${target} ${option})
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# halfmark_library(name [SHARABLE] SOURCES ... [DEPENDS folders...] [LIBRARIES externals...])
# DEPENDS names other Halfmark libraries without their prefix; a header-only library has no SOURCES. SHARABLE objects
# can also go into shared libraries: they are position-independent, and export nothing unless a source says so.
function(halfmark_library name)
  cmake_parse_arguments(arg "SHARABLE" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(sharable "")
  if(arg_SHARABLE)
    set(sharable SHARABLE)
  endif()
  set(target halfmark_${name})
  list(TRANSFORM arg_DEPENDS PREPEND halfmark_)
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS} halfmark_fmt ${arg_LIBRARIES})
    _halfmark_settings(${target} ${sharable})
    set_property(GLOBAL APPEND PROPERTY HALFMARK_TARGETS_OF_UNITS ${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS} halfmark_fmt ${arg_LIBRARIES})
  endif()
endfunction()

# halfmark_make_units(): to be called when every target is known.
function(halfmark_make_units)
  if(NOT HALFMARK_UNITS)
    return()
  endif()
  get_property(targets GLOBAL PROPERTY HALFMARK_TARGETS_OF_UNITS)
  set(rows "")
  foreach(target ${targets})
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    string(APPEND rows "${target};${folder};${sources}\n")
    foreach(source ${sources})
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}")
      # The names in a source decide where it belongs.
      if(EXISTS "${source}" AND NOT source MATCHES "^${CMAKE_BINARY_DIR}/")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # A local name may be that of a neighbour; the second compiler sees every source alone.
    target_compile_options(${target} PRIVATE -Wno-shadow)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endforeach()
  set(script "${PROJECT_SOURCE_DIR}/tools/cmake/source_units.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}")
  set(input "${CMAKE_BINARY_DIR}/units.txt")
  file(WRITE "${input}" "${rows}")
  execute_process(COMMAND "${Python3_EXECUTABLE}" "${script}" --most
                          ${HALFMARK_SOURCES_PER_UNIT} "${CMAKE_BINARY_DIR}/units.cmake"
                  INPUT_FILE "${input}" COMMAND_ERROR_IS_FATAL ANY)
  include("${CMAKE_BINARY_DIR}/units.cmake")
endfunction()

# halfmark_executable(name SOURCES ... [DEPENDS ...] [LIBRARIES ...])
function(halfmark_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND halfmark_)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} halfmark_fmt ${arg_LIBRARIES})
  _halfmark_settings(${name})
endfunction()

# halfmark_relocatable(target): needs nothing but glibc 2.34. libgcc stays shared: the static one needs glibc 2.35
# (_dl_find_object), and every distribution has the shared one next to glibc. Unused sections are removed because
# libstdc++'s std::random_device, which is linked along with its strings, needs glibc 2.36 (arc4random).
function(halfmark_relocatable target)
  if(NOT HALFMARK_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ LINKER:--gc-sections)
  endif()
endfunction()

# halfmark_test(name SOURCES ... [DEPENDS ...] [LIBRARIES ...] [DEFINITIONS ...] [LABEL quick|full] [ALONE])
# One ctest entry, one target of that name, and build/tests/NAME, which runs it. With HALFMARK_UNITS the tests of a folder are
# one program, FOLDER_tests, that sees the libraries and definitions of all of them; ALONE gives a test that must not share them
# a program of its own. `quick` tests are the inner loop; `full` ones run in ci/test.
function(halfmark_test name)
  if(NOT HALFMARK_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "ALONE" "LABEL" "SOURCES;DEPENDS;LIBRARIES;DEFINITIONS" ${ARGN})
  if(NOT arg_LABEL)
    set(arg_LABEL quick)
  endif()
  set(program ${name})
  if(HALFMARK_UNITS AND NOT HALFMARK_SANITIZE AND NOT arg_ALONE)
    _halfmark_shared_test(program ${name} ${arg_SOURCES})
  else()
    _halfmark_test_program(${name})
    target_sources(${name} PRIVATE ${arg_SOURCES})
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND halfmark_)
  target_link_libraries(${program} PRIVATE ${arg_DEPENDS} ${arg_LIBRARIES})
  target_compile_definitions(${program} PRIVATE ${arg_DEFINITIONS})
  set_property(GLOBAL PROPERTY HALFMARK_PROGRAM_OF_${name} ${program})
  add_test(NAME ${name} COMMAND "${HALFMARK_TEST_FOLDER}/${name}")
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 1800)
  if(arg_LABEL STREQUAL full)
    # Without times from an earlier run, these start first, so that none runs by itself at the end.
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

# halfmark_test_program(VARIABLE name): the target that compiles the test.
function(halfmark_test_program variable name)
  get_property(program GLOBAL PROPERTY HALFMARK_PROGRAM_OF_${name})
  set(${variable} ${program} PARENT_SCOPE)
endfunction()

# _halfmark_test_program(target): without sources yet.
function(_halfmark_test_program target)
  if(NOT TARGET halfmark_test_main)
    add_library(halfmark_test_main STATIC "${PROJECT_SOURCE_DIR}/tools/cmake/test_main.cpp")
    target_link_libraries(halfmark_test_main PUBLIC halfmark_fmt GTest::gtest)
    _halfmark_settings(halfmark_test_main TEST)
  endif()
  add_executable(${target})
  target_link_libraries(${target} PRIVATE halfmark_test_main)
  _halfmark_settings(${target} TEST)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${HALFMARK_TEST_FOLDER}")
endfunction()

# _halfmark_shared_test(VARIABLE name source...): adds the sources to the program of this folder, which it returns.
function(_halfmark_shared_test variable name)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE folder)
  string(REPLACE "/" "_" program "${folder}_tests")
  if(NOT TARGET ${program})
    _halfmark_test_program(${program})
    set_property(GLOBAL APPEND PROPERTY HALFMARK_TARGETS_OF_UNITS ${program})
  endif()
  get_target_property(known ${program} SOURCES)
  set(paths "")
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE absolute)
    if(NOT absolute IN_LIST known)
      target_sources(${program} PRIVATE "${absolute}")
    endif()
    cmake_path(RELATIVE_PATH absolute BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    list(APPEND paths "${absolute}")
  endforeach()
  list(JOIN paths ":" paths)
  file(CONFIGURE OUTPUT "${HALFMARK_TEST_FOLDER}/${name}" CONTENT
       "#!/bin/sh\nexec '${HALFMARK_TEST_FOLDER}/${program}' '--sources=${paths}' \"$@\"\n" @ONLY)
  file(CHMOD "${HALFMARK_TEST_FOLDER}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                           WORLD_READ WORLD_EXECUTE)
  add_custom_target(${name} DEPENDS ${program})
  set(${variable} ${program} PARENT_SCOPE)
endfunction()

# halfmark_fuzz(name SOURCES ... [DEPENDS ...] [LIBRARIES ...] [CORPUS folder])
# One libFuzzer target in build/fuzzers; NAME.corpus there names the folder of its first inputs. Only
# with HALFMARK_FUZZ.
function(halfmark_fuzz name)
  if(NOT HALFMARK_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "CORPUS" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND halfmark_)
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} halfmark_fmt ${arg_LIBRARIES})
  _halfmark_settings(${name})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzzers")
  file(WRITE "${CMAKE_BINARY_DIR}/fuzzers/${name}.corpus" "${arg_CORPUS}\n")
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
endfunction()

# All generated sources, which must exist before static analysis.
add_custom_target(halfmark_generated)

# halfmark_embed(TARGET target HEADER path/embedded.hpp NAMESPACE a::b FILES ... [GENERATED folder])
# Makes each text file an `extern const std::string_view` named after it (gemm.hk -> gemm_hk), compiled into TARGET.
function(halfmark_embed)
  cmake_parse_arguments(arg "" "TARGET;HEADER;NAMESPACE;GENERATED" "FILES" ${ARGN})
  if(NOT arg_GENERATED)
    set(arg_GENERATED "${CMAKE_BINARY_DIR}/generated")
  endif()
  set(header "${arg_GENERATED}/${arg_HEADER}")
  string(REGEX REPLACE "\\.hpp$" ".cpp" source "${header}")
  set(inputs)
  foreach(input ${arg_FILES})
    cmake_path(ABSOLUTE_PATH input BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND inputs "${input}")
  endforeach()
  add_custom_command(
    OUTPUT "${header}" "${source}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/cmake/embed.py" --header "${header}" --include
            "${arg_HEADER}" --namespace "${arg_NAMESPACE}" ${inputs}
    DEPENDS ${inputs} "${PROJECT_SOURCE_DIR}/tools/cmake/embed.py"
    VERBATIM)
  target_sources(${arg_TARGET} PRIVATE "${source}" "${header}")
  add_custom_target(generated_${arg_TARGET} DEPENDS "${header}" "${source}")
  add_dependencies(halfmark_generated generated_${arg_TARGET})
  target_include_directories(${arg_TARGET} BEFORE PUBLIC "${arg_GENERATED}")
endfunction()

# Every build checks that includes point down and that the core names no vendor.
function(halfmark_check_layers)
  set(stamp "${CMAKE_BINARY_DIR}/layers.stamp")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/reference/* ${PROJECT_SOURCE_DIR}/kernels/* ${PROJECT_SOURCE_DIR}/backends/*
       ${PROJECT_SOURCE_DIR}/suites/* ${PROJECT_SOURCE_DIR}/reports/* ${PROJECT_SOURCE_DIR}/fleet/*
       ${PROJECT_SOURCE_DIR}/tools/*)
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/ci/check_layers.py" "${PROJECT_SOURCE_DIR}"
    COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
    DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/ci/check_layers.py"
    COMMENT "Checking include directions and vendor words"
    VERBATIM)
  add_custom_target(check-layers ALL DEPENDS "${stamp}")
endfunction()
