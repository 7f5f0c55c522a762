// SPDX-License-Identifier: Apache-2.0
//
// A library with OpenBLAS's calls that makes one mistake, chosen by definition: for
// libraries_test.cpp.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define HM_EXPORT extern "C" __attribute__((visibility("default")))

// The smallest product that a test needs: one element of column-major matrices.
HM_EXPORT void cblas_sgemm(int, int, int, int, int, int k, float alpha, const float* a, int a_ld,
                           const float* b, int, float beta, float* c, int) {
#if defined(HM_FIXTURE_FLUSHES) && defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(HM_FIXTURE_PRINTS)
  std::puts("a fixture greets you");
  std::fflush(stdout);
#elif defined(HM_FIXTURE_ABORTS)
  std::abort();
#elif defined(HM_FIXTURE_NEWER)
  std::raise(SIGILL);  // as an instruction does that the processor lacks
#elif defined(HM_FIXTURE_THREADS)
  for (unsigned i = 0; i <= std::thread::hardware_concurrency(); ++i)
    std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
#endif
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[i * a_ld] * b[i];
#if defined(HM_FIXTURE_WRONG)
  sum -= 1;
#endif
  *c = alpha * sum + (beta == 0 ? 0 : beta * *c);
}
HM_EXPORT const char* openblas_get_config() {
#if defined(HM_FIXTURE_WIDE)
  return "OpenBLAS 9.9.9 USE64BITINT DYNAMIC_ARCH";
#else
  return "OpenBLAS 9.9.9 DYNAMIC_ARCH";
#endif
}
HM_EXPORT const char* openblas_get_corename() { return "Fixture"; }
#if !defined(HM_FIXTURE_LACKS)
HM_EXPORT void openblas_set_num_threads(int) {}
#endif
