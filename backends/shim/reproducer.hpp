// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs in the interfaces of this family: one text for a kernel (reproducer.c) and
// one for a product by the vendor's BLAS (reproducer_gemm.c). A vendor's reproducer.cpp gives its
// words: the symbols and enumerators of its tables, and what only its headers know (types, names of
// headers, how to compile).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/reproducers.hpp"
#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

using Word = std::pair<const char*, const char*>;  // a place, and what stands there

/// Of words with one place, the last counts.
[[nodiscard]] std::vector<ReproducerFrame> reproducers(const Vendor& vendor,
                                                       std::span<const Word> tables,
                                                       std::span<const Word> own);

}  // namespace halfmark::backends::shim
