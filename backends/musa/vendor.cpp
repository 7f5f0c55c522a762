// SPDX-License-Identifier: Apache-2.0
#include "backends/musa/vendor.hpp"

#include <fmt/format.h>

#include "backends/musa/data_sheets.hpp"
#include "backends/musa/embedded.hpp"
#include "backends/musa/names.hpp"
#include "backends/shim/tables.hpp"

namespace halfmark::backends::musa {
namespace {

constexpr const char* kDriverNames[] = {"libmusa.so.1", "libmusa.so", "libmusa.so.4"};
constexpr const char* kCompilerNames[] = {"libmtrtc.so.5", "libmtrtc.so.5.*", "libmtrtc.so.4",
                                          "libmtrtc.so"};
constexpr const char* kFolders[] = {"$MUSA_PATH/lib", "$MUSA_HOME/lib", "/usr/local/musa/lib"};
constexpr const char* kProgramFolders[] = {"$MUSA_PATH/bin", "$MUSA_HOME/bin",
                                           "/usr/local/musa/bin"};
constexpr const char* kOfflineOptions[] = {"-x", "musa", "-mtgpu", "-O2", "--cuda-device-only"};
constexpr const char* kStrictOptions[] = {"-ffp-contract=off"};

// The vendor publishes nothing about its arithmetic, so Halfmark promises what the dialect itself
// guarantees and measures the rest.
constexpr const char* kVariables[] = {"MUSA_", "MUBLAS", "MTHREADS_"};

std::vector<Promise> promises(const shim::DeviceFacts& facts) {
  const auto row = [&](const char* capability, bool offered, const char* clause) {
    return Promise{capability, offered, facts.architecture, clause};
  };
  constexpr const char* kInIntegers =
      "backends/musa/dialect.h: conversions between fp16 and fp32 are integer code";
  constexpr const char* kSilent = "no public document of the vendor promises it";
  return {
      row("fp16.storage", true, kInIntegers),
      row("fp16.subnormals", true, kInIntegers),
      row("fp16.arithmetic", facts.capability >= 22,
          "musa_fp16.h: __hadd, __hmul and __hfma; from mp_22 on"),
      row("fp16.arithmetic.subnormals", false, kSilent),
      row("fp16.arithmetic.divide_sqrt_correctly_rounded", false, kSilent),
      row("fp32.subnormals", false, kSilent),
      row("fp32.divide_sqrt_correctly_rounded", false, kSilent),
      row("fp32.signed_zero", false, kSilent),
      row("fp32.fma", true, "musa_runtime.h: fmaf; IEEE 754-2019, 5.4.1 fusedMultiplyAdd"),
  };
}

// musa_fp16.h: __hadd2, __hmul2 and __hfma2.
std::vector<Packs> packs(const shim::DeviceFacts& facts) {
  std::vector<Packs> list = {{.kind = "fp32", .widths = {1}}, {.kind = "half", .widths = {1}}};
  if (facts.capability >= 22) list.push_back({.kind = "fp16", .widths = {1, 2}});
  return list;
}

}  // namespace

const shim::Vendor kVendor = {
    .backend = "musa",
    .platform = "MUSA",
    .maker = "Moore Threads",
    .kernel_suffix = ".mu",
    .driver = {.variable = "HALFMARK_MUSA_DRIVER",
               .names = kDriverNames,
               .folders = kFolders,
               .symbols = shim::kDriverSymbols,
               .remedy = "install Moore Threads' driver, or name libmusa.so with "
                         "HALFMARK_MUSA_DRIVER"},
    .compiler = {.variable = "HALFMARK_MUSA_COMPILER",
                 .names = kCompilerNames,
                 .folders = kFolders,
                 .symbols = shim::kCompilerSymbols,
                 .remedy = "install a MUSA toolkit (with MTRTC, or with mcc on PATH or below "
                           "MUSA_PATH), or name libmtrtc.so with HALFMARK_MUSA_COMPILER"},
    .compiler_may_be_in_driver = false,
    .compiler_follows_driver = false,
    .offline_compiler = {.command = "mcc", .folders = kProgramFolders, .options = kOfflineOptions},
    .attributes = shim::kAttributes,
    .codes = shim::kCodes,
    .lost_codes = shim::kLostCodes,
    .stub_code = 0,
    .architectures = {.from = shim::Architectures::From::kCapability,
                      .prefix = "mp_",
                      .option = "--offload-arch="},
    .no_contraction = "-ffp-contract=off",
    .strict_options = kStrictOptions,
    .takes_family_words = true,
    .dialect = &dialect_h,
    .promises = promises,
    .packs = packs,
    .stand_in = {.capability = 22,
                 .architecture = "mp_22",
                 .warp_items = 128,
                 .compiler_architectures = {},
                 .forwarded = &forward_h,
                 .forwarded_header = "musa_fp16.h"},
    .units = {.forms = {},
              .none = "no instruction of the matrix unit is publicly documented for this compiler"},
    .variables = kVariables,
    .blas = &kBlas,
    .data_sheets = kDataSheets,
};

}  // namespace halfmark::backends::musa
