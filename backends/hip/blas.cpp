// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/folders.hpp"
#include "backends/hip/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/hip/blas_names.hpp"
#include "backends/shim/blas_tables.hpp"
// clang-format on

namespace halfmark::backends::hip {
namespace {

constexpr const char* kNames[] = {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3",
                                  "librocblas.so.0", "librocblas.so"};
constexpr std::span<const shim::BlasCompute> kComputes[] = {shim::kBlasComputes};

}  // namespace

constinit const shim::BlasVendor kBlas = shim::blas_of(
    "rocBLAS",
    {.variable = "HALFMARK_HIP_BLAS",
     .names = kNames,
     .folders = kRocmFolders,
     .symbols = shim::kBlasSymbols,
     .remedy = "install rocBLAS (part of ROCm), or name librocblas.so with HALFMARK_HIP_BLAS"},
    kComputes);

}  // namespace halfmark::backends::hip
