// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/folders.hpp"
#include "backends/cuda/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/cuda/blas_names.hpp"
#include "backends/shim/blas_tables.hpp"
// clang-format on

namespace halfmark::backends::cuda {
namespace {

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                  "libcublas.so"};
constexpr std::span<const shim::BlasCompute> kComputes[] = {shim::kBlasComputes};

}  // namespace

const shim::BlasVendor kBlas = {
    .name = "cuBLAS",
    .library = {.variable = "HALFMARK_CUDA_BLAS",
                .names = kNames,
                .folders = kToolkitFolders,
                .symbols = shim::kBlasSymbols,
                .remedy = "install cuBLAS (part of the CUDA toolkit, or the wheel "
                          "nvidia-cublas), or name libcublas.so with HALFMARK_CUDA_BLAS"},
    .none = shim::kBlasOperations.none,
    .transpose = shim::kBlasOperations.transpose,
    .types = shim::kBlasTypes,
    .computes = kComputes,
    .algorithm = shim::kBlasAlgorithm,
    .declines = shim::kBlasDeclines,
    .invalid = shim::kBlasInvalid,
};

}  // namespace halfmark::backends::cuda
