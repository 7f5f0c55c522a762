// SPDX-License-Identifier: Apache-2.0
#include "suites/rates/chains.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "reference/fast/convert.hpp"
#include "reference/fast/elementwise.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::suites::rates {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr OperationRow kOperations[] = {
    {Operation::kAdd, "add", "chain_add", true},
    {Operation::kMul, "mul", "chain_mul", true},
    {Operation::kFma, "fma", "chain_fma", true},
    {Operation::kMuladd, "muladd", "chain_muladd", true},
    {Operation::kConvert, "convert", "chain_convert", true},
    {Operation::kCopy, "copy", "stream_copy", false},
    {Operation::kTriad, "triad", "stream_triad", false},
};

// In units of the last place of 1, times 2^kPartBits: terms that are not whole numbers of units, so
// that every sum rounds, and that round to one unit as long as a chain is below 2.
constexpr std::int64_t kUpOfSums = 1434, kDownOfSums = 614;  // 1.4 and 0.6
constexpr std::int64_t kUpOfFmas = 410, kDownOfFmas = 307;   // 0.4 and 0.3, plus the product's part
constexpr int kPartBits = 10;

// 1.4 and 0.6 units of fp16 would be 0x2ccc and 0x1333 in an fp32 encoding; numbers with few bits
// work as well: 0.875 and 0.625.
constexpr Bits kConvertUp = 0x1c00, kConvertDown = 0x1400;

int ulp_exponent(const Format& format) { return 1 - format.precision(); }

Bits parts_of_ulp(const Format& format, std::int64_t parts) {
  return scaled(format, parts, ulp_exponent(format) - kPartBits);
}

Bits one_and_ulps(const Format& format, std::int64_t ulps) {
  const int exponent = ulp_exponent(format);
  return scaled(format, (std::int64_t{1} << -exponent) + ulps, exponent);
}

Tensor filled(const Format& format, std::size_t count, Bits bits) {
  Tensor tensor = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) tensor.set(i, bits);
  return tensor;
}

// The operands of a step as tensors, for the whole-tensor engine.
struct Step {
  Tensor factor, term;
};

Tensor step_of(Operation operation, const Tensor& x, const Step& step,
               const models::Machine& machine, const fast::Options& options) {
  using enum fast::Operation;
  switch (operation) {
    case Operation::kMul:
      return fast::elementwise(kMul, {x, &step.factor}, machine.mul, options);
    case Operation::kFma:
      return fast::elementwise(kFma, {x, &step.factor, &step.term}, machine.fma, options);
    case Operation::kMuladd:
      return step_of(Operation::kAdd, step_of(Operation::kMul, x, step, machine, options), step,
                     machine, options);
    case Operation::kAdd:
    case Operation::kConvert:
    case Operation::kCopy:
    case Operation::kTriad:
      break;
  }
  return fast::elementwise(kAdd, {x, &step.term}, machine.add, options);
}

// The rounds taken under a mistake, and the operation that performs them.
std::uint64_t rounds_taken(std::uint64_t rounds, const Mistake& mistake) {
  if (mistake.skips_a_round) return rounds - std::min<std::uint64_t>(rounds, 1);
  return mistake.skips_half ? rounds / 2 : rounds;
}

Operation operation_taken(Operation operation, const Mistake& mistake) {
  if (mistake.fuses && operation == Operation::kMuladd) return Operation::kFma;
  if (mistake.splits && operation == Operation::kFma) return Operation::kMuladd;
  return operation;
}

Tensor converted_rounds(Tensor x, std::uint64_t rounds, const models::Machine& machine,
                        const fast::Options& options) {
  const Format& half = *x.format;
  const auto step = [&](Bits move) {
    Tensor wide = fast::convert(x, formats::kFp32, machine.convert, options);
    for (std::size_t i = 0; i < wide.count(); ++i) wide.set(i, (wide.at(i) + move) & 0xffffffffu);
    x = fast::convert(wide, half, machine.convert, options);
  };
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < kUpSteps; ++i) step(kConvertUp);
    for (int i = 0; i < kDownSteps; ++i) step(-kConvertDown);
  }
  return x;
}

}  // namespace

const OperationRow& operation_row(std::string_view word) {
  return *std::ranges::find(kOperations, word, &OperationRow::word);
}

StepOperands step_operands(Operation operation, const Format& format) {
  if (operation == Operation::kConvert)
    return {.factor_up = 0, .term_up = kConvertUp, .factor_down = 0, .term_down = kConvertDown};
  const bool is_fma = operation == Operation::kFma;
  // A unit below 1 is half of one above it. For products one of them suffices: with two, values at
  // 1.5 would return to where they were, and rounds would not be visible.
  const int exponent = ulp_exponent(format) - 1;
  const std::int64_t units = operation == Operation::kMul ? 1 : 2;
  const Bits below_one = scaled(format, (std::int64_t{1} << -exponent) - units, exponent);
  return {.factor_up = one_and_ulps(format, 1),
          .term_up = parts_of_ulp(format, is_fma ? kUpOfFmas : kUpOfSums),
          .factor_down = below_one,
          .term_down = parts_of_ulp(format, is_fma ? -kDownOfFmas : -kDownOfSums)};
}

Bits triad_factor(const Format& format) { return one_and_ulps(format, 3); }

std::uint64_t most_rounds(const Format& format) {
  const std::uint64_t units = std::uint64_t{1} << std::min(format.precision() - 1, 10);
  return units / 2;
}

Tensor first_values(const Format& format, std::size_t count, std::uint64_t key) {
  const Random random(key);
  const std::uint64_t units = std::uint64_t{1} << (format.precision() - 1);
  Tensor tensor = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t ulps = kUpSteps + random.below(i % kPeriod, units / 4);
    tensor.set(i, one_and_ulps(format, static_cast<std::int64_t>(ulps)));
  }
  return tensor;
}

Tensor after_rounds(Operation operation, const Tensor& first, std::uint64_t rounds,
                    const models::Machine& machine, const Mistake& mistake) {
  const Format& format = *first.format;
  const fast::Options options{.threads = 1};
  const std::uint64_t taken = rounds_taken(rounds, mistake);
  if (operation == Operation::kConvert) return converted_rounds(first, taken, machine, options);
  const StepOperands operands = step_operands(operation, format);
  const auto widened = [&](Tensor tensor) {
    return mistake.is_wide ? fast::convert(tensor, formats::kFp32) : std::move(tensor);
  };
  const auto step_with = [&](Bits factor, Bits term) {
    return Step{.factor = widened(filled(format, first.count(), factor)),
                .term = widened(filled(format, first.count(), term))};
  };
  const Step up = step_with(operands.factor_up, operands.term_up);
  const Step down = step_with(operands.factor_down, operands.term_down);
  const Operation step = operation_taken(operation, mistake);
  Tensor x = widened(first);
  for (std::uint64_t round = 0; round < taken; ++round) {
    for (int i = 0; i < kUpSteps; ++i) x = step_of(step, x, up, machine, options);
    for (int i = 0; i < kDownSteps; ++i) x = step_of(step, x, down, machine, options);
  }
  return mistake.is_wide ? fast::convert(x, format, machine.convert, options) : x;
}

}  // namespace halfmark::suites::rates
