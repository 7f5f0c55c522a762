// SPDX-License-Identifier: Apache-2.0
//
// A library with the calls of OpenBLAS, or by definition of MKL or BLIS, that makes one mistake,
// chosen by definition, too: for libraries_test.cpp.
#include <dlfcn.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define HM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
[[maybe_unused]] bool is_told_its_integers = false;
[[maybe_unused]] long long threads = 0;
}  // namespace

// By a symbol that another library can take over.
HM_EXPORT __attribute__((noinline)) float halfmark_fixture_sum(int k, const float* a, int a_ld,
                                                               const float* b) {
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[i * a_ld] * b[i];
#if defined(HM_FIXTURE_WRONG)
  sum -= 1;
#endif
  return sum;
}

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
#elif defined(HM_FIXTURE_LATE)
  std::this_thread::sleep_for(std::chrono::seconds(3));
#elif defined(HM_FIXTURE_SAYS_WHY)
  std::puts("FATAL ERROR: cannot load libfixture_thread.so");
  std::exit(2);
#endif
#if defined(HM_FIXTURE_MKL)
  if (!is_told_its_integers || threads != 1) std::abort();
  // MKL makes the symbols of its layers global when it is first called.
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&halfmark_fixture_sum), &self);
  const std::string file = self.dli_fname;
  dlopen((file.substr(0, file.rfind('/')) + "/cpu_fixture_wrong.so").c_str(),
         RTLD_NOW | RTLD_GLOBAL);
#elif defined(HM_FIXTURE_BLIS) || defined(HM_FIXTURE_BLIS_WIDE)
  if (threads != 1) std::abort();
#endif
  const float sum = halfmark_fixture_sum(k, a, a_ld, b);
  *c = alpha * sum + (beta == 0 ? 0 : beta * *c);
}
#if defined(HM_FIXTURE_MKL)
// MKL takes 64-bit integers where a variable says so, unless it is told otherwise before
// the first call.
HM_EXPORT int MKL_Set_Interface_Layer(int layer) {
  is_told_its_integers = layer == 0;
  return layer;
}
HM_EXPORT void MKL_Set_Num_Threads(int number) { threads = number; }
HM_EXPORT void MKL_Get_Version_String(char* text, int size) {
  std::snprintf(text, static_cast<std::size_t>(size), "%s",
                "Intel(R) oneAPI Math Kernel Library Version 2099.7-Product Build 20990101 for "
                "Intel(R) 64 architecture applications      ");
}
#elif defined(HM_FIXTURE_BLIS) || defined(HM_FIXTURE_BLIS_WIDE)
HM_EXPORT const char* bli_info_get_version_str() { return "9.9.9"; }
HM_EXPORT std::int64_t bli_info_get_blas_int_type_size() {
#if defined(HM_FIXTURE_BLIS_WIDE)
  return 64;
#else
  return 32;
#endif
}
HM_EXPORT int bli_arch_query_id() { return 7; }
HM_EXPORT const char* bli_arch_string(int id) { return id == 7 ? "fixture" : "another"; }
HM_EXPORT void bli_thread_set_num_threads(std::int64_t number) { threads = number; }
#else
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
#endif
