// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/operations.hpp"

#include <fmt/format.h>

#include "suites/core/execute/provider.hpp"

namespace halfmark::suites::arithmetic {

std::int32_t exponent_of(formats::Bits bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

using formats::Bits;
using formats::Format;
using models::Machine;

Bits fma(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::fma(f, x.a, x.b, x.c, m.fma).bits;
}

Bits muladd(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::add(f, soft::mul(f, x.a, x.b, m.mul).bits, x.c, m.add).bits;
}

namespace {

Bits add(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::add(f, x.a, x.b, m.add).bits;
}
Bits sub(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::sub(f, x.a, x.b, m.add).bits;
}
Bits mul(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::mul(f, x.a, x.b, m.mul).bits;
}
Bits div(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::div(f, x.a, x.b, m.div).bits;
}
Bits sqrt(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::sqrt(f, x.a, m.sqrt).bits;
}
Bits rint(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::rint(f, x.a).bits;
}
Bits ldexp(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::ldexp(f, x.a, exponent_of(x.b), m.scale).bits;
}
Bits lt(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::lt(f, x.a, x.b).bits;
}
Bits eq(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::eq(f, x.a, x.b).bits;
}
Bits convert(const Format& f, const Format& to, const Operands& x, const Machine& m) {
  return soft::convert(f, to, x.a, m.convert).bits;
}

// fp16 in memory, one operation in fp32, one more rounding. The result equals that of the fp16
// operation, because fp32 has more than 2 * 11 + 1 bits (Figueroa, "When is double rounding
// innocuous?", 1995). On a machine that rounds differently each step is separate.
template <Bits (*kOperation)(const Format&, const Format&, const Operands&, const Machine&)>
Bits in_fp32(const Format& f, const Format& to, const Operands& x, const Machine& m) {
  const Format& wide = formats::kFp32;
  const Operands widened{.a = soft::convert(f, wide, x.a, m.convert).bits,
                         .b = soft::convert(f, wide, x.b, m.convert).bits};
  return soft::convert(wide, to, kOperation(wide, wide, widened, m), m.convert).bits;
}

const Format* const kHalf = &formats::kFp16;
const Format* const kSingle = &formats::kFp32;
const Format* const kBrain = &formats::kBf16;
constexpr std::string_view kHalfArithmetic = "fp16.arithmetic";
constexpr std::string_view kRounded = "fp32.divide_sqrt_correctly_rounded";
constexpr std::string_view kHalfRounded = "fp16.arithmetic.divide_sqrt_correctly_rounded";

// bf16 conversions are integer code of the prelude: they need only fp32 storage from the device.
const Operation kOperations[] = {
    {"fp32", "add", 2, kSingle, kSingle, "", add},
    {"fp32", "sub", 2, kSingle, kSingle, "", sub},
    {"fp32", "mul", 2, kSingle, kSingle, "", mul},
    {"fp32", "div", 2, kSingle, kSingle, "", div, kRounded},
    {"fp32", "div_ulp", 2, kSingle, kSingle, "", div, kRounded, operators::Ulps::and_a_half(2)},
    {"fp32", "sqrt", 1, kSingle, kSingle, "", sqrt, kRounded},
    {"fp32", "sqrt_ulp", 1, kSingle, kSingle, "", sqrt, kRounded, 3},
    {"fp32", "fma", 3, kSingle, kSingle, "", fma},
    {"fp32", "muladd", 3, kSingle, kSingle, "", muladd},
    {"fp32", "rint", 1, kSingle, kSingle, "", rint},
    {"fp32", "ldexp", 2, kSingle, kSingle, "", ldexp},
    {"fp32", "lt", 2, kSingle, kSingle, "", lt},
    {"fp32", "eq", 2, kSingle, kSingle, "", eq},
    {"fp32", "to_fp16", 1, kSingle, kHalf, "fp16.storage", convert},
    {"fp32", "to_bf16", 1, kSingle, kBrain, "", convert},
    {"fp16", "to_fp32", 1, kHalf, kSingle, "fp16.storage", convert},
    {"bf16", "to_fp32", 1, kBrain, kSingle, "", convert},
    {"fp16", "add_in_fp32", 2, kHalf, kHalf, "fp16.storage", in_fp32<add>},
    {"fp16", "sub_in_fp32", 2, kHalf, kHalf, "fp16.storage", in_fp32<sub>},
    {"fp16", "mul_in_fp32", 2, kHalf, kHalf, "fp16.storage", in_fp32<mul>},
    {"fp16", "div_in_fp32", 2, kHalf, kHalf, kRounded, in_fp32<div>},
    {"fp16", "add", 2, kHalf, kHalf, kHalfArithmetic, add},
    {"fp16", "sub", 2, kHalf, kHalf, kHalfArithmetic, sub},
    {"fp16", "mul", 2, kHalf, kHalf, kHalfArithmetic, mul},
    {"fp16", "div", 2, kHalf, kHalf, kHalfArithmetic, div, kHalfRounded},
    {"fp16", "div_ulp", 2, kHalf, kHalf, kHalfArithmetic, div, kHalfRounded, 1},
    {"fp16", "sqrt", 1, kHalf, kHalf, kHalfArithmetic, sqrt, kHalfRounded},
    {"fp16", "sqrt_ulp", 1, kHalf, kHalf, kHalfArithmetic, sqrt, kHalfRounded,
     operators::Ulps::and_a_half(1)},
    {"fp16", "fma", 3, kHalf, kHalf, kHalfArithmetic, fma},
    {"fp16", "muladd", 3, kHalf, kHalf, kHalfArithmetic, muladd},
};

constexpr std::uint32_t kGroupItems = 64;
constexpr const char* kOperandNames[] = {"a", "b", "c"};

}  // namespace

std::span<const Operation> operations() { return kOperations; }

std::string_view lacked(const Operation& operation, const backends::DeviceInfo& device) {
  if (lacks_full_profile(device)) return kFullProfile;
  if (!operation.needs.empty() && !device.offers(operation.needs)) return operation.needs;
  const bool may_err = is_bounded(operation) || operation.rounded_by.empty();
  return may_err || device.offers(operation.rounded_by) ? "" : operation.rounded_by;
}

bool is_half_arithmetic(const Operation& operation) { return operation.needs == kHalfArithmetic; }

bool is_bounded(const Operation& operation) { return operation.ulps != operators::Ulps(); }

namespace {

constexpr std::string_view kInFp32 = "_in_fp32";
constexpr std::string_view kUlp = "_ulp";

std::string_view without(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

}  // namespace

bool is_in_fp32(const Operation& operation) { return operation.name.ends_with(kInFp32); }

std::string_view entry_name(const Operation& operation) { return without(operation.name, kUlp); }

std::string_view plain_name(const Operation& operation) {
  return without(entry_name(operation), kInFp32);
}

const Operation* find_operation(std::string_view format, std::string_view name) {
  for (const Operation& operation : kOperations) {
    if (operation.format == format && operation.name == name) return &operation;
  }
  return nullptr;
}

Plan plan_for(const Operation& operation, std::size_t count) {
  Plan plan;
  Launch launch{
      .family = "arithmetic",
      .defines = {},
      .entry = fmt::format("{}_{}", operation.format, entry_name(operation)),
      .groups = {static_cast<std::uint32_t>((count + kGroupItems - 1) / kGroupItems), 1, 1},
      .items = {kGroupItems, 1, 1},
      .arguments = {}};
  for (int i = 0; i < operation.arity; ++i) {
    plan.tensors.push_back({.name = kOperandNames[i],
                            .format = operation.operand,
                            .count = count,
                            .role = Role::kInput});
    launch.arguments.emplace_back(TensorRef{kOperandNames[i]});
  }
  plan.tensors.push_back(
      {.name = "d", .format = operation.result, .count = count, .role = Role::kOutput});
  launch.arguments.emplace_back(TensorRef{"d"});
  launch.arguments.emplace_back(static_cast<std::int32_t>(count));
  plan.launches.push_back(std::move(launch));
  return plan;
}

}  // namespace halfmark::suites::arithmetic
