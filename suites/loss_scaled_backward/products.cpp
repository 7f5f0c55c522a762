// SPDX-License-Identifier: Apache-2.0
// The matrix products of a step. Decides their operands, and how those of a library are judged: no
// standard specifies their sums, so each must lie within the bound of the suite gemm for the
// operands that the step gives it, and every other tensor must follow, bit for bit, from the
// products that the library returned. No rounding of a product counts against another tensor.
//
// Assumption: the bound of a product with an infinite or NaN operand is its one special result.
#include <fmt/format.h>

#include "reference/formats/classify.hpp"
#include "suites/gemm/suite.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {

using formats::Tensor;

std::vector<Product> products_of(const Binding& b) {
  using Products = operators::TrainingProducts;
  const operators::TrainingProblem& p = b.problem;
  const formats::Format* half = p.format;
  const formats::Format* sums = p.has_biases ? &formats::kFp32 : half;
  return {{p.batch,
           p.hidden,
           p.in,
           {"x", false, half},
           {"00_w1h", true, half},
           p.has_biases ? "01_acc" : "01_h",
           sums,
           &Products::h},
          {p.batch,
           p.out,
           p.hidden,
           {"02_g", false, half},
           {"00_w2h", true, half},
           p.has_biases ? "03_acc" : "03_y",
           sums,
           &Products::y},
          {p.out,
           p.hidden,
           p.batch,
           {"05_dy", true, half},
           {"02_g", false, half},
           "06_dw2",
           half,
           &Products::dw2},
          {p.batch,
           p.hidden,
           p.out,
           {"05_dy", false, half},
           {"00_w2h", false, half},
           "07_dg",
           half,
           &Products::dg},
          {p.hidden,
           p.in,
           p.batch,
           {"08_dh", true, half},
           {"x", false, half},
           "09_dw1",
           half,
           &Products::dw1}};
}

std::vector<Product> provided_products(const Binding& b) {
  std::vector<Product> products = products_of(b);
  if (!b.problem.has_scaled_products) return products;
  for (Product& product : products) product = with_scaled_operands(b, std::move(product));
  return products;
}

operators::TrainingProducts products_in(const Binding& b, const TensorSet& outputs) {
  operators::TrainingProducts products;
  for (const Product& product : provided_products(b))
    products.*product.member = outputs.at(product.d);
  return products;
}

std::unique_ptr<const Problem> gemm_of(const Binding& b, const Product& product) {
  const formats::Format &of_a = *product.a.format, &of_b = *product.b.format;
  const std::string mixed = of_a == of_b ? "" : fmt::format("-{}", of_b.name);
  const std::string name =
      fmt::format("gemm.{}{}.acc-fp32.out-{}.{}.{}{}.m{}n{}k{}.plain.normal.s1", of_a.name, mixed,
                  product.output->name, b.provider, product.a.transposed ? 't' : 'n',
                  product.b.transposed ? 't' : 'n', product.m, product.n, product.k);
  return gemm::suite().bind(parse_case("gemm", gemm::suite().axes, name));
}

namespace {

Tensor flushed(Tensor tensor) {
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const formats::Bits bits = tensor.at(i);
    if (formats::is_subnormal(*tensor.format, bits))
      tensor.set(i, formats::zero(*tensor.format, formats::sign(*tensor.format, bits)));
  }
  return tensor;
}

// Replaces positive subnormal lower ends and negative subnormal upper ends by zero.
void let_in_zero(const std::string& name, Enclosure& around) {
  const formats::Format& format = *around.low.at(name).format;
  const auto widen = [&](Tensor& ends, bool of_sign) {
    for (std::size_t i = 0; i < ends.count(); ++i) {
      const formats::Bits bits = ends.at(i);
      if (formats::is_subnormal(format, bits) && formats::sign(format, bits) == of_sign)
        ends.set(i, formats::zero(format));
    }
  };
  widen(around.low.at(name), false);
  widen(around.high.at(name), true);
}

}  // namespace

Expectation expect_beside(const Case& c, const TensorSet& inputs,
                          const operators::TrainingProducts& had, const Surroundings& around) {
  const Binding b = bind(c);
  TensorSet expected = outputs_of(b, evaluate(c, inputs, around.machine, around.variant, &had));
  Enclosure allowed{.low = expected, .high = expected};
  const auto operand = [&](const std::string& name) {
    const Tensor& stored = name == "x" ? inputs.at(name) : expected.at(name);
    return around.products == Flushes::kOperandsAndResults ? flushed(stored) : stored;
  };
  for (const Product& product : provided_products(b)) {
    Expectation right =
        gemm_of(b, product)
            ->expect({{"a", operand(product.a.name)}, {"b", operand(product.b.name)}});
    expected.at(product.d) = right.middle.at("d");
    allowed.low.at(product.d) = right.enclosure->low.at("d");
    allowed.high.at(product.d) = right.enclosure->high.at("d");
    if (around.products == Flushes::kNone) continue;
    expected.at(product.d) = flushed(right.middle.at("d"));
    let_in_zero(product.d, allowed);
  }
  return {std::move(expected), std::move(allowed)};
}

}  // namespace halfmark::suites::loss_scaled_backward
