// SPDX-License-Identifier: Apache-2.0
// The rows. A unit is one line here; everything else follows from it.
//
// Where sources disagree:
//  - zero exponents of fp16 accumulators (-20, -21, -22 against one more each) and the exponent of
//    a subnormal fp16 c (that of its format against its own): as in the simulator [1], whose
//    authors probed the hardware for both; the vectors of [2] decide neither.
//  - zero exponents of the first version of [1] (-126 everywhere): superseded by its second.
//  - a sum of nothing but -0 on hopper: -0 in [1]; +0 on an H200 (driver 580.159.04), in every mma
//    of fp16, bf16, tf32 and fp8, with fp32 and fp16 results, and in wgmma of fp16. The vectors of
//    [2] do not ask.
//  - fp8 in `mma` of hopper and blackwell: [2] models one step of 32 with c inside, [1] nothing.
//    Only kThroughHalf reproduces all vectors published with [2].
//  - the block of turing: 8 as in [1], against 4 and c in [3].
//  - cdna1: exact as in [2] and the second version of [1], against pairwise in its first.
//  - amx: the instruction reference's pseudocode, against the sequential sums of its
//    intrinsics guide. Hardware decided for the pseudocode.
//
// [1] P. Xie, S. Xu, Y. Wang, F. Yang, M. Yang, "Bit-Accurate Modeling of GPU Matrix
//     Multiply-Accumulate Units", arXiv:2511.10909v2, 2026, and its simulator MMA-Sim.
// [2] F. Khattak, M. Mikaitis, "Accurate Models of Tensor Cores", arXiv:2512.07004, 2025, and the
//     hardware's inputs and outputs published with it.
// [3] B. Valpey et al., "An SMT Formalization of Mixed-Precision Matrix Multiplication",
//     arXiv:2502.15999, 2025.
// [4] The architecture's instruction set reference, TDPBF16PS, TDPFP16PS and VDPBF16PS;
//     arm: BFMMLA. (FMLAL is no row: it is fp32.sequential.fma.)
#include "reference/models/unit.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kE2m1;
using formats::kE2m3;
using formats::kE3m2;
using formats::kE4m3fn;
using formats::kE4m3fnuz;
using formats::kE5m2;
using formats::kE5m2fnuz;
using formats::kE8m0;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;
using formats::kTf32;

constexpr std::string_view kVectors =
    "hardware vectors published with arXiv:2512.07004, all reproduced";
constexpr std::string_view kVectorsOf4 =
    "hardware vectors of 4 products published with arXiv:2512.07004, all reproduced; the block of "
    "8 is from arXiv:2511.10909v2";
constexpr std::string_view kVectorsWithoutC =
    "hardware vectors without c published with arXiv:2512.07004, all reproduced; how c enters is "
    "from arXiv:2511.10909v2";
constexpr std::string_view kThroughHalfWide =
    "as fp16 output of the same generation and fp32 output of blackwell, whose vectors published "
    "with arXiv:2512.07004 are reproduced";
constexpr std::string_view kVectorsAndZero =
    "hardware vectors published with arXiv:2512.07004, all reproduced; an H200 shows the sign of "
    "zeros, and the structure of sums, in 550 probed sums and 2,048 of random data";
constexpr std::string_view kVectorsAndZeroAlone =
    "hardware vectors published with arXiv:2512.07004, all reproduced; an H200 shows the sign of "
    "zeros";
constexpr std::string_view kVectorsOf4AndZero =
    "hardware vectors of 4 products published with arXiv:2512.07004, all reproduced; the block of "
    "8 is from arXiv:2511.10909v2; an H200 shows the sign of zeros";
constexpr std::string_view kH200 =
    "MMA-Sim, arXiv:2511.10909v2; an H200 reproduces 550 probed sums and 2,048 of random data, and "
    "shows the sign of zeros";
constexpr std::string_view kH200Brain =
    "MMA-Sim, arXiv:2511.10909v2; an H200 reproduces the structure of sums and 2,048 of random "
    "data; the sign of zeros is that of fp16";
