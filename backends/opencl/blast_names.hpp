// SPDX-License-Identifier: Apache-2.0
//
// CLBlast's C interface: its calls as X(symbol, type), its numbers as X(enumerator, value) and its
// statuses as X(enumerator, value). blast_header_test.cpp compares them with clblast_c.h.
//
// Assumptions: enumerations are passed as int; cl_half is unsigned short. No call of the interface
// returns the version; the file's name contains it.
#pragma once

#include <CL/cl.h>

#include <cstddef>

namespace halfmark::backends::opencl {

template <typename Number>
using Gemm = int (*)(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n,
                     std::size_t k, Number alpha, cl_mem a, std::size_t a_offset, std::size_t a_ld,
                     cl_mem b, std::size_t b_offset, std::size_t b_ld, Number beta, cl_mem c,
                     std::size_t c_offset, std::size_t c_ld, cl_command_queue* queue,
                     cl_event* event);
template <typename Number>
using GemmBatch = int (*)(int layout, int a_transpose, int b_transpose, std::size_t m,
                          std::size_t n, std::size_t k, Number alpha, cl_mem a,
                          std::size_t a_offset, std::size_t a_ld, std::size_t a_stride, cl_mem b,
                          std::size_t b_offset, std::size_t b_ld, std::size_t b_stride, Number beta,
                          cl_mem c, std::size_t c_offset, std::size_t c_ld, std::size_t c_stride,
                          std::size_t batch, cl_command_queue* queue, cl_event* event);
using ClearCache = int (*)();

}  // namespace halfmark::backends::opencl

// clang-format off: one row per line
#define HM_BLAST_CALLS(X) \
  X(CLBlastHgemm, Gemm<cl_half>) \
  X(CLBlastSgemm, Gemm<float>) \
  X(CLBlastDgemm, Gemm<double>) \
  X(CLBlastHgemmStridedBatched, GemmBatch<cl_half>) \
  X(CLBlastSgemmStridedBatched, GemmBatch<float>) \
  X(CLBlastDgemmStridedBatched, GemmBatch<double>) \
  X(CLBlastClearCache, ClearCache)

#define HM_BLAST_NUMBERS(X) \
  X(CLBlastLayoutColMajor, 102) \
  X(CLBlastTransposeNo, 111) \
  X(CLBlastTransposeYes, 112)

// The statuses that mean "not supported"; any other one but success is a failure. With -53, -54,
// -55 and -2046 the library finds that the device has too few dimensions, items or bytes of local
// memory for a group of its own. -54 is also a driver's word for a group that one kernel does not
// admit, and in some versions the library's for one larger than its launch: in each case the
// library's choice does not suit the device or the shape.
#define HM_BLAST_DECLINES(X) \
  X(CLBlastNotImplemented, -1024) \
  X(CLBlastInvalidDimension, -1017) \
  X(CLBlastInvalidBatchCount, -2049) \
  X(CLBlastInvalidLocalNumDimensions, -53) \
  X(CLBlastInvalidLocalThreadsTotal, -54) \
  X(CLBlastInvalidLocalThreadsDim, -55) \
  X(CLBlastInvalidLocalMemUsage, -2046) \
  X(CLBlastNoHalfPrecision, -2045) \
  X(CLBlastNoDoublePrecision, -2044)

#define HM_BLAST_FAILURES(X) \
  X(CLBlastTempBufferAllocFailure, -4) \
  X(CLBlastOpenCLOutOfResources, -5) \
  X(CLBlastOpenCLOutOfHostMemory, -6) \
  X(CLBlastOpenCLBuildProgramFailure, -11) \
  X(CLBlastInvalidValue, -30) \
  X(CLBlastInvalidCommandQueue, -36) \
  X(CLBlastInvalidMemObject, -38) \
  X(CLBlastInvalidMatrixA, -1022) \
  X(CLBlastInvalidMatrixB, -1021) \
  X(CLBlastInvalidMatrixC, -1020) \
  X(CLBlastInvalidLeadDimA, -1016) \
  X(CLBlastInvalidLeadDimB, -1015) \
  X(CLBlastInvalidLeadDimC, -1014) \
  X(CLBlastInsufficientMemoryA, -1011) \
  X(CLBlastInsufficientMemoryB, -1010) \
  X(CLBlastInsufficientMemoryC, -1009) \
  X(CLBlastInsufficientMemoryTemp, -2050) \
  X(CLBlastDatabaseError, -2041) \
  X(CLBlastUnknownError, -2040) \
  X(CLBlastUnexpectedError, -2039)
// clang-format on
