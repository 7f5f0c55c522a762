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

constinit const shim::BlasVendor kBlas =
    shim::blas_of("cuBLAS",
                  {.variable = "HALFMARK_CUDA_BLAS",
                   .names = kNames,
                   .folders = kToolkitFolders,
                   .symbols = shim::kBlasSymbols,
                   .remedy = "install cuBLAS (part of the CUDA toolkit, or the wheel "
                             "nvidia-cublas), or name libcublas.so with HALFMARK_CUDA_BLAS"},
                  kComputes, kInternalPrecision);

}  // namespace halfmark::backends::cuda