constexpr std::string_view kXie = "MMA-Sim, arXiv:2511.10909v2";
constexpr std::string_view kNarrow =
    "arXiv:2511.10909v2 names the row for fp8, fp6 and fp4; its simulator runs fp8 only";
constexpr std::string_view kManual =
    "instruction set reference of the architecture, TDPFP16PS: text and pseudocode";
constexpr std::string_view kTiles =
    "instruction set reference of the architecture, TDPBF16PS; a processor reproduces it in "
    "245,760 "
    "results, NaN words aside";
constexpr std::string_view kBrainManual =
    "architecture reference manual, BFMMLA and BFDotAdd without FEAT_EBF16: pseudocode";
constexpr std::string_view kPairs =
    "instruction set reference of the architecture, VDPBF16PS; a processor reproduces it in "
    "`halfmark ref selftest --silicon`";

constexpr std::array kHalf{&kFp16};
constexpr std::array kBrain{&kBf16};
constexpr std::array kTensor{&kTf32};
constexpr std::array kSingle{&kFp32};
constexpr std::array kDouble{&kFp64};
// The name of a row gives a's format; for instructions with mixed formats, b may be any of the set.
constexpr std::array kE4{&kE4m3fn};
constexpr std::array kE5{&kE5m2};
constexpr std::array kE32{&kE3m2};
constexpr std::array kE23{&kE2m3};
constexpr std::array kE21{&kE2m1};
constexpr std::array kFp8{&kE4m3fn, &kE5m2};
constexpr std::array kFp6{&kE3m2, &kE2m3};
constexpr std::array kFp8to4{&kE4m3fn, &kE5m2, &kE3m2, &kE2m3, &kE2m1};
constexpr std::array kE4z{&kE4m3fnuz};
constexpr std::array kE5z{&kE5m2fnuz};
constexpr std::array kFp8z{&kE4m3fnuz, &kE5m2fnuz};

// The properties shared by a family of instructions.
struct Datapath {
  int block;
  int fraction_bits;
  int zero_exponent;
  int instruction_k;
};

constexpr Unit truncated(std::string_view name, FormatSet a, FormatSet b, const Format& output,
                         const Datapath& path, Evidence evidence, std::string_view source) {
  const bool half = output == kFp16;
  return {.name = name,
          .a = a,
          .b = b,
          .output = &output,
          .rule = Rule::kTruncated,
          .block = path.block,
          .fraction_bits = path.fraction_bits,
          .kept_bits = path.fraction_bits == 13 && !half ? 13 : output.fraction_bits,
          .rounding = half ? soft::Rounding::kNearEven : soft::Rounding::kTowardZero,
          .zero_exponent = path.zero_exponent,
          .instruction_k = path.instruction_k,
          .nan_word = output.magnitude_mask(),
          .evidence = evidence,
          .source = source};
}

constexpr Unit truncated(std::string_view name, FormatSet ab, const Format& output,
                         const Datapath& path, Evidence evidence, std::string_view source) {
  return truncated(name, ab, ab, output, path, evidence, source);
}

// With +0 for every zero sum.
constexpr Unit unsigned_zero(Unit unit) {
  unit.zero_is_positive = true;
  return unit;
}

// Two steps of the fp16 unit of the same generation.
constexpr Unit through_half(std::string_view name, FormatSet a, const Format& output,
                            int zero_exponent, Evidence evidence, std::string_view source) {
  Unit unit = truncated(name, a, kFp8, output, {16, 25, zero_exponent, 32}, evidence, source);
  unit.rule = Rule::kThroughHalf;
  return unit;
}

constexpr Unit scaled(std::string_view name, FormatSet a, FormatSet b, Evidence evidence,
                      std::string_view source) {
  Unit unit = truncated(name, a, b, kFp32, {32, 25, -133, 32}, evidence, source);
  unit.rule = Rule::kScaledTruncated;
  unit.scale = &kE8m0;
  unit.scale_block = 32;
  return unit;
}

