// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/folders.hpp"
#include "backends/cuda/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/cuda/dnn_names.hpp"
#include "backends/shim/dnn_tables.hpp"
// clang-format on

namespace halfmark::backends::cuda {
namespace {

constexpr const char* kNames[] = {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"};

}  // namespace

const shim::DnnVendor kDnn = {
    .name = "cuDNN",
    .library = {.variable = "HALFMARK_CUDA_DNN",
                .names = kNames,
                .folders = kToolkitFolders,
                .symbols = shim::kDnnSymbols,
                .remedy = "install cuDNN 8 or 9 (a package of its own, or the wheel nvidia-cudnn), "
                          "or name libcudnn.so with HALFMARK_CUDA_DNN"},
    .types = shim::kDnnTypes,
    .accurate = shim::kDnnSoftmax.accurate,
    .logarithm = shim::kDnnSoftmax.logarithm,
    .instance = shim::kDnnSoftmax.instance,
    .channel = shim::kDnnSoftmax.channel,
    .graph = &shim::kDnnGraph,
    .layer_norm = nullptr,
    .declines = shim::kDnnDeclines,
    .invalid_name = shim::kDnnInvalidName,
    .invalid = shim::kDnnInvalid,
    // API reference, cudnnSetTensorNdDescriptor: at most 2 giga-elements, padding included.
    .most_elements = (std::int64_t{1} << 31) - 1,
};

}  // namespace halfmark::backends::cuda
