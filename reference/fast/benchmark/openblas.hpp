// SPDX-License-Identifier: Apache-2.0
// OpenBLAS, if this machine has it: opened at run time, so that nothing needs it to build.
#pragma once

#include <string>

namespace halfmark::fast::benchmark {

// Null members when it is absent.
struct OpenBlas {
  // CBLAS, with its enumerations as integers: 101 row-major, 111 not transposed.
  void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                const float* a, int lda, const float* b, int ldb, float beta, float* c,
                int ldc) = nullptr;
  void (*set_threads)(int threads) = nullptr;
  std::string core;  // the processor that it has taken its kernels for

  [[nodiscard]] bool present() const { return sgemm != nullptr && set_threads != nullptr; }
};

[[nodiscard]] OpenBlas open_openblas();

// A processor younger than the library gets its oldest kernels, and the comparison would flatter
// us. Starts the program again with OPENBLAS_CORETYPE saying what this host can, when OpenBLAS did
// not see that and the user has not said anything.
void give_openblas_its_best(char** arguments);

}  // namespace halfmark::fast::benchmark