constexpr Unit group_scaled(std::string_view name, const Format& scale, int scale_block) {
  Unit unit = truncated(name, kE21, kFp32, {64, 35, -139, 64}, Evidence::kSimulator, kXie);
  unit.rule = Rule::kGroupScaled;
  unit.scale = &scale;
  unit.scale_block = scale_block;
  return unit;
}

// The rules with a final rounding to nearest even, whose NaN words are not published.
constexpr Unit nearest(std::string_view name, FormatSet a, FormatSet b, const Format& output,
                       Rule rule, int block, int fraction_bits, int instruction_k,
                       Evidence evidence = Evidence::kSimulator, std::string_view source = kXie) {
  return {.name = name,
          .a = a,
          .b = b,
          .output = &output,
          .rule = rule,
          .block = block,
          .fraction_bits = fraction_bits,
          .kept_bits = output.fraction_bits,
          .instruction_k = instruction_k,
          .evidence = evidence,
          .source = source};
}

constexpr Unit chain(std::string_view name, FormatSet ab, const Format& output, int instruction_k) {
  return nearest(name, ab, ab, output, Rule::kFmaChain, 1, 0, instruction_k);
}

constexpr Unit tiles(std::string_view name, FormatSet ab, Evidence evidence,
                     std::string_view source) {
  return nearest(name, ab, ab, kFp32, Rule::kEvenOdd, 1, 0, 32, evidence, source);
}

constexpr Unit pairs(std::string_view name, FormatSet ab) {
  Unit unit =
      nearest(name, ab, ab, kFp32, Rule::kFlushedChain, 2, 0, 2, Evidence::kSilicon, kPairs);
  unit.nan_word = 0xffc00000;
  unit.propagates_nan = true;
  return unit;
}

constexpr Unit odd_pairs(std::string_view name, FormatSet ab) {
  Unit unit =
      nearest(name, ab, ab, kFp32, Rule::kOddPairs, 2, 0, 4, Evidence::kDocument, kBrainManual);
  unit.nan_word = 0x7fc00000;
  return unit;
}

constexpr auto kSilicon = Evidence::kSilicon;
constexpr auto kSimulator = Evidence::kSimulator;
constexpr auto kHypothesis = Evidence::kHypothesis;

// Block, F, zero exponent, instruction K.
constexpr Datapath kVoltaWide{4, 23, -131, 4};
constexpr Datapath kVoltaHalf{4, 23, -20, 4};
constexpr Datapath kTuringWide{8, 24, -132, 8};
constexpr Datapath kTuringHalf{8, 24, -21, 8};
constexpr Datapath kAmpereWide{8, 24, -132, 16};
constexpr Datapath kAmpereHalf{8, 24, -21, 16};
constexpr Datapath kAmpereTf32{4, 24, -132, 8};
constexpr Datapath kAdaFp8Wide{16, 13, -132, 32};
constexpr Datapath kAdaFp8Half{16, 13, -21, 32};
constexpr Datapath kHopperWide{16, 25, -133, 16};
constexpr Datapath kHopperHalf{16, 25, -22, 16};
constexpr Datapath kHopperTf32{8, 25, -133, 8};
constexpr Datapath kHopperFp8{32, 13, -133, 32};
constexpr Datapath kBlackwellFp8Wide{32, 25, -133, 32};
constexpr Datapath kBlackwellFp8Half{32, 25, -22, 32};

