// SPDX-License-Identifier: Apache-2.0
// Where the wrong elements of an output lie and what their bits have in common: the first things
// that an engineer looks for in a dump. Decides which regularities are worth reporting; names no
// cause (the diagnosis does). Reports a regularity only if chance is an unlikely explanation.
// Assumes: outputs are dense rows of `columns` elements.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "reference/formats/tensor.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::suites {

/// An output as a matrix; batches are additional rows.
struct Extent {
  std::size_t rows = 1, columns = 0;
};

/// `wrong` holds ascending indices, at least one. Without values (elements that were never written,
/// or that differ from run to run) only the positions are described.
[[nodiscard]] Geometry describe_geometry(const std::string& tensor, Extent extent,
                                         std::span<const std::size_t> wrong);
[[nodiscard]] Geometry describe_geometry(const std::string& tensor, Extent extent,
                                         std::span<const std::size_t> wrong,
                                         const formats::Tensor& expected,
                                         const formats::Tensor& actual, bool are_integers = false);

}  // namespace halfmark::suites
