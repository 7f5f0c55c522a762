// SPDX-License-Identifier: Apache-2.0
// Whether an operator that is called fp16 is: one pure function from what was measured to a
// verdict. Four kinds of evidence (numerics, time, traffic, instructions) each leave some kinds of
// fp16 open; the verdict is what all of them leave open. Evidence that disagrees leaves nothing,
// and that is the verdict then. Measures nothing; knows no device. Assumes: ratios are against
// strict fp32 of the same provider, shape and fill.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// What an operator on fp16 data can be. In the order in which they are told where evidence leaves
/// several open: the one that claims least for the device first.
enum class Fp16Kind : std::uint8_t {
  kOnTheCpu,          // computed by the host, far slower than the device computes fp32
  kStorageOnly,       // the driver offers fp16 in memory and no arithmetic on it
  kBf16Substituted,   // operands are rounded to bf16
  kTf32Substituted,   // fp32 operands are rounded to tf32
  kHalfAccumulation,  // sums are fp16 where the name says fp32
  kConverted,         // passes of conversion around an operator in fp32
  kEmulated,          // fp16 in memory, fp32 in the units
  kNative,
};

/// A set of kinds.
class Fp16Kinds {
 public:
  template <typename... Kinds>
  [[nodiscard]] static constexpr Fp16Kinds of(Kinds... kinds) {
    return Fp16Kinds((bit(kinds) | ... | 0u));
  }
  [[nodiscard]] static constexpr Fp16Kinds all() { return Fp16Kinds(0xffu); }
  template <typename... Kinds>
  [[nodiscard]] static constexpr Fp16Kinds all_but(Kinds... kinds) {
    return Fp16Kinds(0xffu & ~(bit(kinds) | ... | 0u));
  }
  [[nodiscard]] constexpr bool has(Fp16Kind kind) const { return (bits_ & bit(kind)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr Fp16Kinds operator&(Fp16Kinds other) const {
    return Fp16Kinds(bits_ & other.bits_);
  }
  bool operator==(const Fp16Kinds&) const = default;

 private:
  constexpr explicit Fp16Kinds(unsigned bits) : bits_(bits) {}
  [[nodiscard]] static constexpr unsigned bit(Fp16Kind kind) {
    return 1u << static_cast<unsigned>(kind);
  }
  unsigned bits_ = 0;
};

/// "native", "emulated-fp32", ...
[[nodiscard]] std::string_view name_of(Fp16Kind kind);

enum class Fp16Numerics : std::uint8_t {
  kUnknown,          // no case gave an answer
  kExact,            // every case passed: the bits are those of the arithmetic in the name
  kRoundedTwice,     // excess precision, or a second rounding
  kBf16,             // the bits of operands rounded to bf16
  kTf32,             // of operands rounded to tf32
  kHalfAccumulator,  // of a narrower accumulator than the name says
  kWrong,            // of no fp16 arithmetic at all
};

/// What the compiled image holds, where it can be read, beside what the kernel's text asks for.
enum class Fp16Instructions : std::uint8_t {
  kUnread,
  kIncomplete,       // it calls code that was not read, so that nothing is said of what it lacks
  kNone,             // no instruction of arithmetic on these formats
  kHalf,             // fp16 arithmetic, as the text asks for
  kConversionsOnly,  // none, where the text asks for it: conversions and fp32
  kBf16,             // bf16 arithmetic, which no text asks for
  kSingle,           // fp32 arithmetic, as the text asks for: it says nothing of the device's fp16
  kHalfForSingle,    // fp16 arithmetic alone where the text asks for fp32
};

/// Instructions of each kind in the kernels of a row; one that is in a loop counts once.
struct ImageCensus {
  std::uint64_t half = 0, bf16 = 0, single = 0, conversions = 0;
  bool calls_others = false;  // code that was not read, which may hold anything
};
[[nodiscard]] Fp16Instructions instructions_of(const ImageCensus& census, bool asks_for_half);

struct Fp16Measured {
  bool offered = true;  // the driver says that it has fp16 arithmetic, or a library took the call
  Fp16Numerics numerics = Fp16Numerics::kUnknown;
  /// Whether fma rounds once on operands that tell; absent where nobody asked, or where the
  /// operator need not be made of the device's own fp16 arithmetic.
  std::optional<bool> fma_rounds_once = std::nullopt;
  std::optional<double> ratio = std::nullopt;  // time of strict fp32 / time
  bool compute_bound = false;                  // by operations a byte; else bound by memory
  double of_fp32_peak = 0;                     // rate / declared rate of fp32; 0: no data sheet
  double of_peak = 0;  // rate / declared rate of the operator's own formats; the same
  double of_bandwidth =
      0;  // bytes a second / declared bandwidth, where memory is the bound; the same
  std::optional<double> halving = std::nullopt;  // the ratio of operators that are bound by memory
  Fp16Instructions instructions = Fp16Instructions::kUnread;
  ImageCensus census = {};  // behind `instructions`, unless nothing was read
  std::string unread = {};  // why nothing was, where somebody tried
};

struct Fp16Reading {
  std::string source;  // numerics, time, traffic, instructions
  std::string statement;
  Fp16Kinds allows = Fp16Kinds::all();
  bool spoke = false;  // false: there was nothing to read
};

struct Fp16Verdict {
  /// A kind; "disputed": the evidence leaves nothing open; "undecided": native is left open, but
  /// not all that it takes has spoken (numerics, time, and one of traffic and instructions).
  std::string kind;
  std::string sentence;
  std::vector<Fp16Reading> readings;
};

[[nodiscard]] Fp16Verdict judge_fp16(const Fp16Measured& measured);

/// A verdict for every operator, provider, format and shape class that has a counted fp16 row,
/// sorted.
[[nodiscard]] std::vector<Fp16Operator> judge_fp16_operators(
    const nlohmann::json& device, double declared_gbytes_per_s,  // 0: no data sheet
    const std::vector<suites::CaseResult>& results, const std::vector<ThroughputRow>& rows);

}  // namespace halfmark::reports
