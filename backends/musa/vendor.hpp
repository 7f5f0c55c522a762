// SPDX-License-Identifier: Apache-2.0
//
// MUSA as a row of backends/shim: everything that Halfmark knows about it, except the words
// of dialect.h.
#pragma once

#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::musa {

extern const shim::Vendor kVendor;
extern const shim::BlasVendor kBlas;

}  // namespace halfmark::backends::musa
