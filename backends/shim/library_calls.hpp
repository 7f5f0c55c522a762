// SPDX-License-Identifier: Apache-2.0
//
// The calls of a vendor's matrix libraries that Halfmark needs, each under the name of its role.
// There are two kinds of such libraries: one call with everything in its arguments (BLAS), and
// descriptors with a search for an algorithm (Lt). A vendor's table says which symbol plays which
// role (library_tables.hpp). Decides signatures; opens nothing.
//
// Assumptions: as in calls.hpp; in addition, a device address travels as a pointer, and every
// matrix is column-major.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/shim/calls.hpp"

namespace halfmark::backends::shim {

struct BlasCalls {
  Status (*create)(void** handle);
  Status (*destroy)(void* handle);
  // Either form.
  Status (*version)(void* handle, int* version);
  Status (*version_text)(char* text, std::size_t bytes);
  const char* (*status_name)(Status status);
  Status (*set_math_mode)(void* handle, int mode);
  Status (*set_atomics_mode)(void* handle, int mode);
  Status (*set_workspace)(void* handle, void* workspace, std::size_t bytes);
  // Either form: c is read where the result is written, or they are two.
  Status (*multiply_in_place)(void* handle, int first_operation, int second_operation, int rows,
                              int columns, int depth, const void* alpha, const void* first,
                              int first_type, int first_ld, long long first_stride,
                              const void* second, int second_type, int second_ld,
                              long long second_stride, const void* beta, void* c, int c_type,
                              int c_ld, long long c_stride, int batch, int compute, int algorithm);
  Status (*multiply)(void* handle, int first_operation, int second_operation, int rows, int columns,
                     int depth, const void* alpha, const void* first, int first_type, int first_ld,
                     long long first_stride, const void* second, int second_type, int second_ld,
                     long long second_stride, const void* beta, const void* c, int c_type, int c_ld,
                     long long c_stride, void* d, int d_type, int d_ld, long long d_stride,
                     int batch, int compute, int algorithm, int solution, unsigned flags);
};

struct LtCalls {
  Status (*create)(void** handle);
  Status (*destroy)(void* handle);
  // Either form.
  std::size_t (*version)();
  Status (*version_of_handle)(void* handle, int* version);
  const char* (*status_name)(Status status);

  Status (*operation_create)(void** operation, int compute, int scalar_type);
  Status (*operation_destroy)(void* operation);
  Status (*operation_set)(void* operation, int attribute, const void* value, std::size_t bytes);
  Status (*layout_create)(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                          std::int64_t ld);
  Status (*layout_destroy)(void* layout);
  Status (*layout_set)(void* layout, int attribute, const void* value, std::size_t bytes);
  Status (*preference_create)(void** preference);
  Status (*preference_destroy)(void* preference);
  Status (*preference_set)(void* preference, int attribute, const void* value, std::size_t bytes);

  Status (*search)(void* handle, void* operation, void* first, void* second, void* c, void* d,
                   void* preference, int wanted, void* results, int* found);
  Status (*algorithm_capability)(const void* algorithm, int attribute, void* value,
                                 std::size_t bytes, std::size_t* written);
  Status (*multiply)(void* handle, void* operation, const void* alpha, const void* first,
                     void* first_layout, const void* second, void* second_layout, const void* beta,
                     const void* c, void* c_layout, void* d, void* d_layout, const void* algorithm,
                     void* workspace, std::size_t workspace_bytes, void* stream);
};

}  // namespace halfmark::backends::shim
