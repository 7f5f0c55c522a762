// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/processor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "backends/host/machine.hpp"
#include "backends/host/work_group.hpp"

namespace halfmark::backends::cpu {
namespace {

constexpr const char* kOwnClause = "backends/cpu/README.md, What is promised";
constexpr const char* kIeeeClause = "IEEE 754-2019, 4.3.1 and 5.4.1";
constexpr const char* kHalfClause =
    "Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, AVX512-FP16; Arm "
    "Architecture Reference Manual, FEAT_FP16";

// What the kernel lists and Halfmark shows, of x86-64 and of AArch64.
constexpr std::string_view kShown[] = {
    "f16c",        "fma",      "avx2",     "avx512f",  "avx_vnni", "avx512_bf16",
    "avx512_fp16", "amx_tile", "amx_bf16", "amx_fp16", "amx_int8", "fphp",
    "asimdhp",     "asimdfhm", "bf16",     "sve",      "sme"};

[[nodiscard]] bool has_word(const std::string& text, std::string_view word) {
  std::istringstream stream(text);
  for (std::string each; stream >> each;) {
    if (each == word) return true;
  }
  return false;
}

[[nodiscard]] bool has_macro(const std::string& macros, std::string_view name) {
  return macros.find(fmt::format("#define {} ", name)) != std::string::npos;
}

[[nodiscard]] std::string shown_features(const std::string& all) {
  std::vector<std::string_view> shown;
  for (const std::string_view name : kShown) {
    if (has_word(all, name)) shown.push_back(name);
  }
  return fmt::format("{}", fmt::join(shown, " "));
}

[[nodiscard]] Promise offered(const char* capability, std::string evidence, const char* clause) {
  return {
      .capability = capability, .offered = true, .evidence = std::move(evidence), .clause = clause};
}

[[nodiscard]] std::vector<Promise> half_promises(const Processor& processor) {
  const bool has = !processor.half_arithmetic.empty();
  const std::string& evidence = has ? processor.half_arithmetic : processor.no_half_arithmetic;
  return {{.capability = "fp16.arithmetic",
           .offered = has,
           .evidence = evidence,
           .clause = kHalfClause},
          {.capability = "fp16.arithmetic.subnormals",
           .offered = has,
           .evidence = has ? "no control bit flushes operands or results of fp16" : evidence,
           .clause = kHalfClause},
          {.capability = "fp16.arithmetic.divide_sqrt_correctly_rounded",
           .offered = has,
           .evidence = has ? "the processor's fp16 division and square root" : evidence,
           .clause = kHalfClause},
          {.capability = "bf16.arithmetic",
           .offered = false,
           .evidence = "processors have conversions and products of bf16, but no arithmetic in it",
           .clause = kOwnClause}};
}

[[nodiscard]] std::vector<Promise> promises(const Processor& processor) {
  std::vector<Promise> all = {
      offered("fp16.storage",
              processor.converts_half ? "the processor's conversions, rounded to nearest even"
                                      : "conversions in integers, rounded to nearest even",
              kOwnClause),
      offered("fp16.subnormals", "conversions between fp16 and fp32 keep them", kOwnClause),
      offered("fp32.subnormals", "every thread that runs work-items clears FTZ and DAZ",
              kIeeeClause),
      offered("fp32.divide_sqrt_correctly_rounded", "the processor's division and square root",
              kIeeeClause),
      offered("fp32.signed_zero", "the processor's operations; -fno-fast-math", kIeeeClause),
      offered("fp32.fma", "the processor's fused multiply-add, else the C library's", kIeeeClause),
      offered("functions.libm", fmt::format("GNU C Library {}", gnu_get_libc_version()),
              "The GNU C Library manual, known maximum errors in math functions")};
  for (Promise& promise : half_promises(processor)) all.push_back(std::move(promise));
  return all;
}

}  // namespace

void decide_half_arithmetic(Processor& processor, const std::string& macros,
                            const std::string& features) {
  processor.converts_half = has_macro(macros, "__F16C__") || has_macro(macros, "__aarch64__");
  if (has_macro(macros, "__AVX512FP16__")) {
    processor.half_arithmetic = "AVX512-FP16";
  } else if (has_macro(macros, "__ARM_FEATURE_FP16_SCALAR_ARITHMETIC") &&
             has_macro(macros, "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC")) {
    processor.half_arithmetic = "Armv8.2 FP16";
  } else if (has_word(features, "avx512_fp16") || has_word(features, "fphp")) {
    processor.no_half_arithmetic = fmt::format(
        "the processor has it, but {} does not use it; install g++ 12 or clang 14, or later",
        processor.compiler.version);
  } else {
    processor.no_half_arithmetic =
        "the processor has neither AVX512-FP16 nor Armv8.2 FP16, so nothing in it computes in fp16";
  }
}

Processor examine_processor() {
  Processor processor{.compiler = host::find_compiler(host::Instructions::kNative),
                      .model = host::processor_model(),
                      .vendor = host::processor_line("vendor_id"),
                      .microcode = host::processor_line("microcode"),
                      .features = {},
                      .half_arithmetic = {},
                      .no_half_arithmetic = {}};
  const std::string features = host::processor_features();
  processor.features = shown_features(features);
  decide_half_arithmetic(processor, host::predefined_macros(processor.compiler), features);
  return processor;
}

DeviceInfo identify(const Processor& processor, unsigned threads) {
  DeviceInfo info;
  info.backend = "cpu";
  info.name = processor.model;
  info.platform = host::machine_architecture();
  info.vendor = processor.vendor.empty() ? "unknown" : processor.vendor;
  info.driver_version = processor.compiler.version;
  info.api_version = "C++17";
  info.kind = "cpu";
  info.memory_bytes = host::physical_memory_bytes();
  info.local_memory_bytes = host::kLocalMemoryBytes;
  info.max_group_items = host::kMaxGroupItems;
  info.compute_units = threads;
  info.promises = promises(processor);
  info.packs = {{"fp32", {1, 8, 16}}, {"half", {1, 8}}};
  if (!processor.half_arithmetic.empty()) info.packs.push_back({"fp16", {1, 8, 16, 32}});
  info.extra = {{"clock", "host: the device is the processor"},
                {"features", processor.features},
                {"microcode", processor.microcode},
                {"compiler", fmt::format("{}", fmt::join(processor.compiler.command, " "))},
                {"compiler_flags", fmt::format("{}", fmt::join(processor.compiler.flags, " "))}};
  return info;
}

}  // namespace halfmark::backends::cpu
