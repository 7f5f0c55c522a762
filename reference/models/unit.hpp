// SPDX-License-Identifier: Apache-2.0
// Matrix units: what one instruction of a matrix unit computes for one output, as one row of data.
//
// Every output is an independent dot product with an addend, d = c + sum of a_k * b_k. The products
// are taken in consecutive blocks of increasing k; the result of a block is the c of the next. The
// row's rule decides what happens inside a block; unit_rules.hpp defines the rules.
//
// This file does not decide how an operator feeds a unit (operators/gemm.hpp) nor whether a device
// has it.
//
// Assumptions: (1) c and d share a format; (2) sums longer than an instruction are chained through
// c, ascending; (3) a last block that is not full has fewer products and no padding. Padding with
// zeros could change only the sign of a zero sum.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "reference/models/vector.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::models {

// unit_rules.hpp defines these under the same names.
enum class Rule : std::uint8_t {
  kFmaChain,         // one fma per product
  kTruncated,        // T-FDPA: c and the products truncated to one grid, added exactly
  kScaledTruncated,  // ST-FDPA: the same, the products scaled by powers of two
  kGroupScaled,      // GST-FDPA: exact sums of groups, scaled, then as kTruncated
  kThroughHalf,      // fp8 as fp16 in two kTruncated steps of interleaved k, c added last
  kExact,            // E-FDPA: the exact sum of c and the products, rounded once
  kFlushedPairs,     // FTZ-AddMul: products rounded, added in pairs, c last, all flushed
  kFloored,          // TR-FDPA: products truncated to one grid, c added with rounding down
  kFlooredSplit,     // GTR-FDPA: the same, with separate grids for even and odd k
  kEvenOdd,          // two fma chains, over even and odd k, then c added to their sum
  kFlushedChain,     // one fma per product, k descending within a block, all flushed
  kOddPairs,         // the sum of a block's products, then c, rounded to odd and flushed
};

// How well a row is established.
enum class Evidence : std::uint8_t {
  kSilicon,     // reproduces inputs and outputs of the hardware, every bit: published, or made by
                // anyone who has it (`halfmark ref selftest --silicon`)
  kSimulator,   // from a published simulator that its authors compared with the hardware
  kDocument,    // from the vendor's instruction reference; not compared with the hardware
  kHypothesis,  // extends a published pattern to an unpublished case
};

inline constexpr std::array<soft::Named<Evidence>, 4> kEvidences{{
    {"silicon", Evidence::kSilicon},
    {"simulator", Evidence::kSimulator},
    {"document", Evidence::kDocument},
    {"hypothesis", Evidence::kHypothesis},
}};

using FormatSet = std::span<const Format* const>;

struct Unit {
  std::string_view name;  // unit.GENERATION.INSTRUCTION.INPUT.OUTPUT
  FormatSet a, b;         // the formats of the operands; tf32 also takes fp32 words, truncated
                          // to tf32
  const Format* output;   // of c and d
  Rule rule;
  int block;          // L: products in a block
  int fraction_bits;  // F: the grid lies this many bits below the largest exponent of a block
  int kept_bits;      // fraction bits of the result; the remaining bits of `output` are zero
  soft::Rounding rounding =
      soft::Rounding::kNearEven;  // of the result; overflow always gives infinity
  int zero_exponent = 0;          // the exponent of a zero term: a lower limit for the largest
  int instruction_k;              // products per instruction
  const Format* scale = nullptr;  // of a_scales and b_scales; null: the unit takes none
  int scale_block = 0;            // products that share a scale
  Bits nan_word = 0;              // the only NaN that it returns; 0: not established, any
                                  // NaN matches
  bool propagates_nan = false;    // nan_word is only that of an invalid operation: NaN operands go
                                  // first, in the order a, b, sum, and become quiet
  bool zero_is_positive = false;  // a sum of nothing but -0 is +0, as every other zero sum
  Evidence evidence = Evidence::kSimulator;
  std::string_view source = {};  // where the evidence comes from

  // The fields of the name.
  [[nodiscard]] std::string_view generation() const;
  [[nodiscard]] std::string_view instruction() const;
  [[nodiscard]] std::string_view input() const;
  // The NaN that the model returns: the unit's word, or the default quiet NaN if any NaN matches.
  [[nodiscard]] Bits nan() const;
  // The number of products after which the result passes through c: a block, or an instruction if
  // the rule's own partial sums last that long.
  [[nodiscard]] std::size_t step() const;
};

// By generation, instruction, input and output.
[[nodiscard]] std::span<const Unit> all_units();

// Null if there is no such unit. The input and output may be any alias of a format's name
// (formats/format.hpp); in generations whose 8-bit formats are of the fnuz kind the short names
// mean those.
[[nodiscard]] const Unit* find_unit(std::string_view name);

[[nodiscard]] std::string_view to_string(Rule rule);
[[nodiscard]] constexpr std::string_view to_string(Evidence evidence) {
  return soft::name_of(kEvidences, evidence);
}

// One scale for every `scale_block` products of a row of A and a column of B.
struct Scales {
  Vector a;
  Vector b;
};

// Throws std::invalid_argument, naming the accepted formats, if the unit does not take
// these operands.
void require_operands(const Unit& unit, const Format& a, const Format& b);
// The same for scales: a and b are their formats, or null without scales.
void require_scales(const Unit& unit, const Format* a, const Format* b);

// d, in unit.output. c is first converted to that format, to nearest even; without c it is +0, and
// without products d is c. The operands must pass the two checks above.
[[nodiscard]] Encoded unit_dot(const Unit& unit, const Vector& a, const Vector& b,
                               std::size_t count, const std::optional<Encoded>& c,
                               const Scales* scales = nullptr);

}  // namespace halfmark::models
