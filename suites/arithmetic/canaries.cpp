// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/canaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/arithmetic/bounded.hpp"
#include "suites/arithmetic/flushes.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/core/execute/plan_builder.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using nlohmann::json;

// `right` is the IEEE result; `known_wrong` is the only wrong result with a name
// ("flushed", "fused").
struct Canary {
  std::string_view name, format, operation;
  Operands operands;
  Bits right;
  std::string_view right_word, right_meaning;
  Bits known_wrong;
  std::string_view wrong_word, wrong_meaning;
  std::string_view freedom;  // capability whose absence permits the known wrong result
};

constexpr std::string_view kKept = "subnormals survive this operation";
constexpr std::string_view kLost = "subnormals become zero in this operation";

constexpr Canary kept(std::string_view name, std::string_view format, std::string_view operation,
                      Operands operands, Bits right, std::string_view freedom) {
  return {name, format, operation, operands, right, "kept", kKept, 0, "flushed", kLost, freedom};
}

constexpr Canary exact(std::string_view name, std::string_view format, std::string_view operation,
                       Operands operands, Bits right, std::string_view meaning, Bits wrong,
                       std::string_view wrong_word, std::string_view wrong_meaning) {
  return {name,    format, operation,  operands,      right, "correct",
          meaning, wrong,  wrong_word, wrong_meaning, ""};
}

constexpr std::string_view kNear =
    "within the bound of devices that promise no correctly rounded quotients and roots";

constexpr std::string_view kFlushed = "subnormals are flushed in another way that is left open";

constexpr std::string_view kFp32Freedom = "fp32.subnormals";
constexpr std::string_view kFp16Freedom = "fp16.arithmetic.subnormals";
constexpr Bits kOne = 0x3f800000;
constexpr Bits kOneHalf = 0x3f000000;
constexpr Bits kMinNormal = 0x00800000;
constexpr Bits kMinNormalHalved = 0x00400000;

