// SPDX-License-Identifier: Apache-2.0
//
// The instructions of NVIDIA's matrix units that units.h and units_wgmma.h implement, one row each,
// from the PTX ISA: mma.sync, with the first compute capability that has it, and wgmma.mma_async,
// which only 9.0 has. A name without its shape selects its first row.
//
// Not here: tcgen05, whose results lie in tensor memory; wgmma of tf32, whose b has fewer elements
// than lanes.
#pragma once

#include "backends/shim/unit.hpp"

namespace halfmark::backends::cuda {

#define HM_ROW(k, bits, word, out_bits, out_word, types)                                  \
  "#define HM_UNIT_K " #k "\n#define HM_UNIT_IN_BITS " #bits "\n#define HM_UNIT_IN " word \
  "\n#define HM_UNIT_OUT_BITS " #out_bits "\n#define HM_UNIT_OUT " out_word               \
  "\n#define HM_UNIT_INSTRUCTION \"mma.sync.aligned.m16n8k" #k ".row.col." types "\"\n"
#define HM_SINGLE 32, "unsigned"
#define HM_HALF_OUT 16, "unsigned short"
#define HM_ROW_OF(k, bits, word, out, types) HM_ROW_NOW(k, bits, word, out, types)
#define HM_ROW_NOW(k, bits, word, out_bits, out_word, types) \
  HM_ROW(k, bits, word, out_bits, out_word, types)

inline constexpr shim::Unit kUnits[] = {
    {"mma.fp16.fp32", "fp16", "fp32", 16, 8, 16, 80, "",
     HM_ROW_OF(16, 16, "unsigned short", HM_SINGLE, "f32.f16.f16.f32")},
    {"mma.fp16.fp32", "fp16", "fp32", 16, 8, 8, 75, "",
     HM_ROW_OF(8, 16, "unsigned short", HM_SINGLE, "f32.f16.f16.f32")},
    {"mma.fp16.fp16", "fp16", "fp16", 16, 8, 16, 80, "",
     HM_ROW_OF(16, 16, "unsigned short", HM_HALF_OUT, "f16.f16.f16.f16")},
    {"mma.fp16.fp16", "fp16", "fp16", 16, 8, 8, 75, "",
     HM_ROW_OF(8, 16, "unsigned short", HM_HALF_OUT, "f16.f16.f16.f16")},
    {"mma.bf16.fp32", "bf16", "fp32", 16, 8, 16, 80, "",
     HM_ROW_OF(16, 16, "unsigned short", HM_SINGLE, "f32.bf16.bf16.f32")},
    {"mma.bf16.fp32", "bf16", "fp32", 16, 8, 8, 80, "",
     HM_ROW_OF(8, 16, "unsigned short", HM_SINGLE, "f32.bf16.bf16.f32")},
    {"mma.tf32.fp32", "tf32", "fp32", 16, 8, 8, 80, "",
     HM_ROW_OF(8, 32, "unsigned", HM_SINGLE, "f32.tf32.tf32.f32")},
    {"mma.e4m3fn.fp32", "e4m3fn", "fp32", 16, 8, 32, 89, "",
     HM_ROW_OF(32, 8, "unsigned char", HM_SINGLE, "f32.e4m3.e4m3.f32")},
    {"mma.e5m2.fp32", "e5m2", "fp32", 16, 8, 32, 89, "",
     HM_ROW_OF(32, 8, "unsigned char", HM_SINGLE, "f32.e5m2.e5m2.f32")},
};

#define HM_GROUP_ROW(k, bits, word, out, types, tail) \
  HM_GROUP_ROW_NOW(k, bits, word, out, types, tail)
#define HM_GROUP_ROW_NOW(k, bits, word, out_bits, out_word, types, tail)                  \
  "#define HM_UNIT_K " #k "\n#define HM_UNIT_IN_BITS " #bits "\n#define HM_UNIT_IN " word \
  "\n#define HM_UNIT_OUT_BITS " #out_bits "\n#define HM_UNIT_OUT " out_word               \
  "\n#define HM_UNIT_TAIL \"" tail                                                        \
  "\"\n#define HM_UNIT_INSTRUCTION \"wgmma.mma_async.sync.aligned.m64n8k" #k "." types "\"\n"
#define HM_NO_TRANSPOSITION "1, 1, 0, 0"
#define HM_NO_CHOICE "1, 1"

inline constexpr shim::Unit kWarpGroupUnits[] = {
    {"wgmma.fp16.fp32", "fp16", "fp32", 64, 8, 16, 0, "sm_90",
     HM_GROUP_ROW(16, 16, "unsigned short", HM_SINGLE, "f32.f16.f16", HM_NO_TRANSPOSITION)},
    {"wgmma.fp16.fp16", "fp16", "fp16", 64, 8, 16, 0, "sm_90",
     HM_GROUP_ROW(16, 16, "unsigned short", HM_HALF_OUT, "f16.f16.f16", HM_NO_TRANSPOSITION)},
    {"wgmma.bf16.fp32", "bf16", "fp32", 64, 8, 16, 0, "sm_90",
     HM_GROUP_ROW(16, 16, "unsigned short", HM_SINGLE, "f32.bf16.bf16", HM_NO_TRANSPOSITION)},
    {"wgmma.e4m3fn.fp32", "e4m3fn", "fp32", 64, 8, 32, 0, "sm_90",
     HM_GROUP_ROW(32, 8, "unsigned char", HM_SINGLE, "f32.e4m3.e4m3", HM_NO_CHOICE)},
    {"wgmma.e4m3fn.fp16", "e4m3fn", "fp16", 64, 8, 32, 0, "sm_90",
     HM_GROUP_ROW(32, 8, "unsigned char", HM_HALF_OUT, "f16.e4m3.e4m3", HM_NO_CHOICE)},
    {"wgmma.e5m2.fp32", "e5m2", "fp32", 64, 8, 32, 0, "sm_90",
     HM_GROUP_ROW(32, 8, "unsigned char", HM_SINGLE, "f32.e5m2.e5m2", HM_NO_CHOICE)},
    {"wgmma.e5m2.fp16", "e5m2", "fp16", 64, 8, 32, 0, "sm_90",
     HM_GROUP_ROW(32, 8, "unsigned char", HM_HALF_OUT, "f16.e5m2.e5m2", HM_NO_CHOICE)},
};

#undef HM_GROUP_ROW
#undef HM_GROUP_ROW_NOW
#undef HM_NO_TRANSPOSITION
#undef HM_NO_CHOICE
#undef HM_ROW
#undef HM_SINGLE
#undef HM_HALF_OUT
#undef HM_ROW_OF
#undef HM_ROW_NOW

}  // namespace halfmark::backends::cuda
