// SPDX-License-Identifier: Apache-2.0
#include "reports/true_fp16.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace halfmark::reports {
namespace {

using enum Fp16Kind;
using Kinds = Fp16Kinds;

struct KindRow {
  Fp16Kind kind;
  std::string_view name, sentence;
};

constexpr KindRow kKindRows[] = {
    {kOnTheCpu, "on-the-cpu",
     "far slower than fp32 on the device: a fallback that is not the device's"},
    {kStorageOnly, "storage-only", "fp16 in memory; arithmetic is fp32, and the driver says so"},
    {kBf16Substituted, "bf16-substituted", "operands are bf16 inside"},
    {kTf32Substituted, "tf32-substituted", "fp32 operands are tf32 inside"},
    {kHalfAccumulation, "half-accumulation", "sums are fp16 although the name says fp32"},
    {kConverted, "converted", "converted to fp32 and back around the operator: slower than fp32"},
    {kEmulated, "emulated-fp32", "fp16 in memory, fp32 in the units: no gain but of traffic"},
    {kNative, "native", "the evidence agrees"},
};

// Below this a device cannot be what computes: no unit of one is 20 times slower in fp16.
constexpr double kCpuRatio = 0.05;
// Clocks of the same device differ by less between two rows.
constexpr double kOverPeak = 1.05;

struct NumericsRow {
  Fp16Numerics numerics;
  std::string_view statement;
  Kinds allows;
};

constexpr Kinds kRoundsTwice = Kinds::of(kEmulated, kConverted, kOnTheCpu);
constexpr Kinds kRightBits = Kinds::of(kNative, kEmulated, kConverted, kOnTheCpu);
constexpr NumericsRow kNumericsRows[] = {
    {Fp16Numerics::kUnknown, "no case gave an answer", Kinds::all()},
    {Fp16Numerics::kExact, "every case passed: the bits are those of the arithmetic named",
     kRightBits},
    {Fp16Numerics::kRoundedTwice, "excess precision or a second rounding, as fp32 inside leaves it",
     kRoundsTwice},
    {Fp16Numerics::kBf16, "the bits are those of operands rounded to bf16",
     Kinds::of(kBf16Substituted)},
    {Fp16Numerics::kTf32, "the bits are those of operands rounded to tf32",
     Kinds::of(kTf32Substituted)},
    {Fp16Numerics::kHalfAccumulator, "the bits are those of sums in fp16",
     Kinds::of(kHalfAccumulation)},
    {Fp16Numerics::kWrong, "cases failed that no kind of fp16 explains", Kinds::of()},
};

Fp16Reading read_numerics(const Fp16Measured& m) {
  if (!m.offered)
    return {"numerics", "the driver offers no fp16 arithmetic", Kinds::of(kStorageOnly), true};
  const auto* const row = std::ranges::find(kNumericsRows, m.numerics, &NumericsRow::numerics);
  Fp16Reading reading{"numerics", std::string(row->statement), row->allows,
                      m.numerics != Fp16Numerics::kUnknown};
  if (!m.fma_rounds_once) return reading;
  // One rounding proves nothing, since wider arithmetic can imitate it; two prove the imitation.
  if (!*m.fma_rounds_once) reading.allows = reading.allows & kRoundsTwice;
  reading.statement += *m.fma_rounds_once
                           ? "; fma rounds once on the operands that tell"
                           : "; fma rounds twice on the operands that tell, as fp32 inside does";
  return reading;
}

// What a time of an operator that is bound by its operations leaves open. A substituted format and
// a narrow accumulator are as fast as the units that have them.
constexpr Kinds kFast = Kinds::all_but(kConverted, kEmulated, kOnTheCpu);

Kinds allowed_by_compute(double ratio) {
  if (ratio < kCpuRatio) return Kinds::of(kOnTheCpu, kStorageOnly);
  if (ratio < 1.0) return Kinds::of(kConverted, kStorageOnly);
  if (ratio < 1.2) return Kinds::of(kEmulated, kConverted, kStorageOnly);
  // Saved traffic may explain this much, and so may units that are not filled.
  if (ratio < 1.5) return Kinds::all_but(kConverted, kOnTheCpu);
  return kFast;
}

// Bound by memory: an operator that is emulated in its registers gains as a native one does.
Kinds allowed_by_memory(double ratio) {
  if (ratio < kCpuRatio) return Kinds::of(kOnTheCpu, kStorageOnly);
  if (ratio < 1.0) return Kinds::of(kConverted, kStorageOnly);
  if (ratio < 1.2) return Kinds::of(kConverted, kEmulated, kStorageOnly);
  return Kinds::all_but(kConverted, kOnTheCpu);
}

Fp16Reading read_time(const Fp16Measured& m) {
  if (!m.ratio) return {"time", "no time of strict fp32 to compare with", Kinds::all(), false};
  Kinds allows = m.compute_bound ? allowed_by_compute(*m.ratio) : allowed_by_memory(*m.ratio);
  std::string statement = fmt::format("strict fp32 takes {:.3g} x the time, bound by {}", *m.ratio,
                                      m.compute_bound ? "operations" : "memory");
  if (m.of_fp32_peak > kOverPeak) {
    allows = allows & kFast;
    statement += fmt::format("; {:.3g} x the declared rate of fp32", m.of_fp32_peak);
  }
  if (m.of_peak > 0) statement += fmt::format("; {:.3g} of the declared rate", m.of_peak);
  return {"time", std::move(statement), allows, true};
}

Fp16Reading read_traffic(const Fp16Measured& m) {
  const std::string share =
      m.of_bandwidth > 0 ? fmt::format("; {:.3g} of the declared bandwidth", m.of_bandwidth) : "";
  if (!m.halving)
    return {"traffic", "no operator that is bound by memory was timed in both formats" + share,
            Kinds::all(), false};
  const std::string statement = fmt::format(
      "half the bytes take 1/{:.3g} of the time where memory is the bound{}", *m.halving, share);
  // Half the bytes that save nothing were moved as whole ones, or not by memory's speed at all.
  if (*m.halving < 1.2)
    return {"traffic", statement, Kinds::of(kConverted, kEmulated, kOnTheCpu, kStorageOnly), true};
  return {"traffic", statement, Kinds::all(), true};
}

struct InstructionsRow {
  Fp16Instructions instructions;
  std::string_view statement;
  Kinds allows;
};

constexpr InstructionsRow kInstructionsRows[] = {
    {Fp16Instructions::kUnread,
     "not available: nothing reads the instructions of a compiled image here", Kinds::all()},
    {Fp16Instructions::kIncomplete,
     "the image calls code that it does not hold, so what it lacks may be there", Kinds::all()},
    {Fp16Instructions::kNone, "the image holds no arithmetic of fp16, bf16 or fp32", Kinds::all()},
    {Fp16Instructions::kHalf, "asked for fp16 arithmetic; the image holds it",
     Kinds::of(kNative, kHalfAccumulation)},
    {Fp16Instructions::kConversionsOnly,
     "asked for fp16 arithmetic; the image holds none, and converts",
     Kinds::of(kEmulated, kConverted, kStorageOnly)},
    {Fp16Instructions::kBf16, "the image holds bf16 arithmetic, which nobody asked for",
     Kinds::of(kBf16Substituted)},
    {Fp16Instructions::kSingle, "asked for fp32 arithmetic on fp16 data; the image holds it",
     Kinds::all()},
    {Fp16Instructions::kHalfForSingle,
     "asked for fp32 arithmetic on fp16 data; the image holds fp16 arithmetic only",
     Kinds::of(kHalfAccumulation)},
};

Fp16Reading read_instructions(const Fp16Measured& m) {
  const auto* const row =
      std::ranges::find(kInstructionsRows, m.instructions, &InstructionsRow::instructions);
  std::string statement =
      m.unread.empty() ? std::string(row->statement) : "not available: " + m.unread;
  if (m.instructions != Fp16Instructions::kUnread) {
    statement += fmt::format(" (fp16 {}, bf16 {}, fp32 {}, conversions {})", m.census.half,
                             m.census.bf16, m.census.single, m.census.conversions);
  }
  return {"instructions", std::move(statement), row->allows, row->allows != Kinds::all()};
}

bool proven(const std::vector<Fp16Reading>& readings) {
  return readings[0].spoke && readings[1].spoke && (readings[2].spoke || readings[3].spoke);
}

}  // namespace

