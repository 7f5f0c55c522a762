// SPDX-License-Identifier: Apache-2.0
// A reproducible stream of problems for a matrix unit, weighted towards those that distinguish
// models: terms at the edge of the grid, ties of the last rounding, cancellation, subnormals,
// special values.
#pragma once

#include "reference/slow/operands.hpp"
#include "reference/slow/unit.hpp"

namespace halfmark::slow {

class UnitProblems {
 public:
  UnitProblems(const models::Unit& unit, std::uint64_t seed) : unit_(unit), operands_(seed) {}

  [[nodiscard]] UnitProblem next();

 private:
  [[nodiscard]] std::size_t below(std::size_t bound) { return operands_.word() % bound; }
  [[nodiscard]] Bits finite(const Format& f);
  [[nodiscard]] Bits of_exponent(const Format& f, int exponent);
  [[nodiscard]] Bits power(const Format& f, int exponent);
  [[nodiscard]] int split(const UnitProblem& p, int target);
  void set_product(UnitProblem& p, std::size_t k, int exponent, bool lone);
  void fill(UnitProblem& p, int spread, int centre);
  [[nodiscard]] int set_large(UnitProblem& p, std::size_t k, int exponent);
  void scale_by(UnitProblem& p, std::size_t block, int exponent);
  void clear(UnitProblem& p);
  [[nodiscard]] int grid_bits() const;
  int large_exponent(const UnitProblem& p);
  int scale_down(UnitProblem& p, int large);
  void edge(UnitProblem& p);
  void edge_of_groups(UnitProblem& p);
  void only_c(UnitProblem& p);
  void cancel(UnitProblem& p);
  void add_specials(UnitProblem& p);
  void add_zeros(UnitProblem& p);
  void add_scales(UnitProblem& p);
  [[nodiscard]] models::Encoded addend(int centre, int spread);

  const models::Unit& unit_;
  Operands operands_;
};

// The result of the model under test for such a problem.
[[nodiscard]] Bits fast_unit_dot(const models::Unit& unit, const UnitProblem& problem);

}  // namespace halfmark::slow
