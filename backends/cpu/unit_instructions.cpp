// SPDX-License-Identifier: Apache-2.0
//
// The instructions are written in assembly: a compiler can neither fold nor replace them, and needs
// no option to know them.
#include "backends/cpu/unit_instructions.hpp"

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace halfmark::backends::cpu {
namespace {

#if defined(__x86_64__)

[[nodiscard]] bool has_bit(unsigned word, int bit) { return (word >> bit & 1) != 0; }

[[nodiscard]] std::uint64_t saved_state() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

// Linux gives a process the large registers only on request.
[[nodiscard]] std::string ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023;
  constexpr unsigned long kTileData = 18;
  if (::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return {};
  return std::strerror(errno);
}

[[nodiscard]] X86Features features_of_this_machine() {
  X86Features features;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || !has_bit(ecx, 27)) return features;
  const std::uint64_t state = saved_state();
  constexpr std::uint64_t kVectors = 0xe6, kTiles = 0x60000;
  features.saves_vectors = (state & kVectors) == kVectors;
  features.saves_tiles = (state & kTiles) == kTiles;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return features;
  features.amx_bf16 = has_bit(edx, 22) && has_bit(edx, 24);
  const bool has_tiles = has_bit(edx, 24);
  if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) {
    features.avx512_bf16 = has_bit(eax, 5);
    features.amx_fp16 = has_tiles && has_bit(eax, 21);
  }
  if (features.saves_tiles && (features.amx_bf16 || features.amx_fp16))
    features.tiles_refused = ask_for_tiles();
  return features;
}

[[nodiscard]] const X86Features& features() {
  static const X86Features kFeatures = features_of_this_machine();
  return kFeatures;
}

std::string missing_vectors() { return missing_of_vectors(features()); }
std::string missing_brain_tiles() {
  return missing_of_tiles(features(), features().amx_bf16, "AMX-BF16");
}
std::string missing_half_tiles() {
  return missing_of_tiles(features(), features().amx_fp16, "AMX-FP16");
}

void vdpbf16ps(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps) {
  asm volatile(
      "vmovups (%[d]), %%zmm0\n"
      "test %[steps], %[steps]\n"
      "jz 2f\n"
      "1: vpbroadcastd (%[a]), %%zmm1\n"
      "vdpbf16ps (%[b]), %%zmm1, %%zmm0\n"
      "add $4, %[a]\n"
      "add $64, %[b]\n"
      "dec %[steps]\n"
      "jnz 1b\n"
      "2: vmovups %%zmm0, (%[d])\n"
      "vzeroupper\n"
      : [a] "+r"(a), [b] "+r"(b), [steps] "+r"(steps)
      : [d] "r"(d)
      : "xmm0", "xmm1", "cc", "memory");
}

