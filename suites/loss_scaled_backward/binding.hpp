// SPDX-License-Identifier: Apache-2.0
// What the tokens of a loss_scaled_backward case mean, and the names of the step's tensors and
// products. Only binding.cpp reads tokens; the other files of the folder share it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/operators/loss_scaled_backward.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss_scaled_backward {

/// The scaler's state before the step.
struct Scale {
  std::string_view name;
  std::string_view help;
  formats::Bits bits;    // fp32
  std::uint32_t growth;  // clean steps so far
};

struct Binding {
  operators::TrainingProblem problem;
  const Scale* scale = nullptr;
  std::string provider;  // of the matrix products; all else is portable
  std::string fill;

  [[nodiscard]] bool is_portable() const;
  [[nodiscard]] const formats::Format& half() const { return *problem.format; }
};

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] std::span<const std::string_view> fill_names();
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] Plan make_plan(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] TensorSet make_inputs(const Case& c);
/// With the products of a device, if there are any: only mistakes outside of them are left.
[[nodiscard]] std::vector<Hypothesis> hypotheses(
    const Case& c, const std::shared_ptr<const operators::TrainingProducts>& products = nullptr);

/// Evaluates the step of a case, with the products of a device where they are given.
[[nodiscard]] operators::TrainingStep evaluate(
    const Case& c, const TensorSet& inputs, const models::Machine& machine,
    const operators::TrainingVariant& variant,
    const operators::TrainingProducts* products = nullptr);
/// All tensors under the names that the plan gives them.
[[nodiscard]] TensorSet outputs_of(const Binding& b, const operators::TrainingStep& step);

/// A matrix product of the step: op(A) op(B), m x k and k x n. `member` is the product
/// in operators::TrainingProducts.
struct Factor {
  std::string name;
  bool transposed;
  const formats::Format* format;
};
struct Product {
  std::size_t m, n, k;
  Factor a, b;
  std::string d;
  const formats::Format* output;
  formats::Tensor operators::TrainingProducts::* member;
};
/// In the order of the step.
[[nodiscard]] std::vector<Product> products_of(const Binding& b);
/// The same, as the provider computes them: in 8 bits, the sums of scaled operands.
[[nodiscard]] std::vector<Product> provided_products(const Binding& b);
/// The products that a device computed.
[[nodiscard]] operators::TrainingProducts products_in(const Binding& b, const TensorSet& outputs);
/// Which subnormal numbers a library's products may take or give as zero.
enum class Flushes : std::uint8_t { kNone, kResults, kOperandsAndResults };
/// How a step departs from the specified one around a library's products, and what these flush.
struct Surroundings {
  operators::TrainingVariant variant = {};  // a mistake outside of the products
  models::Machine machine = {};             // the arithmetic of everything but the products
  Flushes products = Flushes::kNone;
};
/// What a library may have computed, and what must follow from it.
[[nodiscard]] Expectation expect_beside(const Case& c, const TensorSet& inputs,
                                        const operators::TrainingProducts& had,
                                        const Surroundings& around = {});

/// What a step adds whose products are in 8 bits (scaled_products.cpp): to its results and to the
/// tensors of its plan.
void add_scaled_outputs(const Binding& b, const operators::TrainingStep& step, TensorSet& outputs);
void add_scaled_tensors(const Binding& b, Plan& plan);
/// The launches that bring a tensor of products to 8 bits. Of `scaled_flags()` flags in 10_flags,
/// which count from `first_flag`, one is its own.
void add_scaling(const Binding& b, const char* wide, std::size_t first_flag, Plan& plan);
[[nodiscard]] std::size_t scaled_flags();
/// The product's sums, of operands in 8 bits, and the launch that makes the product of them.
[[nodiscard]] Product with_scaled_operands(const Binding& b, Product product);
void add_scaling_back(const Binding& b, const Product& product, Plan& plan);

/// The case of the suite gemm that a library's product is.
[[nodiscard]] std::unique_ptr<const Problem> gemm_of(const Binding& b, const Product& product);

}  // namespace halfmark::suites::loss_scaled_backward
