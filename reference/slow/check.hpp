// SPDX-License-Identifier: Apache-2.0
// Compares a result with its twin's: silent while they agree, with an explanation when they do not.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "reference/formats/text.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::slow {

class Checker {
 public:
  explicit Checker(std::string operation) : operation_(std::move(operation)) {}
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;
  ~Checker() {
    EXPECT_EQ(failures_, 0U) << operation_ << ": wrong results among " << checked_;
    EXPECT_GT(checked_, 0U) << operation_ << ": nothing was checked";
  }

  void expect(const soft::Result& expected, const soft::Result& actual,
              const formats::Format& result, const soft::Environment& env,
              std::initializer_list<formats::Bits> operands) {
    ++checked_;
    if (expected == actual) return;
    if (failures_++ < kExplained) explain(expected, actual, result, env, operands);
  }

 private:
  static constexpr std::uint64_t kExplained = 5;

  void explain(const soft::Result& expected, const soft::Result& actual,
               const formats::Format& result, const soft::Environment& env,
               std::initializer_list<formats::Bits> operands) const {
    std::string text = operation_ + " " + std::string(result.name) + " " +
                       std::string(soft::to_string(env.rounding)) + " " +
                       std::string(soft::to_string(env.subnormals)) + " " +
                       std::string(soft::to_string(env.overflow));
    if (env.rounding == soft::Rounding::kStochastic) {
      text += " " + std::to_string(env.random) + "/2^" + std::to_string(env.random_bits);
    }
    text += ":";
    for (const formats::Bits bits : operands) text.append(1, ' ').append(hex16(bits));
    ADD_FAILURE() << text << "\n  expected " << formats::hex(result, expected.bits) << " flags "
                  << expected.flags << " (" << formats::hex_float(result, expected.bits)
                  << ")\n  actual   " << formats::hex(result, actual.bits) << " flags "
                  << actual.flags << " (" << formats::hex_float(result, actual.bits) << ")";
  }

  static std::string hex16(formats::Bits bits) {
    char text[20];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(bits));
    return text;
  }

  std::string operation_;
  std::uint64_t checked_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace halfmark::slow
