// SPDX-License-Identifier: Apache-2.0
#include "backends/musa/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/musa/blas_names.hpp"
#include "backends/shim/blas_tables.hpp"
// clang-format on

namespace halfmark::backends::musa {
namespace {

constexpr const char* kNames[] = {"libmublas.so.1", "libmublas.so"};
constexpr const char* kFolders[] = {"$MUSA_PATH/lib", "$MUSA_HOME/lib", "/usr/local/musa/lib"};
constexpr shim::BlasCompute kComputesByType[] = {HM_BLAS_COMPUTES_BY_TYPE(HM_TABLE_BLAS_COMPUTE)};
constexpr std::span<const shim::BlasCompute> kComputes[] = {shim::kBlasComputes, kComputesByType};

}  // namespace

constinit const shim::BlasVendor kBlas = shim::blas_of(
    "muBLAS",
    {.variable = "HALFMARK_MUSA_BLAS",
     .names = kNames,
     .folders = kFolders,
     .symbols = shim::kBlasSymbols,
     .remedy = "install a MUSA toolkit with muBLAS, or name libmublas.so with HALFMARK_MUSA_BLAS"},
    kComputes);

}  // namespace halfmark::backends::musa
