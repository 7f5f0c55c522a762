// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the elementary functions: compares one operand in one environment
// with MPFR.
#pragma once

#include "reference/formats/classify.hpp"
#include "reference/slow/check.hpp"
#include "reference/slow/mpfr_functions.hpp"
#include "reference/soft/functions.hpp"

namespace halfmark::slow {

// Checks a function of a format against MPFR. It evaluates each operand once and rounds the value
// in every environment.
class FunctionChecker {
 public:
  FunctionChecker(const soft::Function& function, const formats::Format& f)
      : function_(function),
        id_(mpfr::find_function(function.name)),
        f_(f),
        checker_(std::string(function.name)) {}

  [[nodiscard]] mpfr::Function id() const { return id_; }

  void expect(Bits a, const mpfr::FunctionValue& value, const soft::Environment& env) {
    const bool flushed = env.flushes_in() && formats::is_subnormal(f_, a);
    const soft::Result expected =
        flushed ? mpfr::rounded(mpfr::value_at_zero(id_, formats::sign(f_, a)), f_, env)
                : mpfr::rounded(value, f_, env);
    checker_.expect(expected, function_.evaluate(f_, a, env), f_, env, {a});
  }
  void expect(Bits a, std::span<const soft::Environment> environments) {
    const mpfr::FunctionValue value = mpfr::value_of(id_, f_, a);
    for (const soft::Environment& env : environments) expect(a, value, env);
  }

  // For results that the caller knows.
  void expect(Bits a, const soft::Result& expected, const soft::Environment& env) {
    checker_.expect(expected, function_.evaluate(f_, a, env), f_, env, {a});
  }

 private:
  soft::Function function_;
  mpfr::Function id_;
  formats::Format f_;
  Checker checker_;
};

}  // namespace halfmark::slow
