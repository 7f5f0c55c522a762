// SPDX-License-Identifier: Apache-2.0
// What the tokens of a gemm case mean: formats, the operator's problem, scalars, epilogue and where
// every matrix lies. The one place that reads tokens; the files of this folder share it.
#pragma once

#include <array>
#include <span>

#include "reference/operators/gemm.hpp"
#include "suites/core/suite/suite.hpp"
#include "suites/gemm/epilogue.hpp"
#include "suites/gemm/scaling.hpp"
#include "suites/gemm/view.hpp"

namespace halfmark::suites::gemm {

/// Whether one product is computed in calls of 1, 2, 3, ... rows or columns: every size that an
/// edge of a tile may have.
enum class Pieces : std::uint8_t { kNone, kRows, kColumns };

/// How D is scaled, finished, laid out and cut into calls.
struct Variant {
  std::string_view name;
  std::string_view help;
  bool scaled = false;
  formats::Bits alpha = 0, beta = 0;  // fp32
  std::size_t batch = 1;
  bool padded =
      false;  // rows of every matrix are followed by elements that no one may read or write
  bool shared_b = false;  // one B for the whole batch
  bool shared_a = false;  // one A; with one B, all results must be alike
  std::size_t start = 0;  // elements before each matrix, NaN where it is an operand
  bool bias = false;      // after scaling: a row is added to every row
  Activation activation = Activation::kNone;  // behind it
  std::size_t repeats = 0;                    // further calls that must give the same bits
  Company company = Company::kAlone;
  Pieces pieces = Pieces::kNone;
  std::string_view far = {};  // the matrix whose rows lie so far apart that offsets pass 2^31

  [[nodiscard]] bool plain_epilogue() const { return !bias && activation == Activation::kNone; }
};

[[nodiscard]] std::span<const Variant> variants();
[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
/// The fills of A and B, in the order of the axis.
[[nodiscard]] std::span<const std::string_view> fill_names();

struct Binding {
  const formats::Format* operands = nullptr;
  const formats::Format* accumulator = nullptr;
  const formats::Format* output = nullptr;
  const Variant* variant = nullptr;
  std::string provider, fill;
  bool transpose_a = false, transpose_b = false;
  operators::GemmProblem problem;  // of the dense matrices that the views show
  View a, b, c, d;

  [[nodiscard]] bool has_c() const { return variant->scaled; }
  [[nodiscard]] bool is_portable() const { return provider == "portable"; }
};

[[nodiscard]] Binding bind(const Case& c);

/// The operands of a case as its views show them, dense. C and the bias are empty where there is
/// none.
struct Operands {
  formats::Tensor a, b, c, bias;
};
[[nodiscard]] Operands operands_of(const Binding& bound, const TensorSet& inputs);

/// What follows the sum, in fp32 and in this order: alpha and beta * C, the bias, the activation,
/// one conversion to the output format. Dense.
[[nodiscard]] formats::Tensor finish(const Binding& bound, const formats::Tensor& sums,
                                     const Operands& operands, const models::Machine& machine,
                                     Scaling scaling = Scaling::kSpecified);

/// The sums alone, dense, under an arithmetic.
[[nodiscard]] formats::Tensor sums_of(const Binding& bound, const Operands& operands,
                                      const models::Arithmetic& arithmetic,
                                      const models::Machine& machine);

/// D, dense, under an arithmetic of the sums.
[[nodiscard]] formats::Tensor evaluate(const Binding& bound, const Operands& operands,
                                       const models::Arithmetic& arithmetic,
                                       const models::Machine& machine,
                                       Scaling scaling = Scaling::kSpecified);

[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] const ContractRow& contract_row_of(const Binding& bound);
/// What a case on a bounded row stands on instead when its arithmetic was found; see modelled.hpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] TensorSet make_inputs(const Case& c);
/// Whether the operands' format has numbers whose products D's cannot hold: else the fill `shrunk`
/// is one of zeros.
[[nodiscard]] bool products_can_shrink(const Binding& bound);
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// Of the fill `related`.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
/// For bounded rows; see enclosure.cpp.
[[nodiscard]] std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs);
[[nodiscard]] Enclosure enclose(const Binding& bound, const TensorSet& inputs);

/// D as the case stores it: dense results put between what the inputs hold around them.
[[nodiscard]] TensorSet stored_output(const Binding& bound, const TensorSet& inputs,
                                      const formats::Tensor& dense);

}  // namespace halfmark::suites::gemm
