// SPDX-License-Identifier: Apache-2.0
// Decides whether an operator that is called fp16 computes in fp16: one pure function from
// measurements to a verdict. Units leave three traces (bits, time and instructions), and no single
// one proves a kind. So kinds are not scored: evidence refutes them, and the verdict names what is
// left. Measures nothing and knows no device. Assumes:
// 1. All evidence is about this operator, these formats and this shape; only the fp32 roof covers
//    the whole run.
// 2. Slowness refutes nothing: a native unit may be slow, and a machine may be busy.
// 3. Emulation on wider units cannot be faster than those units. A rate above theirs refutes it
//    only where two comparisons agree, so that no burst of load explains both: the interval of the
//    row's median against the fastest sample of all fp32 rows, and a duel in which the two run
//    alternately. Both must leave a margin for a faster kernel that load hid.
// 4. An instruction that was not found counts as absent only if every call was resolved.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// What an operator on fp16 data can be. The order of the enumerators has no meaning.
enum class Fp16Kind : std::uint8_t {
  kNative,            // units compute in fp16
  kEmulated,          // computed on wider units (fp32, or tf32, which holds every fp16 number)
  kStorageOnly,       // the driver offers fp16 in memory and no arithmetic on it
  kBf16Substituted,   // operands are rounded to bf16
  kHalfAccumulation,  // sums are in fp16 although fp32 was requested
};

inline constexpr Fp16Kind kAllFp16Kinds[] = {Fp16Kind::kNative, Fp16Kind::kEmulated,
                                             Fp16Kind::kStorageOnly, Fp16Kind::kBf16Substituted,
                                             Fp16Kind::kHalfAccumulation};

