// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/folders.hpp"
#include "backends/hip/vendor.hpp"
// clang-format off: the tables are made of the rows
#include "backends/hip/dnn_names.hpp"
#include "backends/shim/dnn_tables.hpp"
// clang-format on

namespace halfmark::backends::hip {
namespace {

constexpr const char* kNames[] = {"libMIOpen.so.1", "libMIOpen.so"};

}  // namespace

const shim::DnnVendor kDnn = {
    .name = "MIOpen",
    .library = {.variable = "HALFMARK_HIP_DNN",
                .names = kNames,
                .folders = kRocmFolders,
                .symbols = shim::kDnnSymbols,
                .remedy =
                    "install MIOpen (part of ROCm), or name libMIOpen.so with HALFMARK_HIP_DNN"},
    .types = shim::kDnnTypes,
    .accurate = shim::kDnnSoftmax.accurate,
    .logarithm = shim::kDnnSoftmax.logarithm,
    .instance = shim::kDnnSoftmax.instance,
    .channel = shim::kDnnSoftmax.channel,
    .graph = nullptr,
    .layer_norm = &shim::kDnnLayerNorm,
    .declines = shim::kDnnDeclines,
    .invalid_name = shim::kDnnInvalidName,
    .invalid = shim::kDnnInvalid,
};

}  // namespace halfmark::backends::hip