// clang-format off
constexpr std::array kUnits{
    truncated("unit.volta.mma.fp16.fp32", kHalf, kFp32, kVoltaWide, kSilicon, kVectors),
    truncated("unit.volta.mma.fp16.fp16", kHalf, kFp16, kVoltaHalf, kSilicon, kVectors),

    truncated("unit.turing.mma.fp16.fp32", kHalf, kFp32, kTuringWide, kSimulator, kXie),
    truncated("unit.turing.mma.fp16.fp16", kHalf, kFp16, kTuringHalf, kSimulator, kXie),

    truncated("unit.ampere.mma.fp16.fp32", kHalf, kFp32, kAmpereWide, kSilicon, kVectors),
    truncated("unit.ampere.mma.fp16.fp16", kHalf, kFp16, kAmpereHalf, kSilicon, kVectors),
    truncated("unit.ampere.mma.bf16.fp32", kBrain, kFp32, kAmpereWide, kSilicon, kVectors),
    truncated("unit.ampere.mma.tf32.fp32", kTensor, kFp32, kAmpereTf32, kSilicon, kVectors),
    chain("unit.ampere.mma.fp64.fp64", kDouble, kFp64, 4),

    truncated("unit.ada.mma.fp16.fp32", kHalf, kFp32, kAmpereWide, kSilicon, kVectors),
    truncated("unit.ada.mma.fp16.fp16", kHalf, kFp16, kAmpereHalf, kSilicon, kVectors),
    truncated("unit.ada.mma.bf16.fp32", kBrain, kFp32, kAmpereWide, kSilicon, kVectors),
    truncated("unit.ada.mma.tf32.fp32", kTensor, kFp32, kAmpereTf32, kSilicon, kVectors),
    truncated("unit.ada.mma.e4m3fn.fp32", kE4, kFp8, kFp32, kAdaFp8Wide, kSilicon, kVectors),
    truncated("unit.ada.mma.e4m3fn.fp16", kE4, kFp8, kFp16, kAdaFp8Half, kSilicon, kVectors),
    truncated("unit.ada.mma.e5m2.fp32", kE5, kFp8, kFp32, kAdaFp8Wide, kSilicon, kVectors),
    truncated("unit.ada.mma.e5m2.fp16", kE5, kFp8, kFp16, kAdaFp8Half, kSilicon, kVectors),
    chain("unit.ada.mma.fp64.fp64", kDouble, kFp64, 4),

    unsigned_zero(truncated("unit.hopper.mma.fp16.fp32", kHalf, kFp32, kHopperWide, kSilicon, kVectorsAndZero)),
    unsigned_zero(truncated("unit.hopper.mma.fp16.fp16", kHalf, kFp16, kHopperHalf, kSilicon, kVectorsAndZeroAlone)),
    unsigned_zero(truncated("unit.hopper.mma.bf16.fp32", kBrain, kFp32, kHopperWide, kSilicon, kVectorsAndZero)),
    unsigned_zero(truncated("unit.hopper.mma.tf32.fp32", kTensor, kFp32, kHopperTf32, kSimulator, kVectorsOf4AndZero)),
    through_half("unit.hopper.mma.e4m3fn.fp32", kE4, kFp32, -133, kHypothesis, kThroughHalfWide),
    through_half("unit.hopper.mma.e4m3fn.fp16", kE4, kFp16, -22, kSilicon, kVectors),
    through_half("unit.hopper.mma.e5m2.fp32", kE5, kFp32, -133, kHypothesis, kThroughHalfWide),
    through_half("unit.hopper.mma.e5m2.fp16", kE5, kFp16, -22, kSilicon, kVectors),
    chain("unit.hopper.mma.fp64.fp64", kDouble, kFp64, 4),

    unsigned_zero(truncated("unit.hopper.wgmma.fp16.fp32", kHalf, kFp32, kHopperWide, kSilicon, kH200)),
    truncated("unit.hopper.wgmma.fp16.fp16", kHalf, kFp16, kHopperWide, kSimulator, kXie),
    unsigned_zero(truncated("unit.hopper.wgmma.bf16.fp32", kBrain, kFp32, kHopperWide, kSilicon, kH200Brain)),
    truncated("unit.hopper.wgmma.tf32.fp32", kTensor, kFp32, kHopperTf32, kSimulator, kXie),
    truncated("unit.hopper.wgmma.e4m3fn.fp32", kE4, kFp8, kFp32, kHopperFp8, kSimulator, kVectorsWithoutC),
    truncated("unit.hopper.wgmma.e4m3fn.fp16", kE4, kFp8, kFp16, kHopperFp8, kSimulator, kXie),
    truncated("unit.hopper.wgmma.e5m2.fp32", kE5, kFp8, kFp32, kHopperFp8, kSimulator, kVectorsWithoutC),
    truncated("unit.hopper.wgmma.e5m2.fp16", kE5, kFp8, kFp16, kHopperFp8, kSimulator, kXie),

    truncated("unit.blackwell.mma.fp16.fp32", kHalf, kFp32, kHopperWide, kSilicon, kVectors),
    truncated("unit.blackwell.mma.fp16.fp16", kHalf, kFp16, kHopperHalf, kSilicon, kVectors),
    truncated("unit.blackwell.mma.bf16.fp32", kBrain, kFp32, kHopperWide, kSilicon, kVectors),
    truncated("unit.blackwell.mma.tf32.fp32", kTensor, kFp32, kHopperTf32, kSimulator, kVectorsOf4),
    through_half("unit.blackwell.mma.e4m3fn.fp32", kE4, kFp32, -133, kSilicon, kVectors),
    through_half("unit.blackwell.mma.e4m3fn.fp16", kE4, kFp16, -22, kSilicon, kVectors),
    through_half("unit.blackwell.mma.e5m2.fp32", kE5, kFp32, -133, kSilicon, kVectors),
    through_half("unit.blackwell.mma.e5m2.fp16", kE5, kFp16, -22, kSilicon, kVectors),
    chain("unit.blackwell.mma.fp64.fp64", kDouble, kFp64, 4),

    truncated("unit.blackwell.tcgen05.fp16.fp32", kHalf, kFp32, kHopperWide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.fp16.fp16", kHalf, kFp16, kHopperWide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.bf16.fp32", kBrain, kFp32, kHopperWide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.tf32.fp32", kTensor, kFp32, kHopperTf32, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.e4m3fn.fp32", kE4, kFp8to4, kFp32, kBlackwellFp8Wide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.e4m3fn.fp16", kE4, kFp8to4, kFp16, kBlackwellFp8Wide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.e5m2.fp32", kE5, kFp8to4, kFp32, kBlackwellFp8Wide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.e5m2.fp16", kE5, kFp8to4, kFp16, kBlackwellFp8Wide, kSimulator, kXie),
    truncated("unit.blackwell.tcgen05.e3m2.fp32", kE32, kFp8to4, kFp32, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell.tcgen05.e3m2.fp16", kE32, kFp8to4, kFp16, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell.tcgen05.e2m3.fp32", kE23, kFp8to4, kFp32, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell.tcgen05.e2m3.fp16", kE23, kFp8to4, kFp16, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell.tcgen05.e2m1.fp32", kE21, kFp8to4, kFp32, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell.tcgen05.e2m1.fp16", kE21, kFp8to4, kFp16, kBlackwellFp8Wide, kHypothesis, kNarrow),
    scaled("unit.blackwell.tcgen05.mxfp8.fp32", kFp8, kFp8to4, kSimulator, kXie),
    scaled("unit.blackwell.tcgen05.mxfp6.fp32", kFp6, kFp8to4, kHypothesis, kNarrow),
    scaled("unit.blackwell.tcgen05.mxfp4_k32.fp32", kE21, kFp8to4, kHypothesis, kNarrow),
    group_scaled("unit.blackwell.tcgen05.mxfp4.fp32", kE8m0, 32),
    group_scaled("unit.blackwell.tcgen05.mxfp4_block16.fp32", kE8m0, 16),
    group_scaled("unit.blackwell.tcgen05.nvfp4.fp32", kE4m3fn, 16),

    truncated("unit.blackwell_rtx.mma.fp16.fp32", kHalf, kFp32, kHopperWide, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.fp16.fp16", kHalf, kFp16, kHopperHalf, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.bf16.fp32", kBrain, kFp32, kHopperWide, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.tf32.fp32", kTensor, kFp32, kHopperTf32, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.e4m3fn.fp32", kE4, kFp8to4, kFp32, kBlackwellFp8Wide, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.e4m3fn.fp16", kE4, kFp8to4, kFp16, kBlackwellFp8Half, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.e5m2.fp32", kE5, kFp8to4, kFp32, kBlackwellFp8Wide, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.e5m2.fp16", kE5, kFp8to4, kFp16, kBlackwellFp8Half, kSimulator, kXie),
    truncated("unit.blackwell_rtx.mma.e3m2.fp32", kE32, kFp8to4, kFp32, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell_rtx.mma.e3m2.fp16", kE32, kFp8to4, kFp16, kBlackwellFp8Half, kHypothesis, kNarrow),
    truncated("unit.blackwell_rtx.mma.e2m3.fp32", kE23, kFp8to4, kFp32, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell_rtx.mma.e2m3.fp16", kE23, kFp8to4, kFp16, kBlackwellFp8Half, kHypothesis, kNarrow),
    truncated("unit.blackwell_rtx.mma.e2m1.fp32", kE21, kFp8to4, kFp32, kBlackwellFp8Wide, kHypothesis, kNarrow),
    truncated("unit.blackwell_rtx.mma.e2m1.fp16", kE21, kFp8to4, kFp16, kBlackwellFp8Half, kHypothesis, kNarrow),
    scaled("unit.blackwell_rtx.mma.mxfp8.fp32", kFp8, kFp8to4, kSimulator, kXie),
    scaled("unit.blackwell_rtx.mma.mxfp6.fp32", kFp6, kFp8to4, kHypothesis, kNarrow),
    scaled("unit.blackwell_rtx.mma.mxfp4_k32.fp32", kE21, kFp8to4, kHypothesis, kNarrow),
    group_scaled("unit.blackwell_rtx.mma.mxfp4.fp32", kE8m0, 32),
    group_scaled("unit.blackwell_rtx.mma.nvfp4.fp32", kE4m3fn, 16),
    chain("unit.blackwell_rtx.mma.fp64.fp64", kDouble, kFp64, 4),

    nearest("unit.cdna1.mfma.fp16.fp32", kHalf, kHalf, kFp32, Rule::kExact, 4, 0, 16),
    nearest("unit.cdna1.mfma.bf16.fp32", kBrain, kBrain, kFp32, Rule::kExact, 2, 0, 8),
    chain("unit.cdna1.mfma.fp32.fp32", kSingle, kFp32, 4),

    nearest("unit.cdna2.mfma.fp16.fp32", kHalf, kHalf, kFp32, Rule::kFlushedPairs, 4, 0, 16),
    nearest("unit.cdna2.mfma.bf16.fp32", kBrain, kBrain, kFp32, Rule::kFlushedPairs, 2, 0, 8),
    nearest("unit.cdna2.mfma.bf16_1k.fp32", kBrain, kBrain, kFp32, Rule::kFlushedPairs, 4, 0, 16),
    chain("unit.cdna2.mfma.fp32.fp32", kSingle, kFp32, 4),
    chain("unit.cdna2.mfma.fp64.fp64", kDouble, kFp64, 4),

    nearest("unit.cdna3.mfma.fp16.fp32", kHalf, kHalf, kFp32, Rule::kFloored, 8, 24, 16),
    nearest("unit.cdna3.mfma.bf16.fp32", kBrain, kBrain, kFp32, Rule::kFloored, 8, 24, 16),
    nearest("unit.cdna3.mfma.xf32.fp32", kTensor, kTensor, kFp32, Rule::kFloored, 4, 24, 8),
    nearest("unit.cdna3.mfma.e4m3fnuz.fp32", kE4z, kFp8z, kFp32, Rule::kFlooredSplit, 16, 24, 32),
    nearest("unit.cdna3.mfma.e5m2fnuz.fp32", kE5z, kFp8z, kFp32, Rule::kFlooredSplit, 16, 24, 32),
    chain("unit.cdna3.mfma.fp32.fp32", kSingle, kFp32, 4),
    chain("unit.cdna3.mfma.fp64.fp64", kDouble, kFp64, 4),

    tiles("unit.amx.tdp.bf16.fp32", kBrain, kSilicon, kTiles),
    tiles("unit.amx.tdp.fp16.fp32", kHalf, Evidence::kDocument, kManual),
    pairs("unit.avx512.dp.bf16.fp32", kBrain),

    odd_pairs("unit.arm.bfmmla.bf16.fp32", kBrain),
};
// clang-format on

}  // namespace

std::span<const Unit> all_units() { return kUnits; }

}  // namespace halfmark::models
