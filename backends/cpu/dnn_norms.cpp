// SPDX-License-Identifier: Apache-2.0
//
// Layer and RMS normalisation and their gradients by oneDNN's layer normalisation. The library
// returns and takes the variance, the operator rstd: rstd is computed from the variance, and for
// the gradients a variance from rstd, with an eps of 0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "backends/cpu/dnn_session.hpp"
#include "backends/cpu/libraries.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

// Elements one after the other.
bool is_dense(const DriverTensorView& view) {
  std::int64_t step = 1;
  for (std::size_t i = view.sizes.size(); i-- > 0;) {
    if (view.sizes[i] != 1 && view.strides[i] != step) return false;
    step *= view.sizes[i];
  }
  return true;
}

std::size_t columns_of(const DriverTensorView& view) {
  return static_cast<std::size_t>(view.sizes.back());
}

struct Variance {
  std::vector<float> values;
  float* rstd;

  // In fp32, as oneDNN's kernels go on from the variance to y: the rstd that belongs to their y.
  void to_rstd(double eps) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      rstd[i] = 1.0F / std::sqrt(values[i] + static_cast<float>(eps));
  }
  void from_rstd() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto root = static_cast<double>(rstd[i]);
      const double variance = 1 / (root * root);
      const bool fits = variance >= static_cast<double>(std::numeric_limits<float>::min()) &&
                        variance <= static_cast<double>(std::numeric_limits<float>::max());
      if (!fits && !std::isnan(variance))
        throw NotOffered("oneDNN takes the variance, and that of this rstd is no number of fp32");
      values[i] = with_root(static_cast<float>(variance), rstd[i]);
    }
  }

 private:
  // The kernels make 1 / sqrt of the variance in fp32: of the numbers next to it, the one of which
  // that is the call's rstd. There are nearly always two; if there is none, the nearest stays.
  static float with_root(float variance, float root) {
    constexpr float kMost = std::numeric_limits<float>::max();
    for (const float near :
         {variance, std::nextafter(variance, kMost), std::nextafter(variance, 0.0F)}) {
      if (1.0F / std::sqrt(near) == root) return near;
    }
    return variance;
  }
};

std::shared_ptr<Variance> variance_of(const DriverTensorView& rstd) {
  if (!is_dense(rstd) || rstd.format != "fp32" || rstd.offset_bytes % sizeof(float) != 0)
    throw NotOffered("oneDNN's statistics are rows of fp32");
  std::size_t count = 1;
  for (const std::int64_t size : rstd.sizes) count *= static_cast<std::size_t>(size);
  auto* const first = reinterpret_cast<float*>(address_of(rstd.buffer, rstd.offset_bytes));
  return std::make_shared<Variance>(Variance{.values = std::vector<float>(count), .rstd = first});
}

// What forward and backward share: tensors as arguments, and the description's form.
struct Norm {
  const Session& session;
  const DriverOperatorCall& call;
  std::vector<Argument> arguments = {};
  NormForm form = {};

  Operand add(int number, const char* role) {
    Operand operand = session.operand(needed(call, role));
    arguments.push_back({.number = number, .operand = operand});
    return operand;
  }
  // The mean, or only the layout that it would have.
  void add_statistics(const std::shared_ptr<Variance>& variance) {
    const Operand rows = session.operand(needed(call, "rstd"));
    form.statistics = rows.layout.get();
    if (!form.is_rms) add(k_DNNL_ARG_MEAN, "mean");
    arguments.push_back(
        {.number = k_DNNL_ARG_VARIANCE, .operand = {rows.layout, variance->values.data()}});
  }
  void add_weight(int number, const char* role, bool& is_there) {
    const DriverTensorView* const view = call.tensor(role);
    if (view == nullptr) return;
    const int type = session.type_of(*view);
    if ((form.has_scale || form.has_shift) && form.scale_type != type)
      throw NotOffered("oneDNN takes the weights of a normalisation in one format");
    is_there = true;
    form.scale_type = type;
    add(number, role);
  }
};

