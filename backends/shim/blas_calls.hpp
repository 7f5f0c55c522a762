// SPDX-License-Identifier: Apache-2.0
//
// The calls of a vendor's BLAS that Halfmark needs, named by role. A vendor's table maps symbols to
// roles (blas_vendor.hpp). Decides signatures; opens nothing.
//
// Assumptions: as in calls.hpp; in addition, device addresses are passed as pointers, every matrix
// is column-major, and scalars are read from the host.
#pragma once

#include <cstddef>

#include "backends/shim/calls.hpp"

namespace halfmark::backends::shim {

struct BlasCalls {
  Status (*create)(void** handle);
  Status (*destroy)(void* handle);
  Status (*set_stream)(void* handle, void* stream);
  // One of these two forms.
  Status (*version)(void* handle, int* version);
  Status (*version_text)(char* text, std::size_t bytes);
  const char* (*status_name)(Status status);
  Status (*set_math_mode)(void* handle, int mode);
  Status (*set_atomics_mode)(void* handle, int mode);
  // One of these two forms: c is read from the memory of d, or c and d are separate.
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

}  // namespace halfmark::backends::shim