/// A set of kinds.
class Fp16Kinds {
 public:
  constexpr Fp16Kinds() = default;
  template <typename... Kinds>
  [[nodiscard]] static constexpr Fp16Kinds of(Kinds... kinds) {
    return Fp16Kinds((bit(kinds) | ... | 0u));
  }
  template <typename... Kinds>
  [[nodiscard]] static constexpr Fp16Kinds all_but(Kinds... kinds) {
    return Fp16Kinds(kAll & ~(bit(kinds) | ... | 0u));
  }
  [[nodiscard]] constexpr bool has(Fp16Kind kind) const { return (bits_ & bit(kind)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr Fp16Kinds operator&(Fp16Kinds other) const {
    return Fp16Kinds(bits_ & other.bits_);
  }
  [[nodiscard]] constexpr Fp16Kinds operator|(Fp16Kinds other) const {
    return Fp16Kinds(bits_ | other.bits_);
  }
  [[nodiscard]] constexpr Fp16Kinds without(Fp16Kinds other) const {
    return Fp16Kinds(bits_ & ~other.bits_);
  }
  bool operator==(const Fp16Kinds&) const = default;

 private:
  constexpr explicit Fp16Kinds(unsigned bits) : bits_(bits) {}
  [[nodiscard]] static constexpr unsigned bit(Fp16Kind kind) {
    return 1u << static_cast<unsigned>(kind);
  }
  static constexpr unsigned kAll = (1u << std::size(kAllFp16Kinds)) - 1;
  unsigned bits_ = 0;
};

/// "native", "half-accumulation", ...: the names used in scorecards.
[[nodiscard]] std::string_view name_of(Fp16Kind kind);
/// "add, mul and fma".
[[nodiscard]] std::string listed(std::span<const std::string> words);
/// "native, emulated and bf16 substituted"; empty for none.
[[nodiscard]] std::string words_of(Fp16Kinds kinds);

enum class Fp16Bit : std::uint8_t {
  kBounded,       // within a bound: refutes nothing
  kModelled,      // every bit as a named arithmetic gives it, which may have narrower sums
  kFewBits,       // exact on data that no narrower format would change
  kKeepsOperand,  // exact on operands that need every bit of fp16
  kKeepsSum,      // exact on sums that need every bit of fp32
  kEveryBit,      // every bit on ordinary data, as specified or by an arithmetic of sums as asked
  kRoundedTwice,  // the bits of a result that was first rounded to a wider format
  kBf16,          // the bits of operands rounded to bf16
  kNarrowSum,     // the bits of sums in fp16 where fp32 was requested
  kUnexplained,   // wrong, and no kind explains it: refutes nothing
};

/// What one case showed.
struct Fp16BitSeen {
  Fp16Bit bit = Fp16Bit::kBounded;
  std::string case_name;
};

/// Rates are in 1e9 flops per second, as the operator counts its own flops.
struct Fp16Time {
  double rate = 0;            // at the median; 0: not timed
  double sure_rate = 0;       // at the slow end of the median's interval; 0: too few samples
  double wide_rate = 0;       // highest rate of wider units (wide_roof() in roofs.hpp); 0: unknown
  std::string wide_row = {};  // the row with that rate
  std::string why_no_wide_rate = {};  // why_no_wide_roof() in roofs.hpp
  double unrest = 1;          // factor by which load may have hidden a faster row (Roofs::unrest)
  bool memory_bound = false;  // is_bound_by_memory() in roofs.hpp
  std::string duel_against = {};  // the row it was timed alternately with; empty: no duel
  std::vector<double> duel = {};  // own rate over the wide one's, pair by pair
};

/// Instructions of each kind in the kernels of a row; an instruction in a loop counts once.
struct ImageCensus {
  std::uint64_t half = 0, bf16 = 0, single = 0, conversions = 0;
};

struct Fp16Image {
  bool asks_for_half = false;  // the kernel's text asks for fp16 arithmetic
  std::optional<ImageCensus> counted =
      std::nullopt;       // in the loops where they were found, else in the whole image
  bool in_loops = false;  // the counts are of the loops
  std::uint64_t unresolved_calls = 0;  // calls whose instructions were not counted
  std::string why_unread = {};
};

struct Fp16Measured {
  /// The possible kinds of this operator: fp16 accumulation only where fp32 sums are requested,
  /// storage only where the driver says so.
  Fp16Kinds possible =
      Fp16Kinds::of(Fp16Kind::kNative, Fp16Kind::kEmulated, Fp16Kind::kBf16Substituted);
  std::vector<Fp16BitSeen> bits = {};
  Fp16Time time = {};
  Fp16Image image = {};
};

struct Fp16Reading {
  std::string source;  // bits, time, instructions
  std::string statement;
  Fp16Kinds refutes;
};

struct Fp16Verdict {
  /// A kind; "undecided" if several are left; "disputed" if none is.
  std::string kind;
  std::string sentence;  // the verdict, a colon, and its reasons or what would decide
  Fp16Kinds open;
  std::vector<Fp16Reading> readings;
};

/// A rate above this factor times the unrest of the run times the rate of wider units refutes
/// emulation: clocks and the choice of a kernel explain less.
inline constexpr double kAboveWide = 1.1;
/// A rate above this factor refutes it without a duel. A machine that is busy while all fp32
/// kernels are timed, and idle afterwards, slows them to a third at most (assumption of the
/// simulation): twice that is left for noise.
inline constexpr double kFarAboveWide = 6;

/// A duel needs at least kDuelPairs pairs, of which all but kDuelExceptions must be above the
/// margin. If the true median of the ratio were no higher, 14 or more of 15 would have a
/// probability of 16 / 32,768 = 0.0005.
inline constexpr std::size_t kDuelPairs = 15, kDuelExceptions = 1;

[[nodiscard]] Fp16Verdict judge_fp16(const Fp16Measured& measured);

/// Verdicts, sorted, for every fp16 chain at its best width and for every product on fp16 data by a
/// library, or by our own kernels with sums in fp16. `found`: the arithmetics of the run.
[[nodiscard]] std::vector<Fp16Operator> judge_fp16_operators(
    const nlohmann::json& device, const std::vector<suites::CaseResult>& results,
    const std::vector<ArithmeticEntry>& found, const std::vector<ThroughputRow>& rows,
    const Roofs& roofs);

/// The verdict on the device as a whole: from the verdicts on its operators, or from its promises,
/// probes and bits where nothing was timed.
[[nodiscard]] TrueFp16 judge_true_fp16(const RunRecord& record,
                                       const std::vector<suites::CaseResult>& results,
                                       const std::vector<Fp16Operator>& operators,
                                       const Roofs& roofs);

/// The numbers of cases of fp16 arithmetic that passed; that ran and did not pass; and of these,
/// that broke a promise or ended without an answer.
struct Fp16Cases {
  std::uint64_t passed = 0, failed = 0, broken = 0;
};
[[nodiscard]] Fp16Cases count_fp16_cases(const std::vector<suites::CaseResult>& results);

}  // namespace halfmark::reports
