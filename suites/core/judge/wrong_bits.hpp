// SPDX-License-Identifier: Apache-2.0
// What the values of wrong elements have in common, whatever their places: which bits differ, a
// constant, a constant factor, right results in the wrong places. The other half of geometry.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reference/formats/tensor.hpp"

namespace halfmark::suites {

struct WrongBits {
  std::string ever, always;           // hex masks: bits that differ in some, in every wrong element
  std::vector<std::string> patterns;  // "the lowest 3 bits are zero"
};

/// Of integers, only what needs no reading as floating-point numbers.
[[nodiscard]] WrongBits describe_bits(std::span<const std::size_t> wrong,
                                      const formats::Tensor& expected,
                                      const formats::Tensor& actual, bool are_integers = false);

/// Right results in wrong places: displaced by a constant distance, or transposed; else empty.
[[nodiscard]] std::string describe_movement(std::size_t rows, std::size_t columns,
                                            std::span<const std::size_t> wrong,
                                            const formats::Tensor& expected,
                                            const formats::Tensor& actual);

}  // namespace halfmark::suites
