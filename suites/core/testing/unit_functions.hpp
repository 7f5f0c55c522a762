// SPDX-License-Identifier: Apache-2.0
// Functions of a device that exists in tests alone: those of the host in double, cut to 20 bits, so
// that no other function of a recipe gives their bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "suites/core/suite/own_functions.hpp"

namespace halfmark::suites::testing_support {

inline float cut(double exact) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(exact)) & ~0xfU);
}

class UnitFunctions final : public OwnFunctions {
 public:
  [[nodiscard]] bool offers(std::string_view) const override { return true; }
  [[nodiscard]] std::vector<float> values(std::string_view function,
                                          std::span<const float> arguments) override {
    std::vector<float> results;
    for (const float x : arguments) results.push_back(cut(value(function, x)));
    ++questions;
    return results;
  }

  int questions = 0;

 private:
  static double value(std::string_view function, double x) {
    if (function == "exp") return std::exp(x);
    if (function == "log") return std::log(x);
    if (function == "rsqrt") return 1 / std::sqrt(x);
    if (function == "fast-recip") return 1 / x;
    throw std::logic_error("no such function");
  }
};

}  // namespace halfmark::suites::testing_support
