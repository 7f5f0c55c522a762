// SPDX-License-Identifier: Apache-2.0
// The behaviour of each elementary operation of a device, as a value: the environments in which
// a reference operator is evaluated. The default machine is IEEE 754, round to nearest even,
// subnormals kept; a hypothesis about a device (flushed inputs, truncating adder, ...) is
// another machine.
#pragma once

#include "reference/soft/environment.hpp"

namespace halfmark::models {

struct Machine {
  soft::Environment add;  // and subtraction
  soft::Environment mul;
  soft::Environment fma;
  soft::Environment div;
  soft::Environment sqrt;
  soft::Environment scale;    // multiplication by a power of two (scaleB, ldexp)
  soft::Environment convert;  // between formats, such as storing fp32 as fp16

  [[nodiscard]] constexpr bool operator==(const Machine&) const = default;
};

// The same environment for every operation.
[[nodiscard]] constexpr Machine uniform_machine(const soft::Environment& env) {
  return {
      .add = env, .mul = env, .fma = env, .div = env, .sqrt = env, .scale = env, .convert = env};
}

}  // namespace halfmark::models
