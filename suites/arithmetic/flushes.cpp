// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/flushes.hpp"

#include <algorithm>
#include <vector>

#include "reference/formats/classify.hpp"
#include "suites/arithmetic/bounded.hpp"
#include "suites/core/judge/judge.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;
using models::Machine;
using operators::readings;
using soft::Rounding;

bool is_below_normal(const Format& f, Bits bits) {
  return formats::magnitude(f, bits) < formats::min_normal(f);
}

Bits rounded(const Operation& op, const Operands& x, Rounding rounding) {
  return op.evaluate(*op.operand, *op.result, x, models::uniform_machine({.rounding = rounding}));
}

// Before it is rounded; a zero is no subnormal number.
bool is_subnormal_result(const Operation& op, const Operands& x) {
  const Format& f = *op.result;
  if (!is_below_normal(f, rounded(op, x, Rounding::kTowardZero))) return false;
  return !formats::is_zero(f, rounded(op, x, Rounding::kUp)) ||
         !formats::is_zero(f, rounded(op, x, Rounding::kDown));
}

bool is_comparison(const Operation& op) { return op.name == "lt" || op.name == "eq"; }

// With the operands as they were read.
bool gives(const Operation& op, const Operands& x, Bits result) {
  const Format& f = *op.result;
  if (is_bounded(op)) return operators::is_within_or_flushed(f, range_of(op, x), result);
  if (agrees(f, op.evaluate(*op.operand, f, x, Machine{}), result, 0)) return true;
  return !is_comparison(op) && formats::is_zero(f, result) && is_subnormal_result(op, x);
}

// Two operations, the first of which may flush its result, and the second read it as a zero.
bool gives_in_two(const Operands& x, const Format& f, Bits result) {
  const Operation& mul = *find_operation(f.name, "mul");
  const Operation& add = *find_operation(f.name, "add");
  std::vector<Bits> products = readings(f, mul.evaluate(f, f, x, Machine{}));
  if (is_subnormal_result(mul, x))
    products.insert(products.end(), {formats::zero(f), formats::zero(f, true)});
  return std::ranges::any_of(
      products, [&](Bits product) { return gives(add, {.a = product, .b = x.c}, result); });
}

}  // namespace

bool may_flush(const Operation& operation) {
  const bool converts = operation.operand != operation.result;
  return !converts && !is_in_fp32(operation);
}

bool is_left_open(const Operation& op, const Operands& x, Bits result) {
  const Format& f = *op.operand;
  const bool scales = op.name == "ldexp";
  for (const Bits a : readings(f, x.a)) {
    for (const Bits b : scales ? std::vector<Bits>{x.b} : readings(f, x.b)) {
      for (const Bits c : readings(f, x.c)) {
        const Operands read{.a = a, .b = b, .c = c};
        const bool is_it =
            op.name == "muladd" ? gives_in_two(read, f, result) : gives(op, read, result);
        if (is_it) return true;
      }
    }
  }
  return false;
}

Hypothesis flushes_as_left_open(const Operation& operation, const TensorSet& outputs) {
  return {.name = "flushes-as-left-open",
          .finding_class = "ftz",
          .sentence =
              "subnormals are flushed within what is left open, in a way that no single "
              "rule explains",
          .evaluate = [&operation, got = outputs.at("d")](const Case&,
                                                          const TensorSet& in) -> Expectation {
            formats::Tensor d = formats::Tensor::zeros(*operation.result, in.at("a").count());
            for (std::size_t i = 0; i < d.count(); ++i) {
              const Operands x = operands_at(in, i);
              const bool is_open = i < got.count() && is_left_open(operation, x, got.at(i));
              d.set(i, is_open ? got.at(i)
                               : operation.evaluate(*operation.operand, *operation.result, x, {}));
            }
            TensorSet out;
            out.emplace("d", std::move(d));
            return {std::move(out)};
          },
          .freedoms = {"operation_subnormals"},
          .tier = 1};
}

}  // namespace halfmark::suites::arithmetic
