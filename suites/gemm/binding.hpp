// SPDX-License-Identifier: Apache-2.0
// What the tokens of a gemm case mean: formats, the operator's problem, scalars and padding. The
// one place that reads tokens; the files of this folder share it.
#pragma once

#include <array>
#include <span>

#include "reference/operators/gemm.hpp"
#include "suites/core/suite.hpp"

namespace halfmark::suites::gemm {

/// How D is scaled and laid out.
struct Variant {
  std::string_view name;
  std::string_view help;
  bool scaled = false;
  formats::Bits alpha = 0, beta = 0;  // fp32
  std::size_t batch = 1;
  bool padded =
      false;  // rows of every matrix are followed by elements that no one may read or write
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
  std::string fill;
  operators::GemmProblem problem;
  std::size_t d_stride = 0;

  [[nodiscard]] bool has_c() const { return variant->scaled; }
  [[nodiscard]] std::size_t d_stored_count() const { return problem.batch * problem.m * d_stride; }
  [[nodiscard]] std::size_t d_stored_index(std::size_t dense) const {
    return dense / problem.n * d_stride + dense % problem.n;
  }
};

[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] TensorSet make_inputs(const Case& c);
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);

/// D as the case stores it: dense results put between the padding that the inputs hold.
[[nodiscard]] TensorSet stored_output(const Binding& bound, const TensorSet& inputs,
                                      const formats::Tensor& dense);

}  // namespace halfmark::suites::gemm
