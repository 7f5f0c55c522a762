// SPDX-License-Identifier: Apache-2.0
//
// CUDA as a row of backends/shim: everything that Halfmark knows about it, except the words
// of dialect.h.
#pragma once

#include "backends/shim/blas_lt_vendor.hpp"
#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/dnn_vendor.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::cuda {

/// Of cuBLAS and cuBLASLt.
inline constexpr const char* kInternalPrecision =
    "cublas_api.h, cublasComputeType_t: default types guarantee internal storage precision with at "
    "least the same precision and range";

extern const shim::Vendor kVendor;
extern const shim::BlasVendor kBlas;
extern const shim::LtVendor kBlasLt;
extern const shim::DnnVendor kDnn;

}  // namespace halfmark::backends::cuda
