// SPDX-License-Identifier: Apache-2.0
#include "reports/true_fp16.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace halfmark::reports {
namespace {

using enum Fp16Kind;
using Kinds = Fp16Kinds;

struct KindRow {
  Fp16Kind kind;
  std::string_view name, words;
};

constexpr KindRow kKindRows[] = {
    {kNative, "native", "native"},
    {kEmulated, "emulated", "emulated"},
    {kStorageOnly, "storage-only", "storage only"},
    {kBf16Substituted, "bf16-substituted", "bf16 substituted"},
    {kHalfAccumulation, "half-accumulation", "fp16 accumulation"},
};

struct BitRow {
  Fp16Bit bit;
  std::string_view statement;
  Kinds refutes;
};

// Bits that are right refute the kinds that would have changed them; native and emulated give the
// same. Bits that only one kind explains refute the others.
constexpr BitRow kBitRows[] = {
    {Fp16Bit::kBounded, "only within a bound, which refutes nothing", Kinds::of()},
    {Fp16Bit::kModelled, "every bit as a named arithmetic gives it, which may have narrower sums",
     Kinds::of()},
    {Fp16Bit::kFewBits, "right on data that a narrower format would not change", Kinds::of()},
    {Fp16Bit::kKeepsOperand, "right where operands need every bit of fp16",
     Kinds::of(kBf16Substituted)},
    {Fp16Bit::kKeepsSum, "right where sums need every bit of fp32", Kinds::of(kHalfAccumulation)},
    {Fp16Bit::kEveryBit, "every bit is right on ordinary data",
     Kinds::of(kBf16Substituted, kHalfAccumulation)},
    {Fp16Bit::kRoundedTwice, "rounded twice, as wider units with conversions do",
     Kinds::all_but(kEmulated)},
    {Fp16Bit::kBf16, "the bits of operands rounded to bf16", Kinds::all_but(kBf16Substituted)},
    {Fp16Bit::kNarrowSum, "the bits of sums in fp16", Kinds::all_but(kHalfAccumulation)},
    {Fp16Bit::kUnexplained, "wrong in a way that no kind of fp16 explains", Kinds::of()},
};

// One clause for each kind of bits that was seen, with the first case that showed it.
Fp16Reading read_bits(const Fp16Measured& m) {
  Fp16Reading reading{"bits", "", {}};
  if (m.possible == Kinds::of(kStorageOnly)) return {"bits", "the driver offers no arithmetic", {}};
  for (const BitRow& row : kBitRows) {
    const auto seen = std::ranges::find(m.bits, row.bit, &Fp16BitSeen::bit);
    if (seen == m.bits.end()) continue;
    if (!reading.statement.empty()) reading.statement += "; ";
    reading.statement += fmt::format("{} ({})", row.statement, seen->case_name);
    reading.refutes = reading.refutes | row.refutes;
  }
  if (reading.statement.empty()) reading.statement = "no case of this operator and shape answered";
  return reading;
}

// Three digits, and no exponent.
std::string rate_text(double rate) {
  return rate < 1000 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate);
}

double margin_of(const Fp16Time& time) { return kAboveWide * time.unrest; }

std::size_t pairs_above(const Fp16Time& time) {
  const double margin = margin_of(time);
  return static_cast<std::size_t>(
      std::ranges::count_if(time.duel, [&](double ratio) { return ratio > margin; }));
}

bool wins_duel(const Fp16Time& time) {
  return time.duel.size() >= kDuelPairs && pairs_above(time) + kDuelExceptions >= time.duel.size();
}

std::string duel_text(const Fp16Time& time) {
  if (time.duel.empty()) return "not timed alternately with fp32";
  return fmt::format("{} of {} pairs against {} are above {:.3g} x", pairs_above(time),
                     time.duel.size(), time.duel_against, margin_of(time));
}

Fp16Reading read_time(const Fp16Measured& m) {
  const Fp16Time& time = m.time;
  if (time.rate <= 0) return {"time", "no time was taken", {}};
  if (time.wide_rate <= 0)
    return {"time", fmt::format("{} Gflop/s; {}", rate_text(time.rate), time.why_no_wide_rate), {}};
  std::string statement = fmt::format(
      "{} Gflop/s, {:.2g} x the most that wider units reached ({} Gflop/s by {})",
      rate_text(time.rate), time.rate / time.wide_rate, rate_text(time.wide_rate), time.wide_row);
  if (time.memory_bound)
    return {"time", statement + "; bound by memory, which bounds every kind alike", {}};
  if (time.sure_rate <= margin_of(time) * time.wide_rate)
    return {"time", statement + ", which refutes nothing", {}};
  if (time.sure_rate > kFarAboveWide * margin_of(time) * time.wide_rate)
    return {"time", statement + ", more than any load explains", Kinds::of(kEmulated)};
  statement += "; " + duel_text(time);
  if (!wins_duel(time)) return {"time", statement + ", which refutes nothing", {}};
  return {"time", statement, Kinds::of(kEmulated)};
}

