// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/folders.hpp"
#include "backends/cuda/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/cuda/blas_lt_names.hpp"
#include "backends/shim/blas_lt_tables.hpp"
// clang-format on

namespace halfmark::backends::cuda {
namespace {

constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
                                  "libcublasLt.so"};

}  // namespace

const shim::LtVendor kBlasLt = {
    .name = "cuBLASLt",
    .library = {.variable = "HALFMARK_CUDA_BLASLT",
                .names = kNames,
                .folders = kToolkitFolders,
                .symbols = shim::kLtSymbols,
                .remedy = "install cuBLAS (part of the CUDA toolkit, or the wheel "
                          "nvidia-cublas), or name libcublasLt.so with HALFMARK_CUDA_BLASLT"},
    .numbers = shim::kLtNumbers,
    .types = shim::kLtTypes,
    .computes = shim::kLtComputes,
    .epilogues = shim::kLtEpilogues,
    .algorithm_bytes = shim::kLtAlgorithmBytes,
    .c_of_narrow_d = "fp16",
    .declines = shim::kLtDeclines,
    .invalid = shim::kLtInvalid,
    .internal_precision = kInternalPrecision,
};

}  // namespace halfmark::backends::cuda
