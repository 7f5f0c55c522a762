// SPDX-License-Identifier: Apache-2.0
//
// Softmax and reductions by oneDNN's primitives.
#include "backends/cpu/dnn_session.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

int last_axis(const DriverTensorView& view) { return static_cast<int>(view.sizes.size()) - 1; }

Work softmax_by(const Session& session, const DriverOperatorCall& call, int algorithm) {
  return mapped(session, call, [&](const void* x, const void* y) {
    return session.forms().softmax(algorithm, x, y, last_axis(needed(call, "x")));
  });
}

Work softmax_backward_by(const Session& session, const DriverOperatorCall& call, int algorithm) {
  check_call(call, {"y", "dy", "dx"});
  const DriverTensorView& result = needed(call, "y");
  const Operand y = session.operand(result);
  const Operand dy = session.operand(needed(call, "dy"));
  const Operand dx = session.operand(needed(call, "dx"));
  const Owned description = session.forms().softmax_backward(
      algorithm, dx.layout.get(), dy.layout.get(), y.layout.get(), last_axis(result));
  return session.work(description, {{.number = k_DNNL_ARG_DST_0, .operand = y},
                                    {.number = k_DNNL_ARG_DIFF_DST_0, .operand = dy},
                                    {.number = k_DNNL_ARG_DIFF_SRC_0, .operand = dx}});
}

Work softmax(const Session& session, const DriverOperatorCall& call) {
  return softmax_by(session, call, k_dnnl_softmax_accurate);
}
Work log_softmax(const Session& session, const DriverOperatorCall& call) {
  return softmax_by(session, call, k_dnnl_softmax_log);
}
Work softmax_backward(const Session& session, const DriverOperatorCall& call) {
  return softmax_backward_by(session, call, k_dnnl_softmax_accurate);
}
Work log_softmax_backward(const Session& session, const DriverOperatorCall& call) {
  return softmax_backward_by(session, call, k_dnnl_softmax_log);
}

Work reduction_by(const Session& session, const DriverOperatorCall& call, int algorithm) {
  check_call(call, {"x", "y"});
  const DriverTensorView& result = needed(call, "y");
  const Operand x = session.operand(needed(call, "x"));
  const Operand y = session.operand(result, {result.sizes.at(0), 1}, {result.strides.at(0), 1});
  const Owned description = session.forms().reduction(algorithm, x.layout.get(), y.layout.get());
  return session.work(description, {{.number = k_DNNL_ARG_SRC_0, .operand = x},
                                    {.number = k_DNNL_ARG_DST_0, .operand = y}});
}

Work sum(const Session& session, const DriverOperatorCall& call) {
  return reduction_by(session, call, k_dnnl_reduction_sum);
}
Work mean(const Session& session, const DriverOperatorCall& call) {
  return reduction_by(session, call, k_dnnl_reduction_mean);
}
Work max_reduce(const Session& session, const DriverOperatorCall& call) {
  return reduction_by(session, call, k_dnnl_reduction_max);
}

constexpr OperatorRow kRows[] = {{"softmax", &softmax},
                                 {"log_softmax", &log_softmax},
                                 {"softmax_backward", &softmax_backward},
                                 {"log_softmax_backward", &log_softmax_backward},
                                 {"sum", &sum},
                                 {"mean", &mean},
                                 {"max_reduce", &max_reduce}};

}  // namespace

std::span<const OperatorRow> row_operators() { return kRows; }

}  // namespace halfmark::backends::cpu::dnn
