// SPDX-License-Identifier: Apache-2.0
#include "reference/models/unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "reference/models/unit_rules.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::models {
namespace {

constexpr std::array<soft::Named<Rule>, 12> kRules{{
    {"fma_chain", Rule::kFmaChain},
    {"truncated", Rule::kTruncated},
    {"scaled_truncated", Rule::kScaledTruncated},
    {"group_scaled", Rule::kGroupScaled},
    {"through_half", Rule::kThroughHalf},
    {"exact", Rule::kExact},
    {"flushed_pairs", Rule::kFlushedPairs},
    {"floored", Rule::kFloored},
    {"floored_split", Rule::kFlooredSplit},
    {"even_odd", Rule::kEvenOdd},
    {"flushed_chain", Rule::kFlushedChain},
    {"odd_pairs", Rule::kOddPairs},
}};

// Short names in generations whose 8-bit formats are of the fnuz kind, or which rename tf32.
constexpr std::array<std::array<std::string_view, 2>, 5> kLocalNames{{
    {"e4m3", "e4m3fnuz"},
    {"fp8", "e4m3fnuz"},
    {"e5m2", "e5m2fnuz"},
    {"bf8", "e5m2fnuz"},
    {"tf32", "xf32"},
}};

// The dot-separated field of a name.
constexpr std::string_view field(std::string_view name, int index) {
  for (; index > 0; --index) {
    const std::size_t dot = name.find('.');
    name.remove_prefix(dot == std::string_view::npos ? name.size() : dot + 1);
  }
  return name.substr(0, name.find('.'));
}
constexpr int kInput = 3;
constexpr int kOutput = 4;

bool means(std::string_view word, std::string_view canonical) {
  if (word == canonical) return true;
  const Format* format = formats::find_format(word);
  if (format != nullptr && format->name == canonical) return true;
  return std::any_of(kLocalNames.begin(), kLocalNames.end(),
                     [&](const auto& local) { return local[0] == word && local[1] == canonical; });
}

bool takes(FormatSet set, const Format& format) {
  return std::any_of(set.begin(), set.end(), [&](const Format* one) {
    return *one == format || (*one == formats::kTf32 && format == formats::kFp32);
  });
}

std::string list(FormatSet set) {
  std::string text;
  for (const Format* format : set) {
    text += text.empty() ? "" : ", ";
    text += format->name;
    if (*format == formats::kTf32) text += " (or fp32 words, cut to tf32)";
  }
  return text;
}

Bits evaluate(const Unit& unit, const rules::Block& block, Bits c) {
  switch (unit.rule) {
    case Rule::kFmaChain:
      return rules::fma_chain(unit, block, c);
    case Rule::kTruncated:
    case Rule::kScaledTruncated:
      return rules::truncated(unit, block, c);
    case Rule::kGroupScaled:
      return rules::group_scaled(unit, block, c);
    case Rule::kThroughHalf:
      return rules::through_half(unit, block, c);
    case Rule::kExact:
      return rules::exact(unit, block, c);
    case Rule::kFlushedPairs:
      return rules::flushed_pairs(unit, block, c);
    case Rule::kFloored:
    case Rule::kFlooredSplit:
      return rules::floored(unit, block, c);
    case Rule::kEvenOdd:
      return rules::even_odd(unit, block, c);
    case Rule::kFlushedChain:
      return rules::flushed_chain(unit, block, c);
    case Rule::kOddPairs:
      return rules::odd_pairs(unit, block, c);
  }
  return unit.nan();
}

// An operand as the unit reads it: a tf32 unit sees the upper 19 bits of an fp32 word.
class Reader {
 public:
  Reader(FormatSet set, const Vector& vector) : vector_(vector), format_(vector.format) {
    if (*vector.format != formats::kFp32 || *set[0] != formats::kTf32) return;
    format_ = set[0];
    cut_ = formats::kFp32.fraction_bits - formats::kTf32.fraction_bits;
  }
  [[nodiscard]] const Format& format() const { return *format_; }
  [[nodiscard]] std::span<const Bits> read(std::size_t first, std::span<Bits> into) const {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = vector_.at(first + i) >> cut_;
    return into;
  }

