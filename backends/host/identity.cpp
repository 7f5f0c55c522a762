// SPDX-License-Identifier: Apache-2.0
#include "backends/host/identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include "backends/host/library/operators.hpp"
#include "backends/host/machine.hpp"
#include "backends/host/work_group.hpp"

namespace halfmark::backends::host {
namespace {

constexpr const char* kOwnClause = "backends/host/README.md, Arithmetic";

[[nodiscard]] std::vector<Promise> promises() {
  const auto offered = [](const char* capability, const char* evidence) {
    return Promise{
        .capability = capability, .offered = true, .evidence = evidence, .clause = kOwnClause};
  };
  return {
      offered("fp16.storage",
              "conversions by the processor's unit or in integers, rounded to nearest even"),
      offered("fp16.arithmetic",
              "each operation in fp32 and one conversion; fma through round to odd"),
      offered("bf16.arithmetic",
              "each operation in fp32 and one conversion; fma through round to odd"),
      offered("fp16.subnormals", "conversions between fp16 and fp32 keep them"),
      offered("fp16.arithmetic.subnormals",
              "a subnormal fp16 number is a normal fp32 number; the conversion keeps it"),
      offered("fp16.arithmetic.divide_sqrt_correctly_rounded",
              "in fp32, rounded correctly, and one conversion: two roundings, which equal one"),
      offered("fp32.subnormals", "every thread that runs work-items clears FTZ and DAZ"),
      offered("fp32.divide_sqrt_correctly_rounded",
              "the processor's IEEE 754 division and square root"),
      offered("fp32.signed_zero", "the processor's IEEE 754 operations; -fno-fast-math"),
      offered("fp32.fma", "the processor's fused multiply-add, else the C library's"),
      {.capability = "functions.libm",
       .offered = true,
       .evidence = fmt::format("GNU C Library {}", gnu_get_libc_version()),
       .clause = "The GNU C Library manual, known maximum errors in math functions"},
  };
}

}  // namespace

DeviceInfo identify(const Compiler& compiler, unsigned threads) {
  DeviceInfo info;
  info.selector = "host";
  info.backend = "host";
  info.name = "Halfmark software device";
  info.platform = "host";
  info.vendor = "Halfmark";
  info.driver_version = fmt::format("{} ({})", HALFMARK_VERSION, compiler.version);
  info.api_version = "C++17";
  info.kind = "software";
  info.memory_bytes = physical_memory_bytes();
  info.local_memory_bytes = kLocalMemoryBytes;
  info.max_group_items = kMaxGroupItems;
  info.compute_units = threads;
  info.promises = promises();
  info.packs = {{"bf16", {1}}, {"fp16", {1, 8}}, {"fp32", {1, 8, 16}}, {"half", {1, 8}}};
  info.libraries = {library::describe_library(HALFMARK_VERSION)};
  info.extra = {{"clock", "host: the device runs on the processor"},
                {"processor", processor_model()},
                {"architecture", machine_architecture()},
                {"compiler", fmt::format("{}", fmt::join(compiler.command, " "))},
                {"compiler_flags", fmt::format("{}", fmt::join(compiler.flags, " "))}};
  return info;
}

}  // namespace halfmark::backends::host
