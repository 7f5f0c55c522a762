// SPDX-License-Identifier: Apache-2.0
//
// Calls the stand-in's BLAS as the vendor's documents say, with numbers stated independently here,
// so that a wrong row of blas_names.hpp cannot confirm itself.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>

namespace halfmark::backends::musa {
namespace {

using Matrix = std::array<float, 4>;  // column-major

// c = 2 a' b + c for 2 x 2 matrices of fp32; returns the library's status.
int multiply(int transpose, int compute, const Matrix& a, const Matrix& b, Matrix& c) {
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  using Multiply = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int,
                           long long, const void*, int, int, long long, const void*, void*, int,
                           int, long long, int, int, int);
  void* library = dlopen(HM_STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return -1;
  void* handle = nullptr;
  reinterpret_cast<Create>(dlsym(library, "mublasCreate"))(&handle);
  const float alpha = 2;
  const float beta = 1;
  const int status = reinterpret_cast<Multiply>(dlsym(library, "mublasGemmStridedBatchedEx"))(
      handle, transpose, 111, 2, 2, 2, &alpha, a.data(), 0, 2, 4, b.data(), 0, 2, 4, &beta,
      c.data(), 0, 2, 4, 1, compute, 0);
  reinterpret_cast<Destroy>(dlsym(library, "mublasDestroy"))(handle);
  return status;
}

TEST(StandInBlas, TakesTheNumbersOfTheDocuments) {
  const Matrix a{1, 2, 3, 4};
  const Matrix b{5, 6, 7, 8};
  Matrix c{1, 1, 1, 1};
  EXPECT_EQ(0, multiply(112, 68, a, b, c));
  EXPECT_EQ((Matrix{35, 79, 47, 107}), c);
  c = {1, 1, 1, 1};
  EXPECT_EQ(0, multiply(111, 68, a, b, c));
  EXPECT_EQ((Matrix{47, 69, 63, 93}), c);
  EXPECT_EQ(11, multiply(1, 68, a, b, c));   // another interface's transpose
  EXPECT_EQ(11, multiply(112, 0, a, b, c));  // the computation as SDK 3 takes it
}

}  // namespace
}  // namespace halfmark::backends::musa
