// SPDX-License-Identifier: Apache-2.0
// The tensors of a gemm case: elements where the layout places them, and NaN between rows.
#include <algorithm>

#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/gemm/elements.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Format;
using formats::Tensor;

Tensor all_nan(const Format& format, std::size_t count) {
  Tensor tensor = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) tensor.set(i, formats::quiet_nan(format));
  return tensor;
}

bool is_whole(std::string_view fill) {
  constexpr std::string_view kWhole[] = {"integer", "positive", "ones",     "wide",
                                         "large",   "zeros",    "nonfinite"};
  return std::find(std::begin(kWhole), std::end(kWhole), fill) != std::end(kWhole);
}

// Stores element(place) where the view shows it; everything around it is NaN.
template <typename ElementAt>
Tensor stored(const View& view, const Format& format, std::size_t batch, std::size_t rows,
              std::size_t columns, ElementAt element) {
  Tensor tensor = all_nan(format, view.count);
  // If the matrices of a batch share memory, the last one is stored.
  for (std::size_t item = view.batch == 0 ? batch - 1 : 0; item < batch; ++item) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        const Place place{.row = i, .column = j, .index = (item * rows + i) * columns + j};
        tensor.set(view.at(item, i, j), element(place));
      }
    }
  }
  return tensor;
}

// C is read only if beta is nonzero; otherwise, and between rows, it contains NaN.
Tensor make_c(const Case& c, const Binding& bound) {
  const operators::GemmProblem& p = bound.problem;
  if (formats::is_zero(formats::kFp32, *p.beta)) return all_nan(*bound.output, bound.c.count);
  const Random random(c, "c");
  Tensor dense =
      fill(*bound.output, p.d_count(), is_whole(bound.fill) ? "integer" : "normal", random);
  // As many bits as the format has, so that a narrower intermediate format loses some.
  constexpr int kMostDigits = 11;
  const int digits = std::min(bound.output->precision(), kMostDigits);
  for (std::size_t i = 0; bound.fill == "wide" && i < dense.count(); ++i) {
    const auto size = static_cast<std::int64_t>(random.below(i, (std::uint64_t{2} << digits) - 1));
    dense.set(i, scaled(*bound.output, size - ((std::int64_t{1} << digits) - 1), 0));
  }
  return stored(bound.c, *bound.output, p.batch, p.m, p.n,
                [&](const Place& at) { return dense.at(at.index); });
}

// Whole numbers up to 2^10 for whole sums: with them the sum is still exact in fp32, and only
// rounding before the bias would differ.
Tensor make_bias(const Case& c, const Binding& bound) {
  const Random random(c, "bias");
  if (!is_whole(bound.fill)) return fill(*bound.output, bound.problem.n, "normal", random);
  Tensor bias = Tensor::zeros(*bound.output, bound.problem.n);
  for (std::size_t j = 0; j < bias.count(); ++j) {
    const auto value = static_cast<std::int64_t>(random.below(j, 255));
    bias.set(j, scaled(*bound.output, value - 127, 0));
  }
  return bias;
}

Tensor operand(const Case& c, const Binding& bound, bool is_a, const Side& side) {
  const operators::GemmProblem& p = bound.problem;
  const std::size_t rows = is_a ? p.m : p.k, columns = is_a ? p.k : p.n, batch = p.batch;
  const Format& format = is_a ? *bound.operands : *bound.operands_of_b;
  const Random random(c, is_a ? "a" : "b");
  const Tensor base =
      side.base.empty() ? Tensor{} : fill(format, batch * rows * columns, side.base, random);
  const Context context{bound, format, random, base};
  return stored(is_a ? bound.a : bound.b, format, batch, rows, columns,
                [&](const Place& at) { return side.element(context, at); });
}

// The previous contents of D where the memory around it belongs to the case: finite in every
// format, so that a write there is visible as a value.
Tensor marked(const Format& format, std::size_t count) {
  Tensor tensor = Tensor::zeros(format, count);
  std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{0x5a});
  return tensor;
}

}  // namespace

TensorSet make_inputs(const Case& c) {
  const Binding bound = bind(c);
  const FillRow& row = find_fill(bound.fill);
  TensorSet inputs{{"a", operand(c, bound, true, row.a)}, {"b", operand(c, bound, false, row.b)}};
  if (bound.has_c()) inputs.emplace("c", make_c(c, bound));
  if (bound.variant->bias) inputs.emplace("bias", make_bias(c, bound));
  if (bound.variant->padded || bound.variant->start > 0) {
    inputs.emplace("d", marked(*bound.output, bound.d.count));
  }
  return inputs;
}

}  // namespace halfmark::suites::gemm
