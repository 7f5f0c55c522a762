// SPDX-License-Identifier: Apache-2.0
//
// The calls of a BLAS library whose products are described by objects ("Lt"), named by role. A
// vendor's table maps symbols to roles (blas_lt_vendor.hpp). Decides signatures; opens nothing.
//
// Assumptions: as in blas_calls.hpp; in addition, descriptors are pointers, attributes are passed
// as an address and a number of bytes, and each heuristic result is a structure of
// LtVendor::algorithm_bytes followed by LtChoice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/shim/calls.hpp"

namespace halfmark::backends::shim {

// The part of a heuristic result that follows the algorithm.
struct LtChoice {
  std::size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

struct LtCalls {
  Status (*create)(void** handle);
  Status (*destroy)(void* handle);
  // One of these two forms.
  std::size_t (*version)();
  Status (*version_of)(void* handle, int* version);
  const char* (*status_name)(Status status);

  Status (*layout_create)(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                          std::int64_t ld);
  Status (*layout_destroy)(void* layout);
  Status (*layout_set)(void* layout, int attribute, const void* value, std::size_t bytes);
  Status (*product_create)(void** product, int compute, int scalar_type);
  Status (*product_destroy)(void* product);
  Status (*product_set)(void* product, int attribute, const void* value, std::size_t bytes);
  Status (*preference_create)(void** preference);
  Status (*preference_destroy)(void* preference);
  Status (*preference_set)(void* preference, int attribute, const void* value, std::size_t bytes);

  // The heuristic: whether the library has such a product, and by which algorithms.
  Status (*choose)(void* handle, void* product, void* first, void* second, void* c, void* d,
                   void* preference, int wanted, void* results, int* found);
  Status (*multiply)(void* handle, void* product, const void* alpha, const void* first,
                     void* first_layout, const void* second, void* second_layout, const void* beta,
                     const void* c, void* c_layout, void* d, void* d_layout, const void* algorithm,
                     void* workspace, std::size_t workspace_bytes, void* stream);
};

}  // namespace halfmark::backends::shim
