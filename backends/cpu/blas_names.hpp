// SPDX-License-Identifier: Apache-2.0
//
// The C interfaces of the processor's BLAS libraries. Their products as X(format of a and b,
// symbol, is it in every version); the calls that start them as X(symbol, type). *_header_test.cpp
// compares them with the vendors' headers.
//
// Assumptions: enumerations and the integers of matrices are passed as int; bf16 and fp16 are 16
// bits. A build with 64-bit integers says so, or is told to take others (blas.cpp).
#pragma once

#include <cstdint>

namespace halfmark::backends::cpu {

template <typename In>
using BlasGemm = void (*)(int layout, int a_transpose, int b_transpose, int m, int n, int k,
                          float alpha, const In* a, int a_ld, const In* b, int b_ld, float beta,
                          float* c, int c_ld);
using BlasText = char* (*)();
using BlasNumber = int (*)();
using BlasWide = std::int64_t (*)();
using BlasTextOf = char* (*)(int);
using BlasTextInto = void (*)(char*, int);
using BlasChoice = int (*)(int);
using BlasThreads = void (*)(int);
using BlasWideThreads = void (*)(std::int64_t);

}  // namespace halfmark::backends::cpu

// clang-format off: one row per line
// X(format, type): all that some library multiplies into fp32.
#define HM_BLAS_INPUTS(X) \
  X(fp32, float) \
  X(bf16, std::uint16_t) \
  X(fp16, std::uint16_t) \
  X(e5m2, std::uint8_t) \
  X(e4m3fn, std::uint8_t)

#define HM_OPENBLAS_GEMMS(X) \
  X(fp32, cblas_sgemm, true) \
  X(bf16, cblas_sbgemm, false) \
  X(fp16, cblas_shgemm, false)
#define HM_OPENBLAS_CALLS(X) \
  X(openblas_get_config, BlasText) \
  X(openblas_get_corename, BlasText) \
  X(openblas_set_num_threads, BlasThreads)

// In lower case these are the calls of Fortran.
#define HM_MKL_GEMMS(X) \
  X(fp32, cblas_sgemm, true) \
  X(bf16, cblas_gemm_bf16bf16f32, false) \
  X(fp16, cblas_gemm_f16f16f32, false) \
  X(e5m2, cblas_gemm_e5m2e5m2f32, false) \
  X(e4m3fn, cblas_gemm_e4m3e4m3f32, false)
#define HM_MKL_CALLS(X) \
  X(MKL_Set_Interface_Layer, BlasChoice) \
  X(MKL_Get_Version_String, BlasTextInto) \
  X(MKL_Set_Num_Threads, BlasThreads)
#define HM_MKL_NUMBERS(X) \
  X(MKL_INTERFACE_LP64, 0)

#define HM_BLIS_GEMMS(X) \
  X(fp32, cblas_sgemm, true)
#define HM_BLIS_CALLS(X) \
  X(bli_info_get_version_str, BlasText) \
  X(bli_info_get_blas_int_type_size, BlasWide) \
  X(bli_arch_query_id, BlasNumber) \
  X(bli_arch_string, BlasTextOf) \
  X(bli_thread_set_num_threads, BlasWideThreads)

#define HM_BLAS_NUMBERS(X) \
  X(CblasColMajor, 102) \
  X(CblasNoTrans, 111) \
  X(CblasTrans, 112)
// clang-format on