std::string_view name_of(Fp16Kind kind) { return kKindRows[static_cast<std::size_t>(kind)].name; }

Fp16Instructions instructions_of(const ImageCensus& census, bool asks_for_half) {
  using enum Fp16Instructions;
  if (census.bf16 > 0) return kBf16;
  if (asks_for_half && census.half > 0) return kHalf;
  if (!asks_for_half && census.single > 0) return kSingle;
  if (census.calls_others) return kIncomplete;
  if (asks_for_half) return census.single > 0 || census.conversions > 0 ? kConversionsOnly : kNone;
  return census.half > 0 ? kHalfForSingle : kNone;
}

Fp16Verdict judge_fp16(const Fp16Measured& measured) {
  Fp16Verdict verdict{.kind = "disputed",
                      .sentence = "the evidence disagrees: no kind of fp16 fits all of it",
                      .readings = {read_numerics(measured), read_time(measured),
                                   read_traffic(measured), read_instructions(measured)}};
  // Storage only is what the driver says of itself, and no more than that.
  Kinds open = measured.offered ? Kinds::all_but(kStorageOnly) : Kinds::all();
  for (const Fp16Reading& reading : verdict.readings) open = open & reading.allows;
  if (open.empty()) return verdict;
  if (open.has(kNative)) {
    verdict.kind = "undecided";
    if (open.has(kEmulated)) {
      verdict.sentence = "undecided: native and fp32 in the units would both look like this";
    } else if (!proven(verdict.readings)) {
      verdict.sentence = "undecided: native is not contradicted, and not proven";
    } else {
      verdict.kind = name_of(kNative);
      verdict.sentence = "native: numerics, time and traffic or instructions agree";
    }
    return verdict;
  }
  for (const KindRow& row : kKindRows) {
    if (!open.has(row.kind)) continue;
    verdict.kind = row.name;
    verdict.sentence = fmt::format("{}: {}", row.name, row.sentence);
    break;
  }
  return verdict;
}

}  // namespace halfmark::reports
