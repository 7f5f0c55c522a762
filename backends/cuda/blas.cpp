// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/cuda/blas_names.hpp"
#include "backends/shim/blas_tables.hpp"
// clang-format on

namespace halfmark::backends::cuda {
namespace {

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                  "libcublas.so"};
// Toolkits, then wheels.
constexpr const char* kFolders[] = {
    "$CUDA_HOME/lib64",
    "$CUDA_PATH/lib64",
    "/usr/local/cuda/lib64",
    "/usr/local/cuda-*/lib64",
    "$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib",
    "$CONDA_PREFIX/lib",
    "$HOME/.local/lib/python3*/site-packages/nvidia/*/lib",
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
};
constexpr std::span<const shim::BlasCompute> kComputes[] = {shim::kBlasComputes};

}  // namespace

const shim::BlasVendor kBlas = {
    .name = "cuBLAS",
    .library = {.variable = "HALFMARK_CUDA_BLAS",
                .names = kNames,
                .folders = kFolders,
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
