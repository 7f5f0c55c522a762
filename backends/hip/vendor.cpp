// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/vendor.hpp"

#include <fmt/format.h>

#include "backends/hip/data_sheets.hpp"
#include "backends/hip/embedded.hpp"
#include "backends/hip/folders.hpp"
#include "backends/hip/names.hpp"
#include "backends/hip/units.hpp"
#include "backends/shim/tables.hpp"

namespace halfmark::backends::hip {
namespace {

constexpr const char* kDriverNames[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        "libamdhip64.so"};
constexpr const char* kCompilerNames[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so"};
constexpr const char* kCompilerCompanions[] = {"libhiprtc-builtins.so*"};
constexpr const char* kCompilerParts[] = {"libamd_comgr.so*"};  // Clang and LLVM
// Contraction is "fast" by default, and pragmas do not affect code inlined from headers.
constexpr const char* kStrictOptions[] = {"-ffp-contract=off", "-std=c++17", "-O3"};

constexpr const char* kVariables[] = {"HIPRTC_", "AMD_COMGR_",  // the compiler reads these two
                                      "HIP_",    "HIPBLASLT_", "HSA_",
                                      "MIOPEN_", "ROCBLAS_",   "ROCM_",
                                      "ROCR_",   "TENSILE_",   "GPU_DEVICE_ORDINAL="};

const shim::UnitForm kUnitForms[] = {
    {.library = "unit", .rows = kUnits, .text = &units_h, .lanes = 64, .feature = ""},
    {.library = "unit.wmma",
     .rows = kWaveUnits,
     .text = &units_wmma_h,
     .lanes = 32,
     .feature = ""}};

// gfx8 flushes fp32 subnormals by default. LLVM before 18, the compiler of ROCm before 6.2, uses
// the bare instruction for a square root.
std::vector<Promise> promises(const shim::DeviceFacts& facts) {
  const std::string evidence =
      fmt::format("{}, runtime {}", facts.architecture, facts.runtime_version);
  const bool refines = facts.runtime_version >= 60'200'000;
  const bool keeps = facts.architecture.rfind("gfx8", 0) != 0;
  const auto row = [&](const char* capability, bool offered, const char* clause) {
    return Promise{capability, offered, evidence, clause};
  };
  constexpr const char* kIsa =
      "GCN and RDNA ISA guides, v_cvt_f16_f32: rounds as the mode says, "
      "to nearest even by default";
  constexpr const char* kModes =
      "LLVM AMDGPU usage, kernel descriptor: FLOAT_DENORM_MODE_16_64 keeps subnormals";
  return {
      row("fp16.storage", true, kIsa),
      row("fp16.subnormals", true, kModes),
      row("fp16.arithmetic", true, "GCN3 and later ISA guides: v_add_f16, v_mul_f16, v_fma_f16"),
      row("fp16.arithmetic.subnormals", true, kModes),
      row("fp16.arithmetic.divide_sqrt_correctly_rounded", false,
          "GCN and RDNA ISA guides, V_SQRT_F16: 0.51 ulp; LLVM's pull request 109295: its fdiv of "
          "half could round incorrectly before"),
      row("fp32.subnormals", keeps,
          "LLVM AMDGPU usage, kernel descriptor: FLOAT_DENORM_MODE_32; flushed before gfx9"),
      row("fp32.divide_sqrt_correctly_rounded", refines,
          "Clang, -fhip-fp32-correctly-rounded-divide-sqrt: the default; LLVM's square root of "
          "fp32 obeys it from 18 on, which is ROCm 6.2"),
      row("fp32.signed_zero", true, "GCN and RDNA ISA guides: IEEE 754 operations"),
      row("fp32.fma", true, "GCN and RDNA ISA guides, v_fma_f32: one rounding"),
      row("fp64", true, "GCN and RDNA ISA guides, v_fma_f64"),
  };
}

// Clang's vectors; packed instructions hold two numbers and implement longer vectors. Another
// vendor's compiler, used by a forwarding stand-in, has no such vectors.
std::vector<Packs> packs(const shim::DeviceFacts& facts) {
  if (facts.architecture.rfind("gfx-forwarded", 0) == 0) {
    return {{.kind = "fp32", .widths = {1}},
            {.kind = "fp16", .widths = {1}},
            {.kind = "half", .widths = {1}}};
  }
  return {{.kind = "fp32", .widths = {1, 2, 4}},
          {.kind = "fp16", .widths = {1, 2, 4, 8}},
          {.kind = "half", .widths = {1, 2, 4}}};
}

}  // namespace

const shim::Vendor kVendor = {
    .backend = "hip",
    .platform = "HIP",
    .maker = "AMD",
    .kernel_suffix = ".hip",
    .driver = {.variable = "HALFMARK_HIP_DRIVER",
               .names = kDriverNames,
               .folders = kRocmFolders,
               .symbols = shim::kDriverSymbols,
               .remedy = "install ROCm's HIP runtime, or name libamdhip64.so with "
                         "HALFMARK_HIP_DRIVER"},
    .compiler = {.variable = "HALFMARK_HIP_COMPILER",
                 .names = kCompilerNames,
                 .folders = kRocmFolders,
                 .symbols = shim::kCompilerSymbols,
                 .remedy = "install ROCm's hipRTC, or name libhiprtc.so with "
                           "HALFMARK_HIP_COMPILER",
                 .companions = kCompilerCompanions,
                 .parts = kCompilerParts},
    .compiler_may_be_in_driver = true,
    .compiler_follows_driver = false,
    .offline_compiler = {},
    .attributes = shim::kAttributes,
    .codes = shim::kCodes,
    .lost_codes = shim::kLostCodes,
    .stub_code = 0,
    .architectures = {.from = shim::Architectures::From::kProperties,
                      .prefix = "gfx",
                      .option = "--offload-arch="},
    .no_contraction = "-ffp-contract=off",
    .strict_options = kStrictOptions,
    .takes_family_words = false,
    .dialect = &dialect_h,
    .promises = promises,
    .packs = packs,
    .stand_in = {.capability = 90,
                 .architecture = "gfx90a:sramecc+:xnack-",
                 .warp_items = 64,
                 .compiler_architectures = {},
                 .forwarded = &forward_h,
                 .forwarded_header = nullptr},
    .units = {.forms = kUnitForms, .none = nullptr},
    .variables = kVariables,
    .compiler_variables = std::span(kVariables).first(2),
    .blas = &kBlas,
    .blas_lt = &kBlasLt,
    .dnn = &kDnn,
    .data_sheets = kDataSheets,
};

}  // namespace halfmark::backends::hip
