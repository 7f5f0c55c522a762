// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/vendor.hpp"
// clang-format off: the words are made of the rows
#include "backends/cuda/names.hpp"
#include "backends/cuda/blas_names.hpp"
#include "backends/cuda/blas_lt_names.hpp"
#include "backends/cuda/dnn_names.hpp"
#include "backends/shim/reproducer_words.hpp"
// clang-format on

namespace halfmark::backends::cuda {

std::vector<ReproducerFrame> reproducers() {
  static constexpr shim::Word kWords[] = {
      {"build", "cc -I/usr/local/cuda/include FILE -lcuda -lnvrtc"},
      {"driver.header", "cuda.h"},
      {"compiler.header", "nvrtc.h"},
      {"type.device", "CUdevice"},
      {"type.context", "CUcontext"},
      {"type.module", "CUmodule"},
      {"type.function", "CUfunction"},
      {"type.address", "CUdeviceptr"},
      {"type.program", "nvrtcProgram"},
      {"blas.build", "cc -I/usr/local/cuda/include FILE -lcuda -lcublas"},
      {"blas.header", "cublas_v2.h"},
      {"type.blas", "cublasHandle_t"},
      {"lt.build", "cc -I/usr/local/cuda/include FILE -lcuda -lcublasLt"},
      {"lt.header", "cublasLt.h"},
      {"type.lt", "cublasLtHandle_t"},
      {"type.layout", "cublasLtMatrixLayout_t"},
      {"type.product", "cublasLtMatmulDesc_t"},
      {"type.preference", "cublasLtMatmulPreference_t"},
      {"type.choice", "cublasLtMatmulHeuristicResult_t"},
      {"type.number", "cudaDataType_t"},
      {"dnn.build", "cc -I/usr/local/cuda/include FILE -lcuda -lcudnn"},
      {"dnn.header", "cudnn.h"},
      {"type.dnn", "cudnnHandle_t"},
      {"type.view", "cudnnTensorDescriptor_t"},
  };
  return shim::reproducers(kVendor, shim::kTableWords, kWords);
}

}  // namespace halfmark::backends::cuda
