// SPDX-License-Identifier: Apache-2.0
// Sums whose order depends on their place in the matrix: a library's kernels for the rows and
// columns that no whole tile covers often sum in another order than its main kernel. Decides which
// place has which order, and the name of it all:
//
//   fp32.sequential.fma@fp32.strided-16.fma:r32c0-15@fp32.strided-16-halves.fma:r32c16
//
// is the first arithmetic everywhere but in row 32, of which the columns 0 to 15 have the second
// and column 16 has the third. Rows and columns count from 0; a comma separates rectangles.
//
// Only the order may depend on the place: format, step and everything else are those of the usual
// arithmetic, so that no loss of accuracy at an edge gets a name here.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/inference/hypothesis.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The rows from `row` to `last_row` of the columns from `column` to `last_column`.
struct Rectangle {
  std::size_t row = 0, last_row = 0, column = 0, last_column = 0;

  [[nodiscard]] bool operator==(const Rectangle&) const = default;
  [[nodiscard]] bool holds(std::size_t i, std::size_t j) const {
    return row <= i && i <= last_row && column <= j && j <= last_column;
  }
};

struct Region {
  models::Arithmetic arithmetic;
  std::vector<Rectangle> rectangles;

  [[nodiscard]] bool operator==(const Region&) const = default;
};

struct Places {
  models::Arithmetic usual;
  std::vector<Region> others = {};

  [[nodiscard]] bool operator==(const Places&) const = default;
};

[[nodiscard]] std::string print(const Places& places);
[[nodiscard]] std::optional<Places> parse_places(std::string_view name);

/// D of a problem with rows of `rows` and `columns` places, over and over: evaluate(arithmetic) is
/// D with that arithmetic everywhere.
[[nodiscard]] formats::Tensor by_place(
    const Places& places, const operators::GemmProblem& problem, std::size_t rows,
    std::size_t columns, const std::function<formats::Tensor(const models::Arithmetic&)>& evaluate);

/// Random data, in the inference's ways, for one output in each of m x n places; consecutive seeds
/// give a place every kind of column.
[[nodiscard]] inference::Question question_of_all(const inference::Laboratory& laboratory,
                                                  std::size_t m, std::size_t n, std::uint64_t seed);

/// Asks about D of the case's m x n: random operands from a seed, and the box's answer.
using AskAll = std::function<inference::Observation(std::uint64_t seed)>;

struct PlacesFound {
  Places places;
  std::size_t outputs = 0;               // fresh ones, all explained
  std::vector<std::string> others = {};  // that explain the same places as well
};

/// The arithmetic that explains most places, of one or more with the same conversions, and the
/// places where the order differs, confirmed on fresh data; none if some place has no order of
/// those tried.
[[nodiscard]] std::optional<PlacesFound> find_places(std::span<const inference::Hypothesis> usual,
                                                     const AskAll& ask, std::uint64_t seed);

}  // namespace halfmark::suites::gemm