// What the image of a kernel whose text asks for fp16 arithmetic shows.
Fp16Reading read_counts(const Fp16Image& image) {
  const ImageCensus& n = *image.counted;
  const bool wide = n.single > 0 || n.conversions > 0;
  if (n.half > 0 && (wide || n.bf16 > 0))
    return {"",
            "fp16 arithmetic as well as conversions or wider arithmetic, which refutes nothing",
            {}};
  if (n.half == 0 && n.bf16 == 0 && !wide) return {"", "no arithmetic of fp16, bf16 or fp32", {}};
  if (image.unresolved_calls > 0)
    return {"",
            n.half > 0 ? "fp16 arithmetic, and calls that were not followed"
                       : "no fp16 arithmetic, except possibly in calls that were not followed",
            {}};
  if (n.bf16 > 0)
    return {"", "bf16 arithmetic, which was not requested, and no fp16 arithmetic",
            Kinds::of(kNative, kEmulated)};
  if (n.half > 0)
    return {"", "fp16 arithmetic, and neither conversions nor wider arithmetic",
            Kinds::of(kEmulated)};
  return {"", "conversions or wider arithmetic, and no fp16 arithmetic", Kinds::of(kNative)};
}

Fp16Reading read_instructions(const Fp16Measured& m) {
  const Fp16Image& image = m.image;
  if (!image.counted)
    return {"instructions",
            image.why_unread.empty() ? "not read" : fmt::format("not read: {}", image.why_unread),
            {}};
  if (!image.asks_for_half)
    return {"instructions", "the source of a library is unknown, so this refutes nothing", {}};
  Fp16Reading reading = read_counts(image);
  reading.source = "instructions";
  const ImageCensus& n = *image.counted;
  reading.statement = fmt::format("{}: {} (fp16 {}, bf16 {}, fp32 {}, conversions {})",
                                  image.in_loops ? "in its loops" : "in the image",
                                  reading.statement, n.half, n.bf16, n.single, n.conversions);
  return reading;
}

// "bits refute bf16 substituted; time refutes emulated", restricted to the `possible` kinds.
std::string sides_of(const std::vector<Fp16Reading>& readings, Kinds possible) {
  std::string text;
  for (const Fp16Reading& reading : readings) {
    const std::string refuted = words_of(reading.refutes & possible);
    if (refuted.empty()) continue;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", reading.source,
                        reading.source == "time" ? "refutes" : "refute", refuted);
  }
  return text;
}

// The measurements that would refute some of the kinds that are left.
std::string deciding(const Fp16Measured& m, Kinds open) {
  std::vector<std::string> ways;
  if (open.has(kBf16Substituted))
    ways.push_back("an exact case of this shape whose operands need every bit of fp16");
  if (open.has(kHalfAccumulation))
    ways.push_back("an exact case of this shape whose sums need every bit of fp32");
  if (open.has(kNative) && open.has(kEmulated)) {
    const std::string rate =
        m.time.wide_rate > 0
            ? fmt::format(" ({} Gflop/s)", rate_text(margin_of(m.time) * m.time.wide_rate))
            : std::string();
    ways.push_back(
        fmt::format("the instructions of its image, or a rate above {:.3g} x that of fp32{} when "
                    "timed alternately,",
                    margin_of(m.time), rate));
  }
  return fmt::format("{} would decide", listed(ways));
}

}  // namespace

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string_view name_of(Fp16Kind kind) {
  return std::ranges::find(kKindRows, kind, &KindRow::kind)->name;
}

std::string words_of(Fp16Kinds kinds) {
  std::vector<std::string> words;
  for (const KindRow& row : kKindRows) {
    if (kinds.has(row.kind)) words.emplace_back(row.words);
  }
  return listed(words);
}

Fp16Verdict judge_fp16(const Fp16Measured& measured) {
  Fp16Verdict verdict{
      .kind = "disputed",
      .sentence = {},
      .open = measured.possible,
      .readings = {read_bits(measured), read_time(measured), read_instructions(measured)}};
  for (const Fp16Reading& reading : verdict.readings)
    verdict.open = verdict.open.without(reading.refutes);
  const std::string sides = sides_of(verdict.readings, measured.possible);
  if (verdict.open.empty()) {
    verdict.sentence = fmt::format("disputed: {}", sides);
    return verdict;
  }
  for (const Fp16Kind kind : kAllFp16Kinds) {
    if (verdict.open != Kinds::of(kind)) continue;
    verdict.kind = name_of(kind);
    verdict.sentence =
        fmt::format("{}: {}", words_of(verdict.open), sides.empty() ? "the driver says so" : sides);
    return verdict;
  }
  verdict.kind = "undecided";
  verdict.sentence = fmt::format("undecided between {}: {}", words_of(verdict.open),
                                 deciding(measured, verdict.open));
  return verdict;
}

}  // namespace halfmark::reports
