// SPDX-License-Identifier: Apache-2.0
//
// gemm by oneDNN's matmul. Decides the chain after the sum: alpha and beta as its post-operations,
// the bias where frameworks put it unless alpha or beta precede it, then the activation.
#include <fmt/format.h>

#include <utility>

#include "backends/cpu/dnn_session.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

// All of one rank; an operand that every product of the batch shares has one matrix.
Operand matrix(const Session& session, const DriverTensorView& view, std::size_t rank) {
  Sizes sizes = view.sizes, strides = view.strides;
  if (sizes.size() == 3 && strides[0] == 0) sizes[0] = 1;
  while (sizes.size() < rank) {
    sizes.insert(sizes.begin(), 1);
    strides.insert(strides.begin(), 1);
  }
  return session.operand(view, sizes, strides);
}

struct Chain {
  Owned attributes;  // null: there is nothing to do after the sum
  std::vector<Argument> arguments;
};

int activation_of(const Session& session, std::string_view name) {
  const Numbers& numbers = session.forms().numbers;
  if (name == "relu") return numbers.dnnl_eltwise_relu;
  if (name == "gelu") return numbers.dnnl_eltwise_gelu_erf;
  if (name == "gelu_tanh") return numbers.dnnl_eltwise_gelu_tanh;
  if (name == "silu") return numbers.dnnl_eltwise_swish;
  throw NotOffered(fmt::format("oneDNN has no activation '{}'", name));
}

// `bias` is null if the product itself adds it.
Chain chain_of(const Session& session, const GemmProblem& problem, const Operand* bias) {
  const Calls& calls = session.calls();
  Forms& forms = session.forms();
  Handle made = nullptr;
  check(calls, calls.dnnl_post_ops_create(&made), "dnnl_post_ops_create");
  const Owned steps(made, calls.dnnl_post_ops_destroy);
  Chain chain;
  int count = 0;
  if (problem.alpha != 1) {
    forms.append_eltwise(made, forms.numbers.dnnl_eltwise_linear,
                         static_cast<float>(problem.alpha));
    ++count;
  }
  if (problem.beta != 0) {
    forms.append_sum(made, static_cast<float>(problem.beta));
    ++count;
  }
  if (bias != nullptr) {
    check(calls, calls.dnnl_post_ops_append_binary(made, k_dnnl_binary_add, bias->layout.get()),
          "dnnl_post_ops_append_binary");
    const int base = forms.numbers.DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;
    chain.arguments.push_back({.number = base * (count + 1) | k_DNNL_ARG_SRC_1, .operand = *bias});
    ++count;
  }
  if (!problem.activation.empty()) {
    // The factor inside silu; of relu, the slope of negative numbers.
    const float factor = problem.activation == "silu" ? 1 : 0;
    forms.append_eltwise(made, activation_of(session, problem.activation), factor);
    ++count;
  }
  if (count == 0) return chain;
  check(calls, calls.dnnl_primitive_attr_create(&made), "dnnl_primitive_attr_create");
  chain.attributes = Owned(made, calls.dnnl_primitive_attr_destroy);
  check(calls, calls.dnnl_primitive_attr_set_post_ops(made, steps.get()),
        "dnnl_primitive_attr_set_post_ops");
  return chain;
}

Operand bias_of(const Session& session, const DriverTensorView& view, std::size_t rank) {
  Sizes sizes(rank, 1), strides(rank, 1);
  sizes.back() = view.sizes.at(0);
  strides.back() = view.strides.at(0);
  return session.operand(view, sizes, strides);
}

Work gemm(const Session& session, const DriverOperatorCall& call) {
  if (call.compute != "fp32")
    throw NotOffered(fmt::format("oneDNN's matmul is not asked to compute in {}", call.compute));
  const GemmProblem problem = gemm_problem(call);
  if (problem.depth == 0) throw NotOffered("oneDNN is not asked for a product of no terms");
  const DriverTensorView& result = needed(call, "d");
  const std::size_t rank = result.sizes.size();
  const Operand a = matrix(session, needed(call, "a"), rank);
  const Operand b = matrix(session, needed(call, "b"), rank);
  const Operand d = matrix(session, result, rank);
  Operand bias;
  if (problem.bias != nullptr) bias = bias_of(session, *problem.bias, rank);
  const bool is_first = problem.alpha == 1 && problem.beta == 0;
  const bool is_later = problem.bias != nullptr && !is_first;
  Chain chain = chain_of(session, problem, is_later ? &bias : nullptr);
  const Owned description =
      session.forms().matmul(a.layout.get(), b.layout.get(), is_first ? bias.layout.get() : nullptr,
                             d.layout.get(), chain.attributes.get());
  std::vector<Argument> arguments = {{.number = k_DNNL_ARG_SRC_0, .operand = a},
                                     {.number = k_DNNL_ARG_WEIGHTS_0, .operand = b},
                                     {.number = k_DNNL_ARG_DST_0, .operand = d}};
  if (problem.bias != nullptr && is_first)
    arguments.push_back({.number = k_DNNL_ARG_BIAS, .operand = bias});
  arguments.insert(arguments.end(), chain.arguments.begin(), chain.arguments.end());
  Work work = session.work(description, std::move(arguments));
  copy_c_into_d(problem);
  return work;
}

constexpr OperatorRow kRows[] = {{"gemm", &gemm}};

}  // namespace

std::span<const OperatorRow> product_operators() { return kRows; }

}  // namespace halfmark::backends::cpu::dnn
