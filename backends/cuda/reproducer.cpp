// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/vendor.hpp"
// clang-format off: the words are made of the rows
#include "backends/cuda/names.hpp"
#include "backends/cuda/blas_names.hpp"
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
  };
  return shim::reproducers(kVendor, shim::kTableWords, kWords);
}

}  // namespace halfmark::backends::cuda
