// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/formats/classify.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;
using models::Machine;
using soft::Rounding;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, name) != list.end();
}

bool is_conversion(const Operation& op) { return op.name.starts_with("to_"); }

// The operation itself where `..._in_fp32` is fp16 arithmetic by way of fp32.
const Operation& plain(const Operation& op) {
  const Operation* found = find_operation(op.format, plain_name(op));
  return found == nullptr ? op : *found;
}

// --- more bits first -----------------------------------------------------------------------------

// One operation with `bits` of precision, then the result's format.
Bits in_two_roundings(const Operation& op, int bits, Rounding first, const Operands& x) {
  const Format& from = *op.operand;
  const Format wide = of_precision(bits);
  const Machine machine = models::uniform_machine({.rounding = first});
  if (is_conversion(op)) {
    const Bits between = soft::convert(from, wide, x.a, machine.convert).bits;
    return soft::convert(wide, *op.result, between).bits;
  }
  const auto widened = [&](Bits operand) { return soft::convert(from, wide, operand).bits; };
  const Operands all{.a = widened(x.a), .b = widened(x.b), .c = widened(x.c)};
  return soft::convert(wide, *op.result, op.evaluate(wide, wide, all, machine)).bits;
}

struct Precisions {
  int least = 0, most = -1;
};

// With more bits the first rounding changes nothing (Figueroa 1995), except that of a
// fused product.
Precisions rounded_precisions(const Operation& op) {
  constexpr int kMost = formats::kFp64.precision();
  const int least = op.result->precision() + 1;
  if (is_conversion(op)) return {least, op.operand->precision() - 1};
  if (is_one_of(op.name, {"fma", "muladd"})) return {least, kMost};
  if (is_one_of(op.name, {"add", "sub", "mul", "div", "sqrt"}))
    return {least, std::min(kMost, 2 * op.result->precision() + 1)};
  return {};
}

// departures.cpp has the one through fp32.
Member rounded_first(const Operation& op, int bits) {
  const bool is_fp64 = bits == formats::kFp64.precision();
  const std::string words = is_fp64 ? "fp64" : fmt::format("{} bits", bits);
  const Format* unit = is_fp64                              ? &formats::kFp64
                       : bits == formats::kFp32.precision() ? &formats::kFp32
                                                            : nullptr;
  const auto evaluate = [&op, bits](const Operands& x) {
    return in_two_roundings(op, bits, Rounding::kNearEven, x);
  };
  if (op.name == "muladd") {
    return {is_fp64 ? "kept-to-fp64" : fmt::format("kept-to-{}-bits", bits), "excess_precision",
            fmt::format("product and sum are kept to {}, and only the result is rounded to {}",
                        words, op.result->name),
            evaluate, unit};
  }
  return {is_fp64 ? "through-fp64" : fmt::format("rounded-first-to-{}-bits", bits), "double_round",
          fmt::format("results are rounded to {} first, and then to {}", words, op.result->name),
          evaluate, unit};
}

// The widest comes first: of those that no data tell apart, fp64 is the likely one.
void add_rounded_first(std::vector<Member>& list, const Operation& named) {
  const Operation& op = plain(named);
  const auto [least, most] = rounded_precisions(op);
  const bool has_fp64 = most == formats::kFp64.precision();
  if (has_fp64) list.push_back(rounded_first(op, most));
  for (int bits = least; bits <= (has_fp64 ? most - 1 : most); ++bits) {
    const bool is_known = op.name == "fma" && op.format == "fp16" && bits == 24;
    if (!is_known) list.push_back(rounded_first(op, bits));
  }
}

// What was cut off no longer decides a tie.
void add_cut_first(std::vector<Member>& list, const Operation& named) {
  const Operation& op = plain(named);
  Precisions range = rounded_precisions(op);
  if (op.name == "muladd" || range.most < range.least) return;
  if (!is_conversion(op)) range.most = formats::kFp64.precision();
  for (int bits = range.least; bits <= range.most; ++bits) {
    list.push_back({fmt::format("cut-first-to-{}-bits", bits), "rounding",
                    fmt::format("results are cut to {} bits before they are rounded", bits),
                    [&op, bits](const Operands& x) {
                      return in_two_roundings(op, bits, Rounding::kTowardZero, x);
                    }});
  }
}

