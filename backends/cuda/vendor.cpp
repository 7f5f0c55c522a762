// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/vendor.hpp"

#include <fmt/format.h>

#include "backends/cuda/data_sheets.hpp"
#include "backends/cuda/embedded.hpp"
#include "backends/cuda/folders.hpp"
#include "backends/cuda/names.hpp"
#include "backends/cuda/units.hpp"
#include "backends/shim/tables.hpp"

namespace halfmark::backends::cuda {
namespace {

constexpr const char* kDriverNames[] = {"libcuda.so.1"};
constexpr const char* kCompilerNames[] = {"libnvrtc.so.13",   "libnvrtc.so.12",
                                          "libnvrtc.so.11.2", "libnvrtc.so.11.1",
                                          "libnvrtc.so.11.0", "libnvrtc.so"};
// Opened by its bare name at the first compilation; libraries from wheels of CUDA 13.0 have no
// search path of their own.
constexpr const char* kCompilerCompanions[] = {"libnvrtc-builtins.so*"};
constexpr const char* kDriverFolders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64",
                                          "/run/opengl-driver/lib", "/usr/local/cuda/compat"};
constexpr const char* kStrictOptions[] = {"--fmad=false", "--ftz=false", "--prec-div=true",
                                          "--prec-sqrt=true", "--std=c++17"};
constexpr int kStandInArchitectures[] = {75, 80, 86, 90, 100};

constexpr const char* kVariables[] = {"CUDA_", "CUBLAS", "CUDNN_", "NVIDIA_"};

const shim::UnitForm kUnitForms[] = {
    {.library = "unit", .rows = kUnits, .text = &units_h, .lanes = 32, .feature = ""},
    {.library = "unit.wgmma",
     .rows = kWarpGroupUnits,
     .text = &units_wgmma_h,
     .lanes = 128,
     .feature = "a"}};

std::vector<Promise> promises(const shim::DeviceFacts& facts) {
  const std::string evidence =
      fmt::format("compute capability {}.{}", facts.capability / 10, facts.capability % 10);
  const bool has_half = facts.capability >= 53;
  const auto row = [&](const char* capability, bool offered, const char* clause) {
    return Promise{capability, offered, evidence, clause};
  };
  return {
      row("fp16.storage", true, "PTX ISA, cvt: .f16 with .rn rounds to nearest even"),
      row("fp16.subnormals", true, "PTX ISA, cvt: subnormal fp16 numbers are supported"),
      row("fp16.arithmetic", has_half, "PTX ISA, add, mul and fma .f16: from sm_53 on"),
      row("fp16.arithmetic.subnormals", has_half,
          "PTX ISA, add, mul and fma .f16: subnormal numbers are supported"),
      row("fp16.arithmetic.divide_sqrt_correctly_rounded", has_half,
          "PTX ISA, div.rn.f32 and sqrt.rn.f32, then cvt.rn.f16.f32: two roundings equal one here "
          "(Figueroa 1995)"),
      row("bf16.arithmetic", facts.capability >= 90,
          "PTX ISA, add, mul and fma .bf16: all three from sm_90 on"),
      row("fp32.subnormals", true, "CUDA C++ Programming Guide, -ftz=false: they are kept"),
      row("fp32.divide_sqrt_correctly_rounded", true,
          "CUDA C++ Programming Guide, -prec-div=true and -prec-sqrt=true: IEEE compliant"),
      row("fp32.signed_zero", true,
          "CUDA C++ Programming Guide, floating-point standard: IEEE 754-2008 binary32"),
      row("fp32.fma", true, "PTX ISA, fma.rn.f32: one rounding"),
      row("functions.cuda-c", true,
          "CUDA C++ Programming Guide, mathematical functions: maximum ULP error"),
      row("fp64", true, "CUDA C++ Programming Guide, floating-point standard: from 1.3 on"),
  };
}

// PTX ISA: .f16x2 from sm_53 on, .bf16x2 of all operations from sm_90 on, .f32x2 from sm_100 on.
std::vector<Packs> packs(const shim::DeviceFacts& facts) {
  std::vector<Packs> list = {
      {.kind = "fp32", .widths = facts.capability >= 100 ? std::vector{1, 2} : std::vector{1}},
      {.kind = "half", .widths = {1}}};
  if (facts.capability >= 53) list.push_back({.kind = "fp16", .widths = {1, 2}});
  if (facts.capability >= 90) list.push_back({.kind = "bf16", .widths = {1, 2}});
  return list;
}

}  // namespace

const shim::Vendor kVendor = {
    .backend = "cuda",
    .platform = "CUDA",
    .maker = "NVIDIA",
    .kernel_suffix = ".cu",
    .driver = {.variable = "HALFMARK_CUDA_DRIVER",
               .names = kDriverNames,
               .folders = kDriverFolders,
               .symbols = shim::kDriverSymbols,
               .remedy = "install NVIDIA's driver, or name libcuda.so.1 with HALFMARK_CUDA_DRIVER"},
    .compiler = {.variable = "HALFMARK_CUDA_COMPILER",
                 .names = kCompilerNames,
                 .folders = kToolkitFolders,
                 .symbols = shim::kCompilerSymbols,
                 .remedy = "install NVRTC (part of the CUDA toolkit, or the wheel "
                           "nvidia-cuda-nvrtc), or name libnvrtc.so with HALFMARK_CUDA_COMPILER",
                 .companions = kCompilerCompanions},
    .compiler_may_be_in_driver = false,
    .compiler_follows_driver = true,
    .offline_compiler = {},
    .attributes = shim::kAttributes,
    .codes = shim::kCodes,
    .lost_codes = shim::kLostCodes,
    .stub_code = 34,
    .architectures = {.from = shim::Architectures::From::kCapability,
                      .prefix = "sm_",
                      .option = "--gpu-architecture="},
    .no_contraction = "--fmad=false",
    .strict_options = kStrictOptions,
    .takes_family_words = true,
    // CUDA C++ Programming Guide, mathematical functions: its table is of the compiler's preset
    // options, and erfcf is other code without contraction.
    .functions_contract = true,
    .dialect = &dialect_h,
    .promises = promises,
    .packs = packs,
    .stand_in = {.capability = 90,
                 .architecture = "sm_90",
                 .warp_items = 32,
                 .compiler_architectures = kStandInArchitectures,
                 .forwarded = &forward_h,
                 .forwarded_header = nullptr},
    .units = {.forms = kUnitForms, .none = nullptr},
    .variables = kVariables,
    .blas = &kBlas,
    .blas_lt = &kBlasLt,
    .dnn = &kDnn,
    .data_sheets = kDataSheets,
};

}  // namespace halfmark::backends::cuda