Work forward(const Session& session, const DriverOperatorCall& call, bool is_rms) {
  if (is_rms) check_call(call, {"x", "gamma", "y", "rstd"});
  if (!is_rms) check_call(call, {"x", "gamma", "beta", "y", "mean", "rstd"});
  Norm norm{.session = session, .call = call};
  norm.form.is_rms = is_rms;
  const Operand x = norm.add(k_DNNL_ARG_SRC_0, "x"), y = norm.add(k_DNNL_ARG_DST_0, "y");
  const double eps = call.scalar("eps", 0);
  const auto variance = variance_of(needed(call, "rstd"));
  norm.add_statistics(variance);
  norm.add_weight(k_DNNL_ARG_SCALE, "gamma", norm.form.has_scale);
  norm.add_weight(k_DNNL_ARG_SHIFT, "beta", norm.form.has_shift);
  norm.form.x = x.layout.get();
  norm.form.y = y.layout.get();
  norm.form.eps = static_cast<float>(eps);
  const Work work = session.work(session.forms().layer_norm(norm.form), std::move(norm.arguments));
  return [work, variance, eps] {
    work();
    variance->to_rstd(eps);
  };
}

Work backward(const Session& session, const DriverOperatorCall& call, bool is_rms) {
  if (is_rms) check_call(call, {"x", "gamma", "dy", "rstd", "dx", "dgamma"});
  if (!is_rms) check_call(call, {"x", "gamma", "dy", "mean", "rstd", "dx", "dgamma", "dbeta"});
  Norm norm{.session = session, .call = call};
  norm.form.is_rms = is_rms;
  const Operand x = norm.add(k_DNNL_ARG_SRC_0, "x");
  const Operand dy = norm.add(k_DNNL_ARG_DIFF_DST_0, "dy");
  const Operand dx = norm.add(k_DNNL_ARG_DIFF_SRC_0, "dx");
  const auto variance = variance_of(needed(call, "rstd"));
  variance->from_rstd();
  norm.add_statistics(variance);
  norm.add_weight(k_DNNL_ARG_SCALE, "gamma", norm.form.has_scale);
  norm.add_weight(k_DNNL_ARG_DIFF_SCALE, "dgamma", norm.form.has_scale);
  norm.add_weight(k_DNNL_ARG_DIFF_SHIFT, "dbeta", norm.form.has_shift);
  if ((call.tensor("gamma") == nullptr) != (call.tensor("dgamma") == nullptr))
    throw NotOffered("oneDNN's normalisation has gamma and its gradient, or neither");
  // The gradient of a shift does not depend on it, but an argument it is.
  const auto shift = std::make_shared<std::vector<float>>(columns_of(needed(call, "x")));
  if (norm.form.has_shift) {
    norm.arguments.push_back({.number = k_DNNL_ARG_SHIFT,
                              .operand = {norm.arguments.back().operand.layout, shift->data()}});
  }
  norm.form.x = x.layout.get();
  norm.form.y = dy.layout.get();
  const Work work = session.work(session.forms().layer_norm_backward(norm.form, dx.layout.get()),
                                 std::move(norm.arguments));
  return [work, variance, shift] { work(); };
}

Work layernorm(const Session& session, const DriverOperatorCall& call) {
  return forward(session, call, false);
}
Work rmsnorm(const Session& session, const DriverOperatorCall& call) {
  return forward(session, call, true);
}
Work layernorm_backward(const Session& session, const DriverOperatorCall& call) {
  return backward(session, call, false);
}
Work rmsnorm_backward(const Session& session, const DriverOperatorCall& call) {
  return backward(session, call, true);
}

constexpr OperatorRow kRows[] = {{"layernorm", &layernorm},
                                 {"rmsnorm", &rmsnorm},
                                 {"layernorm_backward", &layernorm_backward},
                                 {"rmsnorm_backward", &rmsnorm_backward}};

}  // namespace

std::span<const OperatorRow> norm_operators() { return kRows; }

}  // namespace halfmark::backends::cpu::dnn
