// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the functions of two operands: compares one pair in one environment
// with MPFR.
#pragma once

#include "reference/slow/check.hpp"
#include "reference/slow/mpfr_binary_functions.hpp"
#include "reference/soft/binary_functions.hpp"

namespace halfmark::slow {

class BinaryChecker {
 public:
  BinaryChecker(const soft::BinaryFunction& function, const formats::Format& f)
      : function_(function), f_(f), checker_(std::string(function.name)) {}

  void expect(Bits a, Bits b, const soft::Environment& env) {
    const mpfr::FunctionValue value = mpfr::value_of(function_.name, f_, a, b, env);
    checker_.expect(mpfr::rounded(value, f_, env), function_.evaluate(f_, a, b, env), f_, env,
                    {a, b});
  }

 private:
  soft::BinaryFunction function_;
  formats::Format f_;
  Checker checker_;
};

}  // namespace halfmark::slow
