// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace halfmark::fast {
namespace {

struct Row {
  Target target;
  std::string_view name;
};

// Best first.
constexpr Row kRows[] = {{Target::kAvx3Spr, "avx3_spr"}, {Target::kAvx3, "avx3"},
                         {Target::kAvx2, "avx2"},        {Target::kNeonFp16, "neon_fp16"},
                         {Target::kNeon, "neon"},        {Target::kPortable, "portable"}};

// Exactly the instructions that Highway's pragmas allow the compiler to use for a target.
#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("aes");
}
bool has_avx3() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
bool runs_here(Target target) {
  __builtin_cpu_init();
  switch (target) {
    case Target::kAvx3Spr:
      return has_avx3() && __builtin_cpu_supports("avx512fp16");
    case Target::kAvx3:
      return has_avx3();
    case Target::kAvx2:
      return has_avx2();
    case Target::kNeon:
    case Target::kNeonFp16:
      return false;
    case Target::kPortable:
      return true;
  }
  return false;
}
#elif defined(__aarch64__)
bool runs_here(Target target) {
  const bool has_fp16 = (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0;
  return target == Target::kPortable || target == Target::kNeon ||
         (target == Target::kNeonFp16 && has_fp16);
}
#else
bool runs_here(Target target) { return target == Target::kPortable; }
#endif

}  // namespace

std::span<const Target> host_targets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> found;
    for (const Row& row : kRows) {
      if (runs_here(row.target)) found.push_back(row.target);
    }
    return found;
  }();
  return targets;
}

std::string_view to_string(Target target) {
  for (const Row& row : kRows) {
    if (row.target == target) return row.name;
  }
  return {};
}

Target default_target() {
  const char* wanted = std::getenv("HALFMARK_FAST_TARGET");
  if (wanted == nullptr || *wanted == '\0') return host_targets().front();
  std::vector<std::string_view> names;
  for (const Target target : host_targets()) {
    if (to_string(target) == wanted) return target;
    names.push_back(to_string(target));
  }
  throw std::invalid_argument(
      fmt::format("HALFMARK_FAST_TARGET: this host has no target '{}'; choose from: {}", wanted,
                  fmt::join(names, ", ")));
}

}  // namespace halfmark::fast
