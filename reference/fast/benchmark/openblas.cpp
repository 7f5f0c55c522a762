// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/benchmark/openblas.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "reference/fast/target.hpp"

namespace halfmark::fast::benchmark {
namespace {

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

bool host_has(Target target) {
  const auto targets = host_targets();
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

}  // namespace

OpenBlas open_openblas() {
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  OpenBlas blas;
  blas.sgemm = symbol<decltype(blas.sgemm)>(library, "cblas_sgemm");
  blas.set_threads = symbol<decltype(blas.set_threads)>(library, "openblas_set_num_threads");
  const auto core = symbol<const char* (*)()>(library, "openblas_get_corename");
  if (core != nullptr) blas.core = core();
  return blas;
}

void give_openblas_its_best(char** arguments) {
  const OpenBlas blas = open_openblas();
  if (!blas.present() || std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  constexpr const char* kWithoutAvx[] = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem"};
  const bool blind =
      std::find(std::begin(kWithoutAvx), std::end(kWithoutAvx), blas.core) != std::end(kWithoutAvx);
  if (!blind || !host_has(Target::kAvx2)) return;
  setenv("OPENBLAS_CORETYPE", host_has(Target::kAvx3) ? "SkylakeX" : "Haswell", 1);
  execv("/proc/self/exe", arguments);
}

}  // namespace halfmark::fast::benchmark