 private:
  const Vector& vector_;
  const Format* format_;
  int cut_ = 0;
};

}  // namespace

std::string_view Unit::generation() const { return field(name, 1); }
std::string_view Unit::instruction() const { return field(name, 2); }
std::string_view Unit::input() const { return field(name, kInput); }
Bits Unit::nan() const { return nan_word != 0 ? nan_word : formats::quiet_nan(*output); }

std::size_t Unit::step() const {
  const bool whole = rule == Rule::kThroughHalf || rule == Rule::kEvenOdd;
  return static_cast<std::size_t>(whole ? instruction_k : block);
}

std::string_view to_string(Rule rule) { return soft::name_of(kRules, rule); }

const Unit* find_unit(std::string_view name) {
  const auto found = std::find_if(all_units().begin(), all_units().end(), [&](const Unit& unit) {
    return std::count(name.begin(), name.end(), '.') == kOutput &&
           field(name, 0) == field(unit.name, 0) && field(name, 1) == unit.generation() &&
           field(name, 2) == unit.instruction() && means(field(name, kInput), unit.input()) &&
           means(field(name, kOutput), unit.output->name);
  });
  return found == all_units().end() ? nullptr : &*found;
}

void require_operands(const Unit& unit, const Format& a, const Format& b) {
  if (takes(unit.a, a) && takes(unit.b, b)) return;
  throw std::invalid_argument(fmt::format("{} takes a in {} and b in {}; here a is {} and b is {}",
                                          unit.name, list(unit.a), list(unit.b), a.name, b.name));
}

void require_scales(const Unit& unit, const Format* a, const Format* b) {
  if (unit.scale == nullptr) {
    if (a == nullptr && b == nullptr) return;
    throw std::invalid_argument(fmt::format("{} takes no scales", unit.name));
  }
  if (a != nullptr && b != nullptr && *a == *unit.scale && *b == *unit.scale) return;
  throw std::invalid_argument(fmt::format(
      "{} takes scales of a and of b in {}, one for every {} elements along k; here they are {} "
      "and {}",
      unit.name, unit.scale->name, unit.scale_block, a == nullptr ? "missing" : a->name,
      b == nullptr ? "missing" : b->name));
}

Encoded unit_dot(const Unit& unit, const Vector& a, const Vector& b, std::size_t count,
                 const std::optional<Encoded>& c, const Scales* scales) {
  require_operands(unit, *a.format, *b.format);
  require_scales(unit, scales == nullptr ? nullptr : scales->a.format,
                 scales == nullptr ? nullptr : scales->b.format);
  const Reader read_a(unit.a, a);
  const Reader read_b(unit.b, b);
  std::array<Bits, rules::kMostProducts> a_bits;
  std::array<Bits, rules::kMostProducts> b_bits;
  std::array<Bits, rules::kMostProducts> a_scales;
  std::array<Bits, rules::kMostProducts> b_scales;
  Bits d = c ? soft::convert(*c->format, *unit.output, c->bits).bits : formats::zero(*unit.output);
  if (formats::is_nan(*unit.output, d)) {
    const bool keeps_c = unit.propagates_nan && *c->format == *unit.output;
    d = keeps_c ? c->bits : unit.nan();
  }
  const std::size_t step = unit.step();
  for (std::size_t first = 0; first < count; first += step) {
    const std::size_t size = std::min(step, count - first);
    rules::Block block{&read_a.format(),
                       &read_b.format(),
                       read_a.read(first, {a_bits.data(), size}),
                       read_b.read(first, {b_bits.data(), size}),
                       {},
                       {}};
    if (scales != nullptr) {
      const auto every = static_cast<std::size_t>(unit.scale_block);
      const std::size_t groups = (size + every - 1) / every;
      block.a_scales = Reader(unit.a, scales->a).read(first / every, {a_scales.data(), groups});
      block.b_scales = Reader(unit.b, scales->b).read(first / every, {b_scales.data(), groups});
    }
    d = evaluate(unit, block, d);
  }
  return {unit.output, d};
}

}  // namespace halfmark::models
