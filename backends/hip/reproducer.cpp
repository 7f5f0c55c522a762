// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/vendor.hpp"
// clang-format off: the words are made of the rows
#include "backends/hip/names.hpp"
#include "backends/hip/blas_names.hpp"
#include "backends/hip/blas_lt_names.hpp"
#include "backends/hip/dnn_names.hpp"
#include "backends/shim/reproducer_words.hpp"
// clang-format on

namespace halfmark::backends::hip {

std::vector<ReproducerFrame> reproducers() {
  static constexpr shim::Word kWords[] = {
      {"build",
       "cc -D__HIP_PLATFORM_AMD__ -I/opt/rocm/include FILE -L/opt/rocm/lib -lamdhip64 -lhiprtc"},
      {"driver.header", "hip/hip_runtime_api.h"},
      {"compiler.header", "hip/hiprtc.h"},
      {"type.device", "hipDevice_t"},
      {"type.module", "hipModule_t"},
      {"type.function", "hipFunction_t"},
      {"type.address", "hipDeviceptr_t"},
      {"type.program", "hiprtcProgram"},
      {"blas.build",
       "cc -D__HIP_PLATFORM_AMD__ -I/opt/rocm/include FILE -L/opt/rocm/lib -lamdhip64 -lrocblas"},
      {"blas.header", "rocblas/rocblas.h"},
      {"type.blas", "rocblas_handle"},
      // The library's header is C++ up to ROCm 6.
      {"lt.build",
       "c++ -D__HIP_PLATFORM_AMD__ -I/opt/rocm/include FILE -L/opt/rocm/lib -lamdhip64 "
       "-lhipblaslt"},
      {"lt.is_cpp", "yes"},
      {"lt.header", "hipblaslt/hipblaslt.h"},
      {"type.lt", "hipblasLtHandle_t"},
      {"type.layout", "hipblasLtMatrixLayout_t"},
      {"type.product", "hipblasLtMatmulDesc_t"},
      {"type.preference", "hipblasLtMatmulPreference_t"},
      {"type.choice", "hipblasLtMatmulHeuristicResult_t"},
      {"type.number", "hipDataType"},
      {"dnn.build",
       "cc -D__HIP_PLATFORM_AMD__ -DMIOPEN_BETA_API -I/opt/rocm/include FILE -L/opt/rocm/lib "
       "-lamdhip64 -lMIOpen"},
      {"dnn.header", "miopen/miopen.h"},
      {"type.dnn", "miopenHandle_t"},
      {"type.view", "miopenTensorDescriptor_t"},
  };
  return shim::reproducers(kVendor, shim::kTableWords, kWords);
}

}  // namespace halfmark::backends::hip
