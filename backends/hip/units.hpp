// SPDX-License-Identifier: Apache-2.0
//
// The instructions of AMD's matrix units that units.h can be, one row each, with the architectures
// whose instruction set guide has it and the compiler's builtin.
//
// Not here: WMMA, whose operands lie in another way.
#pragma once

#include "backends/shim/unit.hpp"

namespace halfmark::backends::hip {

#define HM_ROW(k, word, vector, builtin)                           \
  "#define HM_UNIT_K " #k "\n#define HM_UNIT_IN " word             \
  "\n#define HM_UNIT_OUT unsigned\n#define HM_UNIT_VECTOR " vector \
  "\n#define HM_UNIT_INSTRUCTION __builtin_amdgcn_mfma_f32_16x16x" builtin "\n"

inline constexpr shim::Unit kUnits[] = {
    {"mfma.fp16.fp32", "fp16", "fp32", 16, 16, 16, 0, "gfx908 gfx90a gfx942",
     "typedef _Float16 hm_unit_in4 __attribute__((ext_vector_type(4)));\n" HM_ROW(
         16, "unsigned short", "hm_unit_in4", "16f16")},
    {"mfma.bf16.fp32", "bf16", "fp32", 16, 16, 8, 0, "gfx908 gfx90a",
     "typedef short hm_unit_in2 __attribute__((ext_vector_type(2)));\n" HM_ROW(
         8, "unsigned short", "hm_unit_in2", "8bf16")},
    {"mfma.bf16.fp32", "bf16", "fp32", 16, 16, 16, 0, "gfx942",
     "typedef short hm_unit_in4 __attribute__((ext_vector_type(4)));\n" HM_ROW(
         16, "unsigned short", "hm_unit_in4", "16bf16_1k")},
    {"mfma.bf16_1k.fp32", "bf16", "fp32", 16, 16, 16, 0, "gfx90a",
     "typedef short hm_unit_in4 __attribute__((ext_vector_type(4)));\n" HM_ROW(
         16, "unsigned short", "hm_unit_in4", "16bf16_1k")},
    {"mfma.fp32.fp32", "fp32", "fp32", 16, 16, 4, 0, "gfx908 gfx90a gfx942",
     HM_ROW(4, "unsigned", "float", "4f32")},
    {"mfma.e4m3fnuz.fp32", "e4m3fnuz", "fp32", 16, 16, 32, 0, "gfx942",
     HM_ROW(32, "unsigned char", "long", "32_fp8_fp8")},
    {"mfma.e5m2fnuz.fp32", "e5m2fnuz", "fp32", 16, 16, 32, 0, "gfx942",
     HM_ROW(32, "unsigned char", "long", "32_bf8_bf8")},
};

#undef HM_ROW

}  // namespace halfmark::backends::hip
