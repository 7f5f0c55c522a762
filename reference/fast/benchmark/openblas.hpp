// SPDX-License-Identifier: Apache-2.0
// OpenBLAS, loaded at run time if the machine has it, so that no build needs it.
#pragma once

#include <string>

namespace halfmark::fast::benchmark {

// The members are null if OpenBLAS is absent.
struct OpenBlas {
  // CBLAS passes its enumerations as integers.
  static constexpr int kRowMajor = 101, kNoTranspose = 111;
  void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                const float* a, int lda, const float* b, int ldb, float beta, float* c,
                int ldc) = nullptr;
  void (*set_threads)(int threads) = nullptr;
  std::string core;  // the processor for which it selected its kernels

  [[nodiscard]] bool present() const { return sgemm != nullptr && set_threads != nullptr; }
};

[[nodiscard]] OpenBlas open_openblas();

// On a processor newer than the library, OpenBLAS uses its oldest kernels, and the comparison would
// flatter the engine. If OpenBLAS did not recognise the host and the user has not set
// OPENBLAS_CORETYPE, restarts the program with it set to what the host supports.
void give_openblas_its_best(char** arguments);

}  // namespace halfmark::fast::benchmark
