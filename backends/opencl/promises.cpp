// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/promises.hpp"

#include <fmt/format.h>

namespace halfmark::backends::opencl {
namespace {

Promise float_promise(const FloatConfig& config, const char* capability, cl_device_fp_config bit,
                      const char* bit_name, const char* clause) {
  const bool has = (config.bits & bit) != 0;
  return {capability, has, fmt::format("{} {} {}", config.answer, has ? "has" : "lacks", bit_name),
          clause};
}

Promise extension_promise(const Answers& answers, const char* capability, const char* extension,
                          const char* clause) {
  const bool has = is_listed(answers.extensions, extension);
  return {capability, has,
          fmt::format("CL_DEVICE_EXTENSIONS {} {}", has ? "has" : "lacks", extension), clause};
}

void add_half_promises(std::vector<Promise>& rows, const Answers& answers) {
  const std::string version = "CL_DEVICE_VERSION=" + answers.version;
  rows.push_back({"fp16.storage", true, version,
                  "OpenCL C 1.2, 6.12.7: vload_half and vstore_half_rte are core; 6.1.1.1: "
                  "conversions are correctly "
                  "rounded"});
  rows.push_back({"fp16.subnormals", true, version,
                  "OpenCL C 1.2, 6.1.1.1: denormalized numbers cannot be flushed by vload_half and "
                  "vstore_half"});
  rows.push_back(
      extension_promise(answers, "fp16.arithmetic", "cl_khr_fp16", "OpenCL 1.2 Extensions, 9.5"));
  rows.push_back(float_promise(answers.half, "fp16.arithmetic.subnormals", CL_FP_DENORM,
                               "CL_FP_DENORM",
                               "OpenCL 1.2 Extensions, 9.5: CL_DEVICE_HALF_FP_CONFIG"));
  rows.push_back(float_promise(answers.half, "fp16.arithmetic.round_to_nearest",
                               CL_FP_ROUND_TO_NEAREST, "CL_FP_ROUND_TO_NEAREST",
                               "OpenCL 1.2 Extensions, 9.5: without the bit the default rounding "
                               "mode of half is round to zero"));
  // No query covers this capability, on any device.
  rows.push_back({"fp16.arithmetic.divide_sqrt_correctly_rounded", false,
                  "no query of the API promises it",
                  "OpenCL C 3.0, 7.4, as of 2025: half x / y <= 1 ulp, sqrt <= 1.5 ulp"});
}

void add_single_promises(std::vector<Promise>& rows, const Answers& answers) {
  rows.push_back(
      float_promise(answers.single, "fp32.subnormals", CL_FP_DENORM, "CL_FP_DENORM",
                    "OpenCL 1.2, 4.2 table 4.3; without the bit 7.5.3 permits flushing to zero"));
  // No query covers this capability, on any device.
  rows.push_back(
      {"fp32.signed_zero", false, "no query of the API promises it",
       "OpenCL C 1.2, 7.4 bounds operations in ulps of the value, and -0 and +0 are 0 ulp "
       "apart"});
  rows.push_back(float_promise(answers.single, "fp32.divide_sqrt_correctly_rounded",
                               CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
                               "CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT",
                               "OpenCL 1.2, 5.6.4.2; without it 7.4 permits 2.5 and 3 ulp"));
  rows.push_back({"fp32.fma", true, "CL_DEVICE_VERSION=" + answers.version,
                  "OpenCL C 1.2, 6.12.2 and 7.4: fma is correctly rounded, in software where there "
                  "is no instruction"});
}

// A profile that the driver does not name excuses nothing.
Promise full_profile(const Answers& answers) {
  const bool is_embedded = answers.profile == "EMBEDDED_PROFILE";
  return {"full_profile", !is_embedded,
          fmt::format("CL_DEVICE_PROFILE={}{}", answers.profile,
                      is_embedded ? ", whose arithmetic this version does not judge" : ""),
          "OpenCL 1.2, 10: the embedded profile lets single precision round toward zero and "
          "conversions of half flush, and has bounds of its own"};
}

}  // namespace

bool is_listed(std::string_view extensions, std::string_view name) {
  return fmt::format(" {} ", extensions).find(fmt::format(" {} ", name)) != std::string::npos;
}

std::vector<Promise> promises_of(const Answers& answers) {
  std::vector<Promise> rows;
  add_half_promises(rows, answers);
  add_single_promises(rows, answers);
  rows.push_back(full_profile(answers));
  rows.push_back({"functions.opencl-c", answers.profile == "FULL_PROFILE",
                  "CL_DEVICE_PROFILE=" + answers.profile,
                  "OpenCL C 1.2, 7.4: relative error as ULPs of the full profile"});
  rows.push_back(extension_promise(
      answers, "fp64", "cl_khr_fp64",
      "OpenCL 1.2, 4.2 table 4.3: CL_DEVICE_EXTENSIONS names it where double precision exists"));
  return rows;
}

}  // namespace halfmark::backends::opencl
