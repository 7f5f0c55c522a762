// SPDX-License-Identifier: Apache-2.0
//
// Calls the stand-in's BLAS as the vendor's documents say, with numbers stated independently here,
// so that a wrong row of blas_names.hpp cannot confirm itself.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>

namespace halfmark::backends::hip {
namespace {

using Matrix = std::array<float, 4>;  // column-major

// 2 a' b + c for 2 x 2 matrices of fp32, computed in fp32; returns the library's status.
int multiply(const char* symbol, int transpose, int type, const Matrix& a, const Matrix& b,
             const Matrix& c, Matrix& d) {
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  using Multiply = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, long,
                           const void*, int, int, long, const void*, const void*, int, int, long,
                           void*, int, int, long, int, int, int, int, unsigned);
  void* library = dlopen(HM_STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return -1;
  void* handle = nullptr;
  reinterpret_cast<Create>(dlsym(library, "rocblas_create_handle"))(&handle);
  const float alpha = 2;
  const float beta = 1;
  const int status = reinterpret_cast<Multiply>(dlsym(library, symbol))(
      handle, transpose, 111, 2, 2, 2, &alpha, a.data(), type, 2, 4, b.data(), type, 2, 4, &beta,
      c.data(), type, 2, 4, d.data(), type, 2, 4, 1, type, 0, 0, 0);
  reinterpret_cast<Destroy>(dlsym(library, "rocblas_destroy_handle"))(handle);
  return status;
}

TEST(StandInBlas, TakesTheNumbersOfTheDocuments) {
  const Matrix a{1, 2, 3, 4};
  const Matrix b{5, 6, 7, 8};
  const Matrix c{1, 1, 1, 1};
  Matrix d{};
  constexpr const char* kCall = "rocblas_gemm_strided_batched_ex";
  EXPECT_EQ(0, multiply(kCall, 112, 151, a, b, c, d));
  EXPECT_EQ((Matrix{35, 79, 47, 107}), d);
  EXPECT_EQ(0, multiply(kCall, 111, 151, a, b, c, d));
  EXPECT_EQ((Matrix{47, 69, 63, 93}), d);
  EXPECT_EQ(11, multiply(kCall, 1, 151, a, b, c, d));  // another interface's transpose
  EXPECT_EQ(11, multiply(kCall, 112, 0, a, b, c, d));  // and its fp32
}

}  // namespace
}  // namespace halfmark::backends::hip