constexpr Canary kCanaries[] = {
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 when fused, and 0 when the product is rounded first.
    {"fp32.contraction",
     "fp32",
     "muladd",
     {0x3f800800, 0x3f800800, 0xbf801000},
     0,
     "separate",
     "a * b + c with contraction off is two operations",
     0x33800000,
     "fused",
     "a * b + c was fused although contraction is off",
     ""},
    {"fp32.single_rounding.fma",
     "fp32",
     "fma",
     {0x3f800800, 0x3f800800, 0xbf801000},
     0x33800000,
     "single",
     "fma rounds once",
     0,
     "double",
     "fma rounds the product before it adds",
     ""},
    kept("fp32.subnormals.add", "fp32", "add", {0x00800001, 0x80800000}, 0x00000001, kFp32Freedom),
    kept("fp32.subnormals.add.operand", "fp32", "add", {0x00000001, 0x00000001}, 0x00000002,
         kFp32Freedom),
    kept("fp32.subnormals.mul", "fp32", "mul", {kMinNormal, kOneHalf}, kMinNormalHalved,
         kFp32Freedom),
    kept("fp32.subnormals.mul.operand", "fp32", "mul", {0x00000001, 0x4b800000}, 0x01000000,
         kFp32Freedom),
    kept("fp32.subnormals.div", "fp32", "div", {kMinNormal, 0x40000000}, kMinNormalHalved,
         kFp32Freedom),
    kept("fp32.subnormals.div.operand", "fp32", "div", {kMinNormalHalved, kOneHalf}, kMinNormal,
         kFp32Freedom),
    kept("fp32.subnormals.sqrt.operand", "fp32", "sqrt", {0x00000004}, 0x1ab504f3, kFp32Freedom),
    kept("fp32.subnormals.fma", "fp32", "fma", {kOne, 0x00c00000, 0x80800000}, kMinNormalHalved,
         kFp32Freedom),
    kept("fp32.subnormals.fma.operand", "fp32", "fma", {kMinNormalHalved, 0x40000000, 1},
         0x00800001, kFp32Freedom),
    {"fp32.signed_zero.fma",
     "fp32",
     "fma",
     {0x80000000, 0, 0},
     0,
     "right",
     "fma(-0, 0, +0) is +0",
     0x80000000,
     "minus",
     "fma(-0, 0, +0) is -0: a zero addend was skipped",
     "fp32.signed_zero"},
    kept("fp32.subnormals.ldexp", "fp32", "ldexp", {kMinNormal, 0xffffffff}, kMinNormalHalved,
         kFp32Freedom),
    kept("fp32.subnormals.ldexp.operand", "fp32", "ldexp", {kMinNormalHalved, 1}, kMinNormal,
         kFp32Freedom),
    kept("fp16.subnormals.store", "fp32", "to_fp16", {0x33800000}, 0x0001, ""),
    kept("fp16.subnormals.load", "fp16", "to_fp32", {0x0001}, 0x33800000, ""),
    kept("bf16.subnormals.store", "fp32", "to_bf16", {0x00010000}, 0x0001, ""),
    exact("fp32.rounding.add", "fp32", "add", {kOne, 0x33c00000}, 0x3f800001,
          "addition rounds to nearest", kOne, "truncated", "addition truncates"),
    exact("fp32.rounding.tie", "fp32", "add", {kOne, 0x33800000}, kOne, "ties go to even",
          0x3f800001, "away", "ties go away from zero"),
    exact("fp32.division", "fp32", "div", {kOne, 0x40400000}, 0x3eaaaaab,
          "1 / 3 is correctly rounded", 0x3eaaaaaa, "truncated", "1 / 3 is one ULP low"),
    exact("fp32.square_root", "fp32", "sqrt", {0x40000000}, 0x3fb504f3,
          "sqrt(2) is correctly rounded", 0x3fb504f4, "high", "sqrt(2) is one ULP high"),
    exact("fp32.nan.invalid", "fp32", "sub", {0x7f800000, 0x7f800000}, 0x7fc00000,
          "inf - inf is NaN", 0, "zero", "inf - inf is 0"),
    exact("fp32.infinity.overflow", "fp32", "mul", {0x7f7fffff, 0x40000000}, 0x7f800000,
          "overflow gives infinity", 0x7f7fffff, "saturated", "overflow saturates"),
    exact("fp16.store.tie", "fp32", "to_fp16", {0x3f801000}, 0x3c00, "a tie goes to even", 0x3c01,
          "away", "a tie goes away from zero"),
    exact("fp16.store.above_tie", "fp32", "to_fp16", {0x3f801001}, 0x3c01,
          "just above a tie rounds up", 0x3c00, "truncated",
          "the conversion truncates, or rounds twice"),
    exact("fp16.store.overflow", "fp32", "to_fp16", {0x477ff000}, 0x7c00,
          "65520 is infinity in fp16", 0x7bff, "saturated", "65520 saturates to 65504"),
    exact("fp16.store.nan", "fp32", "to_fp16", {0x7f800001}, 0x7e00,
          "a NaN with a low payload stays NaN", 0x7c00, "infinity", "a NaN becomes infinity"),
    {"fp16.contraction",
     "fp16",
     "muladd",
     {0x3c10, 0x3c10, 0xbc20},
     0,
     "separate",
     "a * b + c in fp16 is two operations",
     0x0c00,
     "fused",
     "a * b + c in fp16 was fused although contraction is off",
     ""},
    {"fp16.single_rounding.fma",
     "fp16",
     "fma",
     {0x3c10, 0x3c10, 0xbc20},
     0x0c00,
     "single",
     "fma in fp16 rounds once",
     0,
     "double",
     "fma in fp16 rounds the product first",
     ""},
    kept("fp16.subnormals.add", "fp16", "add", {0x0401, 0x8400}, 0x0001, kFp16Freedom),
    kept("fp16.subnormals.mul", "fp16", "mul", {0x0400, 0x3800}, 0x0200, kFp16Freedom),
    kept("fp16.subnormals.fma", "fp16", "fma", {0x3c00, 0x0600, 0x8400}, 0x0200, kFp16Freedom),
};

std::string_view standing_of(bool right, bool known_wrong, const backends::Promise* promise) {
  if (right) return "ok";
  const bool permitted = known_wrong && promise != nullptr && !promise->offered;
  return permitted ? "deviation" : "violation";
}

