// SPDX-License-Identifier: Apache-2.0
//
// Activations and their gradients by oneDNN's eltwise, and conversions by its reorder. Decides
// which conversions are asked: those that do not saturate.
#include "backends/cpu/dnn_session.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

Work eltwise_by(const Session& session, const DriverOperatorCall& call, int algorithm) {
  return mapped(session, call, [&](const void* x, const void* y) {
    return session.forms().eltwise(algorithm, x, y);
  });
}

Work eltwise_backward_by(const Session& session, const DriverOperatorCall& call, int algorithm) {
  check_call(call, {"x", "dy", "dx"});
  const Operand x = session.operand(needed(call, "x"));
  const Operand dy = session.operand(needed(call, "dy"));
  const Operand dx = session.operand(needed(call, "dx"));
  const Owned description =
      session.forms().eltwise_backward(algorithm, dx.layout.get(), dy.layout.get(), x.layout.get());
  return session.work(description, {{.number = k_DNNL_ARG_SRC_0, .operand = x},
                                    {.number = k_DNNL_ARG_DIFF_DST_0, .operand = dy},
                                    {.number = k_DNNL_ARG_DIFF_SRC_0, .operand = dx}});
}

Work relu(const Session& session, const DriverOperatorCall& call) {
  return eltwise_by(session, call, session.forms().numbers.dnnl_eltwise_relu);
}
Work gelu(const Session& session, const DriverOperatorCall& call) {
  return eltwise_by(session, call, session.forms().numbers.dnnl_eltwise_gelu_erf);
}
Work gelu_tanh(const Session& session, const DriverOperatorCall& call) {
  return eltwise_by(session, call, session.forms().numbers.dnnl_eltwise_gelu_tanh);
}
Work relu_backward(const Session& session, const DriverOperatorCall& call) {
  return eltwise_backward_by(session, call, session.forms().numbers.dnnl_eltwise_relu);
}
Work gelu_backward(const Session& session, const DriverOperatorCall& call) {
  return eltwise_backward_by(session, call, session.forms().numbers.dnnl_eltwise_gelu_erf);
}
Work gelu_tanh_backward(const Session& session, const DriverOperatorCall& call) {
  return eltwise_backward_by(session, call, session.forms().numbers.dnnl_eltwise_gelu_tanh);
}

Work convert(const Session& session, const DriverOperatorCall& call) {
  if (call.option("overflow") != "infinity")
    throw NotOffered("oneDNN's reorder is not asked to saturate");
  DriverOperatorCall rest = call;
  rest.options.clear();
  return mapped(session, rest,
                [&](const void* x, const void* y) { return session.forms().reorder(x, y); });
}

constexpr OperatorRow kRows[] = {{"relu", &relu},
                                 {"gelu", &gelu},
                                 {"gelu_tanh", &gelu_tanh},
                                 {"relu_backward", &relu_backward},
                                 {"gelu_backward", &gelu_backward},
                                 {"gelu_tanh_backward", &gelu_tanh_backward},
                                 {"convert", &convert}};

}  // namespace

std::span<const OperatorRow> element_operators() { return kRows; }

}  // namespace halfmark::backends::cpu::dnn