// --- subnormal results ---------------------------------------------------------------------------

struct Direction {
  std::string_view key, words;
  Rounding rounding;
};

constexpr Direction kDirections[] = {
    {"toward-zero", "toward zero", Rounding::kTowardZero},
    {"down", "toward minus infinity", Rounding::kDown},
    {"up", "toward plus infinity", Rounding::kUp},
    {"near-away", "to nearest, ties away from zero", Rounding::kNearAway},
};

// In `..._in_fp32` only the last conversion may give a subnormal number.
Machine rounding_machine(const Operation& op, Rounding rounding) {
  if (!is_in_fp32(op)) return models::uniform_machine({.rounding = rounding});
  Machine machine;
  machine.convert.rounding = rounding;
  return machine;
}

Bits with_tiny_rounded(const Operation& op, Rounding rounding, const Operands& x) {
  const auto evaluate = [&](const Machine& machine) {
    return op.evaluate(*op.operand, *op.result, x, machine);
  };
  const Bits nearest = evaluate(Machine{});
  const Bits cut = evaluate(rounding_machine(op, Rounding::kTowardZero));
  if (!formats::is_zero(*op.result, cut) && !formats::is_subnormal(*op.result, cut)) return nearest;
  const Bits other = evaluate(rounding_machine(op, rounding));
  const bool is_exact_zero =
      formats::is_zero(*op.result, other) && formats::is_zero(*op.result, nearest);
  return is_exact_zero ? nearest : other;
}

void add_tiny_rounded(std::vector<Member>& list, const Operation& op) {
  const bool is_other = is_one_of(op.name, {"lt", "eq", "rint", "muladd", "to_fp32"});
  if (is_other) return;
  for (const Direction& d : kDirections) {
    list.push_back({fmt::format("subnormal-results-round-{}", d.key), "rounding",
                    fmt::format("subnormal results are rounded {}, all others correctly", d.words),
                    [&op, rounding = d.rounding](const Operands& x) {
                      return with_tiny_rounded(op, rounding, x);
                    }});
  }
}

// --- aligned terms -------------------------------------------------------------------------------

// Removes the bits below 2^place, toward zero.
Bits cut_at(const Format& f, Bits bits, int place) {
  const int lost = place - formats::last_place(f, bits);
  if (lost <= 0) return bits;
  if (lost > f.fraction_bits) return bits & f.sign_mask();
  return bits >> lost << lost;
}

Bits aligned_sum(const Format& f, Bits a, Bits b, int guard_bits) {
  if (formats::is_finite(f, a) && formats::is_finite(f, b)) {
    if (formats::magnitude(f, a) < formats::magnitude(f, b)) std::swap(a, b);
    b = cut_at(f, b, formats::last_place(f, a) - guard_bits);
  }
  return soft::add(f, a, b).bits;
}

void add_aligned(std::vector<Member>& list, const Operation& op) {
  const std::string_view name = plain_name(op);
  if (!is_one_of(name, {"add", "sub"})) return;
  for (int guard_bits = 0; guard_bits <= op.operand->fraction_bits; ++guard_bits) {
    list.push_back({fmt::format("aligned-with-{}-guard-bits", guard_bits), "rounding",
                    fmt::format("of the smaller term, only {} bits below the last place of the "
                                "greater one take part",
                                guard_bits),
                    [&op, guard_bits, negates = name == "sub"](const Operands& x) {
                      const Format& f = *op.operand;
                      const Bits b = negates ? soft::neg(f, x.b) : x.b;
                      return aligned_sum(f, x.a, b, guard_bits);
                    }});
  }
}

}  // namespace

std::vector<Member> intermediate_roundings(const Operation& operation) {
  std::vector<Member> list;
  add_tiny_rounded(list, operation);
  add_rounded_first(list, operation);
  add_aligned(list, operation);
  add_cut_first(list, operation);
  return list;
}

std::vector<Member> families(const Operation& operation) {
  std::vector<Member> all;
  for (auto* family : {intermediate_roundings, reciprocals, scalings}) {
    std::vector<Member> some = family(operation);
    std::ranges::move(some, std::back_inserter(all));
  }
  return all;
}

}  // namespace halfmark::suites::arithmetic
