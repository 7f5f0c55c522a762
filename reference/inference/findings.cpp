// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/inference/hypothesis.hpp"

namespace halfmark::inference {
namespace {

// One row of the special question: elements 0 and 1 of A, the other elements, and c; columns of B
// are ones and zeros.
struct Situation {
  Bits first = 0, second = 0, others = 0, c = 0;
};

enum Row : std::size_t {
  kQuietNan,
  kPayloadNan,
  kInfinity,
  kMinusInfinity,
  kOpposite,
  kMinusZeros,
  kMinusZerosPlusC,
  kCancelled,
  kSubnormalOperand,
  kSubnormalAddend,
  kNanAddend,
  kInfiniteAddend,
  kPlusOverflow,
  kMinusOverflow,
  kRows
};

bool has_nan(const Format& f) { return f.non_finite != formats::NonFinite::kNone; }

// A negative NaN with every fraction bit set, where NaNs have a payload.
Bits payload_nan(const Format& f) { return f.has_infinity() ? f.mask() : formats::quiet_nan(f); }

std::string payload_asked(const Format& f) {
  if (payload_nan(f) != formats::quiet_nan(f)) return "a negative NaN with all fraction bits in A";
  return fmt::format("{} in A again, since its NaNs have no payload",
                     formats::hex(f, formats::quiet_nan(f)));
}

std::array<Situation, kRows> situations(const Subject& s) {
  const Format& a = *s.a;
  const Format& c = s.c == nullptr ? *s.d : *s.c;
  const Bits minus_one = formats::one(a) | a.sign_mask();
  const Bits minus_zero = formats::zero(a, true);
  std::array<Situation, kRows> rows{};
  if (has_nan(a)) {
    rows[kQuietNan] = {.first = formats::quiet_nan(a)};
    rows[kPayloadNan] = {.first = payload_nan(a)};
  }
  if (a.has_infinity()) {
    rows[kInfinity] = {.first = formats::infinity(a)};
    rows[kMinusInfinity] = {.first = formats::infinity(a, true)};
    rows[kOpposite] = {.first = formats::infinity(a), .second = formats::infinity(a, true)};
  }
  rows[kMinusZeros] = {minus_zero, minus_zero, minus_zero, formats::zero(c, true)};
  rows[kMinusZerosPlusC] = {minus_zero, minus_zero, minus_zero, 0};
  rows[kCancelled] = {formats::one(a), minus_one, minus_zero, formats::zero(c, true)};
  rows[kSubnormalOperand] = {.first = a.fraction_bits == 0 ? formats::one(a) : Bits{1}};
  rows[kSubnormalAddend] = {.c = Bits{1}};
  rows[kNanAddend] = {.c = payload_nan(c)};
  rows[kInfiniteAddend] = {.c = c.has_infinity() ? formats::infinity(c) : formats::one(c)};
  const Bits most = formats::max_finite(a);
  rows[kPlusOverflow] = {most, most, most, formats::max_finite(c)};
  rows[kMinusOverflow] = {most | a.sign_mask(), most | a.sign_mask(), most | a.sign_mask(),
                          formats::max_finite(c, true)};
  return rows;
}

Question special_question(const Laboratory& laboratory) {
  const Subject& subject = laboratory.subject();
  Question question = laboratory.blank(kRows, 2);
  const std::array<Situation, kRows> rows = situations(subject);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t x = 0; x < subject.k; ++x) {
      const Bits bits = x == 0 ? rows[row].first : x == 1 ? rows[row].second : rows[row].others;
      question.a.set(row * subject.k + x, bits);
    }
    if (subject.c == nullptr) continue;
    for (std::size_t j = 0; j < 2; ++j) question.c.set(row * 2 + j, rows[row].c);
  }
  for (std::size_t x = 0; x < subject.k; ++x) question.b.set(x * 2, formats::one(*subject.b));
  return question;
}

std::string kept_or_lost(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) ? "lost" : "kept";
}

// Whether the largest operands can overflow D at all: products of fp16 cannot overflow fp32.
bool overflows(const Laboratory& laboratory) {
  const Format& d = *laboratory.subject().d;
  const Hypothesis exact{};
  return d.has_infinity() &&
         formats::is_infinity(d,
                              predict(exact, special_question(laboratory)).at(kPlusOverflow * 2));
}

}  // namespace

std::vector<Finding> special_findings(Laboratory& laboratory) {
  const Subject& subject = laboratory.subject();
  const Tensor d = laboratory.ask(special_question(laboratory), true);
  const Format& f = *d.format;
  std::vector<Finding> findings;
  const auto ones = [&](Row row) { return d.at(row * 2); };
  const auto zeros = [&](Row row) { return d.at(row * 2 + 1); };
  const auto word = [&](std::string name, Bits bits, std::string detail) {
    findings.push_back({std::move(name), formats::hex(f, bits), std::move(detail)});
  };
  if (has_nan(*subject.a)) {
    word("nan.operand", ones(kQuietNan), "a quiet NaN in A");
    word("nan.payload", ones(kPayloadNan), payload_asked(*subject.a));
  }
  if (subject.c != nullptr && has_nan(*subject.c)) {
    word("nan.addend", ones(kNanAddend), "a NaN in C");
  }
  if (subject.a->has_infinity()) {
    word("infinity", ones(kInfinity), "an infinity in A");
    word("infinity.times_zero", zeros(kInfinity), "infinity times zero");
    word("infinity.opposite", ones(kOpposite), "infinities of both signs");
  }
  word("zero.negative", ones(kMinusZeros), "all terms -0");
  word("zero.mixed", ones(kMinusZerosPlusC), "all products -0, c +0");
  word("zero.cancelled", ones(kCancelled), "1 - 1, other terms -0");
  if (overflows(laboratory)) {
    word("overflow", ones(kPlusOverflow), "all operands the largest number");
    word("overflow.negative", ones(kMinusOverflow), "the same, negative");
  }
  const bool visible = subject.a->min_place() >= f.min_place();
  if (subject.a->fraction_bits > 0 && visible) {
    findings.push_back({"subnormal.operand", kept_or_lost(f, ones(kSubnormalOperand)),
                        "the smallest number of A times one"});
  }
  if (subject.c != nullptr && subject.c->min_place() >= f.min_place()) {
    findings.push_back({"subnormal.addend", kept_or_lost(f, ones(kSubnormalAddend)),
                        "only the smallest number of C"});
  }
  return findings;
}

}  // namespace halfmark::inference
