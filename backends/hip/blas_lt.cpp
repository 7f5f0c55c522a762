// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/folders.hpp"
#include "backends/hip/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/hip/blas_lt_names.hpp"
#include "backends/shim/blas_lt_tables.hpp"
// clang-format on

namespace halfmark::backends::hip {
namespace {

constexpr const char* kNames[] = {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"};

}  // namespace

const shim::LtVendor kBlasLt = {
    .name = "hipBLASLt",
    .library = {.variable = "HALFMARK_HIP_BLASLT",
                .names = kNames,
                .folders = kRocmFolders,
                .symbols = shim::kLtSymbols,
                .remedy = "install hipBLASLt (part of ROCm), or name libhipblaslt.so with "
                          "HALFMARK_HIP_BLASLT"},
    .numbers = shim::kLtNumbers,
    .types = shim::kLtTypes,
    .computes = shim::kLtComputes,
    .epilogues = shim::kLtEpilogues,
    .algorithm_bytes = shim::kLtAlgorithmBytes,
    .c_of_narrow_d = {},
    .declines = shim::kLtDeclines,
    .invalid = shim::kLtInvalid,
};

}  // namespace halfmark::backends::hip
