// SPDX-License-Identifier: Apache-2.0
// What the tokens of a gemm case mean: formats, the operator's problem, scalars, epilogue and the
// layout of every matrix. bind() alone takes tokens apart; the other files of the folder share the
// result.
#pragma once

#include <array>
#include <span>

#include "reference/operators/gemm.hpp"
#include "suites/core/suite/suite.hpp"
#include "suites/gemm/epilogue.hpp"
#include "suites/gemm/scaling.hpp"
#include "suites/gemm/variants.hpp"
#include "suites/gemm/view.hpp"

namespace halfmark::suites::gemm {

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
/// The fills of A and B, in the order of the axis.
[[nodiscard]] std::span<const std::string_view> fill_names();

struct Binding {
  const formats::Format* operands = nullptr;       // of A
  const formats::Format* operands_of_b = nullptr;  // the same, except of two formats of 8 bits
  const formats::Format* accumulator = nullptr;
  const formats::Format* output = nullptr;
  const Variant* variant = nullptr;
  std::string provider, fill;
  bool transpose_a = false, transpose_b = false;
  operators::GemmProblem problem;  // of the dense matrices that the views show
  View a, b, c, d;

  [[nodiscard]] bool is_mixed() const { return *operands != *operands_of_b; }
  [[nodiscard]] bool has_c() const { return variant->scaled; }
  [[nodiscard]] bool is_portable() const { return provider == "portable"; }
};

[[nodiscard]] Binding bind(const Case& c);

/// The operands of a case, gathered through their views into dense matrices. C and the bias are
/// empty if the case has none.
struct Operands {
  formats::Tensor a, b, c, bias;
};
[[nodiscard]] Operands operands_of(const Binding& bound, const TensorSet& inputs);

/// Applies what follows the sum, in fp32 and in this order: alpha and beta * C, the bias, the
/// activation, one conversion to the output format. Returns a dense matrix.
[[nodiscard]] formats::Tensor finish(const Binding& bound, const formats::Tensor& sums,
                                     const Operands& operands, const models::Machine& machine,
                                     Scaling scaling = Scaling::kSpecified);

/// The dense sums without epilogue, under an arithmetic.
[[nodiscard]] formats::Tensor sums_of(const Binding& bound, const Operands& operands,
                                      const models::Arithmetic& arithmetic,
                                      const models::Machine& machine);

/// D, dense, with sums under the given arithmetic.
[[nodiscard]] formats::Tensor evaluate(const Binding& bound, const Operands& operands,
                                       const models::Arithmetic& arithmetic,
                                       const models::Machine& machine,
                                       Scaling scaling = Scaling::kSpecified);

[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] const ContractRow& contract_row_of(const Binding& bound);
/// The row that replaces a bounded row once the case's arithmetic has been identified;
/// see modelled.hpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] TensorSet make_inputs(const Case& c);
/// Whether the operands' format has numbers whose products D's format cannot hold; otherwise the
/// fill `shrunk` consists of zeros.
[[nodiscard]] bool products_can_shrink(const Binding& bound);
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
/// The bounds of every output, for bounded rows; see enclosure.cpp.
[[nodiscard]] std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs);
[[nodiscard]] Enclosure enclose(const Binding& bound, const TensorSet& inputs);

/// What D may be where it is unique: zeros of a ReLU have either sign, since x < 0 ? 0 * x : x and
/// max(0, x) differ there.
[[nodiscard]] Expectation with_zeros_of_relu(const Binding& bound, TensorSet only);

/// D as the case stores it: dense results placed into the surrounding bytes that the inputs hold.
[[nodiscard]] TensorSet stored_output(const Binding& bound, const TensorSet& inputs,
                                      const formats::Tensor& dense);

}  // namespace halfmark::suites::gemm