// Three tiles of 16 rows of 64 bytes.
struct TileConfiguration {
  std::uint8_t palette = 1, start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_per_row[16] = {64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);
constexpr TileConfiguration kTiles;
constexpr std::size_t kTileBytes = 1024;

#define HM_TILE_CHAIN(instruction)                                                                \
  void instruction(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps) { \
    asm volatile(                                                                                 \
        "ldtilecfg (%[tiles])\n"                                                                  \
        "tileloadd (%[d],%[row]), %%tmm0\n"                                                       \
        "test %[steps], %[steps]\n"                                                               \
        "jz 2f\n"                                                                                 \
        "1: tileloadd (%[a],%[row]), %%tmm1\n"                                                    \
        "tileloadd (%[b],%[row]), %%tmm2\n" #instruction                                          \
        " %%tmm2, %%tmm1, %%tmm0\n"                                                               \
        "add %[bytes], %[a]\n"                                                                    \
        "add %[bytes], %[b]\n"                                                                    \
        "dec %[steps]\n"                                                                          \
        "jnz 1b\n"                                                                                \
        "2: tilestored %%tmm0, (%[d],%[row])\n"                                                   \
        "tilerelease\n"                                                                           \
        : [a] "+r"(a), [b] "+r"(b), [steps] "+r"(steps)                                           \
        : [d] "r"(d), [tiles] "r"(&kTiles), [row] "r"(std::size_t{64}), [bytes] "r"(kTileBytes)   \
        : "cc", "memory");                                                                        \
  }
HM_TILE_CHAIN(tdpbf16ps)
HM_TILE_CHAIN(tdpfp16ps)
#undef HM_TILE_CHAIN

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
constexpr ManualWord kFlushesBrainTiles = {
    false,
    "Intel SDM 2, TDPBF16PS: output denormals are always flushed to zero and input denormals are "
    "always treated as zero; MXCSR is not consulted"};
constexpr ManualWord kFlushesHalfTiles = {
    false,
    "Intel SDM 2, TDPFP16PS: output FP32 denormals are always flushed to zero, input FP16 "
    "denormals are not treated as zero; MXCSR is not consulted"};
constexpr ManualWord kFlushesPairs = {
    false,
    "Intel SDM 2, VDPBF16PS: output denormals are always flushed to zero and input denormals are "
    "always treated as zero; MXCSR is not consulted"};
constexpr ManualWord kTilesStartAtZero = {
    false, "Intel SDM 2, TDPBF16PS and TDPFP16PS, Operation: the sums of a tile start at +0"};
constexpr ManualWord kPairsAreFused = {
    true, "Intel SDM 2, VDPBF16PS, Operation: two fused multiply-adds into the destination"};

constexpr UnitInstruction kInstructions[] = {
    {"AMX", "amx", "tdp.bf16.fp32", "bf16", 16, 16, 32, 2, &missing_brain_tiles, &tdpbf16ps,
     kFlushesBrainTiles, kTilesStartAtZero},
    {"AMX", "amx", "tdp.fp16.fp32", "fp16", 16, 16, 32, 2, &missing_half_tiles, &tdpfp16ps,
     kFlushesHalfTiles, kTilesStartAtZero},
    {"AVX512-BF16", "avx512", "dp.bf16.fp32", "bf16", 1, 16, 2, 2, &missing_vectors, &vdpbf16ps,
     kFlushesPairs, kPairsAreFused},
};

#elif defined(__aarch64__)

std::string missing_brain() {
  constexpr unsigned long kBrain = 1UL << 14;
  return (::getauxval(AT_HWCAP2) & kBrain) != 0 ? "" : "the processor has no FEAT_BF16";
}
std::string missing_half() {
  constexpr unsigned long kHalfProducts = 1UL << 23;
  return (::getauxval(AT_HWCAP) & kHalfProducts) != 0 ? "" : "the processor has no FEAT_FHM";
}

void bfmmla(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps) {
  asm volatile(
      "ldr q0, [%[d]]\n"
      "cbz %[steps], 2f\n"
      "1: ldr q1, [%[a]], #16\n"
      "ldr q2, [%[b]], #16\n"
      ".inst 0x6e42ec20\n"  // bfmmla v0.4s, v1.8h, v2.8h
      "subs %[steps], %[steps], #1\n"
      "b.ne 1b\n"
      "2: str q0, [%[d]]\n"
      : [a] "+r"(a), [b] "+r"(b), [steps] "+r"(steps)
      : [d] "r"(d)
      : "v0", "v1", "v2", "cc", "memory");
}

void fmlal(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps) {
  asm volatile(
      "ldr q0, [%[d]]\n"
      "cbz %[steps], 2f\n"
      "1: ldr h1, [%[a]], #2\n"
      "ldr d2, [%[b]], #8\n"
      ".inst 0x4f810040\n"  // fmlal v0.4s, v2.4h, v1.h[0], which assemblers tie to an architecture
      "subs %[steps], %[steps], #1\n"
      "b.ne 1b\n"
      "2: str q0, [%[d]]\n"
      : [a] "+r"(a), [b] "+r"(b), [steps] "+r"(steps)
      : [d] "r"(d)
      : "v0", "v1", "v2", "cc", "memory");
}

// Arm Architecture Reference Manual for A-profile architecture (DDI 0487), C7.2.
constexpr ManualWord kFlushesMatrices = {
    false,
    "Arm ARM, BFMMLA: flushes denormalized inputs and results to zero, as if FPCR.{FZ, FIZ} is "
    "{1, 1}"};
constexpr ManualWord kMatricesAreSums = {
    true, "Arm ARM, BFMMLA, shared/functions/float: BFAdd gives a sum of zeros IEEE 754's sign"};
constexpr ManualWord kFollowsControl = {
    true,
    "Arm ARM, FMLAL: FPMulAddH, which follows FPCR.{FZ, FZ16}; calls run with both at 0, which "
    "flushes nothing"};
constexpr ManualWord kProductsAreFused = {
    true, "Arm ARM, FMLAL: accumulates the product without rounding it, FPMulAddH"};

constexpr UnitInstruction kInstructions[] = {
    {"FEAT_BF16", "arm", "bfmmla.bf16.fp32", "bf16", 2, 2, 4, 4, &missing_brain, &bfmmla,
     kFlushesMatrices, kMatricesAreSums},
    {"FEAT_FHM", "arm", "fmlal.fp16.fp32", "fp16", 1, 4, 1, 1, &missing_half, &fmlal,
     kFollowsControl, kProductsAreFused},
};

#endif

}  // namespace

std::span<const UnitInstruction> unit_instructions() {
#if defined(__x86_64__) || defined(__aarch64__)
  return kInstructions;
#else
  return {};
#endif
}

std::string shape_of(const UnitInstruction& instruction) {
  return fmt::format("m{}n{}k{}", instruction.m, instruction.n, instruction.k);
}

std::string missing_of_vectors(const X86Features& features) {
  if (!features.avx512_bf16) return "the processor has no AVX512-BF16";
  if (!features.saves_vectors)
    return "the processor has AVX512-BF16, but the kernel does not save its registers; boot "
           "without noxsave or clearcpuid";
  return {};
}

std::string missing_of_tiles(const X86Features& features, bool has_instruction,
                             const char* extension) {
  if (!has_instruction) return fmt::format("the processor has no {}", extension);
  if (!features.saves_tiles) {
    return fmt::format(
        "the processor has {}, but the kernel does not save its tiles; use Linux 5.16 or later",
        extension);
  }
  if (!features.tiles_refused.empty()) {
    return fmt::format(
        "the processor has {}, but the kernel refuses its tiles: "
        "arch_prctl(ARCH_REQ_XCOMP_PERM): {}; use Linux 5.16 or later, outside of a sandbox that "
        "forbids it",
        extension, features.tiles_refused);
  }
  return {};
}

}  // namespace halfmark::backends::cpu
