// SPDX-License-Identifier: Apache-2.0
//
// The instructions of AMD's matrix units that units.h (MFMA) and units_wmma.h (WMMA) implement, one
// row each, with the architectures whose instruction set guide has it and the compiler's builtin.
//
// Not here: WMMA of RDNA 3 with sums of 16 bits, which lie in either half of a register.
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

#define HM_HALVES(count) \
  "typedef _Float16 hm_unit_in __attribute__((ext_vector_type(" #count ")));\n"
#define HM_SHORTS(count) "typedef short hm_unit_in __attribute__((ext_vector_type(" #count ")));\n"
#define HM_WORDS "typedef int hm_unit_in __attribute__((ext_vector_type(2)));\n"
#define HM_SINGLE "unsigned\n#define HM_UNIT_RESULT float"
#define HM_HALF_OUT "unsigned short\n#define HM_UNIT_RESULT _Float16"
#define HM_ROW(count, word, out, builtin)                                                      \
  "#define HM_UNIT_PER_LANE " #count "\n#define HM_UNIT_IN " word "\n#define HM_UNIT_OUT " out \
  "\n#define HM_UNIT_VECTOR hm_unit_in"                                                        \
  "\n#define HM_UNIT_INSTRUCTION __builtin_amdgcn_wmma_" builtin "\n"
#define HM_RDNA3 "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152"
#define HM_RDNA4 "gfx1200 gfx1201"

inline constexpr shim::Unit kWaveUnits[] = {
    {"wmma.fp16.fp32", "fp16", "fp32", 16, 16, 16, 0, HM_RDNA3,
     HM_HALVES(16) HM_ROW(16, "unsigned short", HM_SINGLE, "f32_16x16x16_f16_w32")},
    {"wmma.fp16.fp32", "fp16", "fp32", 16, 16, 16, 0, HM_RDNA4,
     HM_HALVES(8) HM_ROW(8, "unsigned short", HM_SINGLE, "f32_16x16x16_f16_w32_gfx12")},
    {"wmma.fp16.fp16", "fp16", "fp16", 16, 16, 16, 0, HM_RDNA4,
     HM_HALVES(8) HM_ROW(8, "unsigned short", HM_HALF_OUT, "f16_16x16x16_f16_w32_gfx12")},
    {"wmma.bf16.fp32", "bf16", "fp32", 16, 16, 16, 0, HM_RDNA3,
     HM_SHORTS(16) HM_ROW(16, "unsigned short", HM_SINGLE, "f32_16x16x16_bf16_w32")},
    {"wmma.bf16.fp32", "bf16", "fp32", 16, 16, 16, 0, HM_RDNA4,
     HM_SHORTS(8) HM_ROW(8, "unsigned short", HM_SINGLE, "f32_16x16x16_bf16_w32_gfx12")},
    {"wmma.e4m3fn.fp32", "e4m3fn", "fp32", 16, 16, 16, 0, HM_RDNA4,
     HM_WORDS HM_ROW(8, "unsigned char", HM_SINGLE, "f32_16x16x16_fp8_fp8_w32_gfx12")},
    {"wmma.e5m2.fp32", "e5m2", "fp32", 16, 16, 16, 0, HM_RDNA4,
     HM_WORDS HM_ROW(8, "unsigned char", HM_SINGLE, "f32_16x16x16_bf8_bf8_w32_gfx12")},
};

#undef HM_HALVES
#undef HM_SHORTS
#undef HM_WORDS
#undef HM_SINGLE
#undef HM_HALF_OUT
#undef HM_ROW
#undef HM_RDNA3
#undef HM_RDNA4

}  // namespace halfmark::backends::hip
