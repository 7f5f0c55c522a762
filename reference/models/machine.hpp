// SPDX-License-Identifier: Apache-2.0
// How each elementary operation of a device behaves, as a value: what an operator of the reference
// is evaluated with. The default machine is IEEE 754 to nearest even with subnormals kept; a
// hypothesis about a device (inputs flushed, truncating adder, ...) is another machine.
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
  soft::Environment convert;  // between formats, as in storing fp32 as fp16

  [[nodiscard]] constexpr bool operator==(const Machine&) const = default;
};

// The same environment for every operation.
[[nodiscard]] constexpr Machine uniform_machine(const soft::Environment& env) {
  return {
      .add = env, .mul = env, .fma = env, .div = env, .sqrt = env, .scale = env, .convert = env};
}

}  // namespace halfmark::models