std::string call_text(const Canary& canary, const Operation& op) {
  const Bits values[] = {canary.operands.a, canary.operands.b, canary.operands.c};
  std::string text = fmt::format("{}(", entry_name(op));
  for (int i = 0; i < op.arity; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", formats::hex(*op.operand, values[i]));
  }
  return text + ")";
}

json describe(const Canary& canary, std::string observed, std::string_view meaning,
              std::string_view standing, const backends::Promise* promise) {
  return {{"name", canary.name},
          {"operation", fmt::format("{}.{}", canary.format, canary.operation)},
          {"observed", std::move(observed)},
          {"meaning", meaning},
          {"standing", standing},
          {"claim", promise == nullptr ? "" : promise->evidence}};
}

// Quotients and roots have a bound where the device does not promise to round them correctly.
const Operation& operation_of(const Canary& canary, const backends::DeviceInfo& device) {
  const Operation& op = *find_operation(canary.format, canary.operation);
  const Operation* bounded = find_operation(canary.format, fmt::format("{}_ulp", op.name));
  return bounded == nullptr || device.offers(op.rounded_by) ? op : *bounded;
}

bool is_within_bound(const Canary& canary, const Operation& op, Bits got) {
  if (!is_bounded(op)) return false;
  const auto [low, high] = range_of(op, canary.operands);
  const std::int64_t place = formats::ordered(*op.result, got);
  return formats::ordered(*op.result, low) <= place && place <= formats::ordered(*op.result, high);
}

json judge(const Canary& canary, const DeviceResult& result, const backends::DeviceInfo& device) {
  const Operation& op = operation_of(canary, device);
  const backends::Promise* promise =
      canary.freedom.empty() ? nullptr : device.promise(canary.freedom);
  if (result.error)
    return describe(canary, "no answer: " + result.error->text, "", "unknown", promise);
  const Bits got = result.outputs.at("d").at(0);
  const bool nan = formats::is_nan(*op.result, canary.right);
  const bool right = nan ? formats::is_nan(*op.result, got) : got == canary.right;
  const bool near = !right && !nan && is_within_bound(canary, op, got);
  const bool known_wrong = got == canary.known_wrong;
  const bool open = !known_wrong && promise != nullptr && !promise->offered && may_flush(op) &&
                    is_left_open(op, canary.operands, got);
  const std::string_view word = right         ? canary.right_word
                                : near        ? "near"
                                : known_wrong ? canary.wrong_word
                                : open        ? "flushed"
                                              : "other";
  const std::string_view meaning = right         ? canary.right_meaning
                                   : near        ? kNear
                                   : known_wrong ? canary.wrong_meaning
                                   : open        ? kFlushed
                                                 : "neither the right result nor a known wrong one";
  return describe(
      canary,
      fmt::format("{}: {} = {}", word, call_text(canary, op), formats::hex(*op.result, got)),
      meaning, standing_of(right || near, known_wrong || open, promise), promise);
}

}  // namespace

json run_canaries(Session& session) {
  const backends::DeviceInfo& device = session.device().info();
  json list = json::array();
  for (const Canary& canary : kCanaries) {
    const Operation& op = operation_of(canary, device);
    Plan plan = plan_for(op, 1);
    const auto& [x, y, z] = plan.launches.front().items;
    if (!lacked(op, device).empty() || !require_group(plan, device, x * y * z)) continue;
    TensorSet inputs;
    const Bits values[] = {canary.operands.a, canary.operands.b, canary.operands.c};
    for (int i = 0; i < op.arity; ++i) {
      inputs.emplace(std::string(1, static_cast<char>('a' + i)),
                     formats::Tensor::from_bits(*op.operand, std::span(&values[i], 1)));
    }
    list.push_back(judge(canary, execute(session, plan, inputs), device));
  }
  return list;
}

json judged_canary(std::string_view name, const DeviceResult& result,
                   const backends::DeviceInfo& device) {
  const auto* found = std::ranges::find(kCanaries, name, &Canary::name);
  if (found == std::end(kCanaries)) throw std::logic_error("no such canary: " + std::string(name));
  return judge(*found, result, device);
}

}  // namespace halfmark::suites::arithmetic
