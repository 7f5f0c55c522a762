// SPDX-License-Identifier: Apache-2.0
// How a library is called.
#include <bit>

#include "suites/core/execute/plan_builder.hpp"
#include "suites/layernorm/model.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Format;
using formats::kFp32;

std::string_view operator_of(const Binding& b) {
  if (b.centered) return b.backward ? "layernorm_backward" : "layernorm";
  return b.backward ? "rmsnorm_backward" : "rmsnorm";
}

using Sizes = std::vector<std::int64_t>;

// The axes that form rows: two, or the first and the second of three.
Sizes row_axes(const Binding& b) {
  const auto rows = static_cast<std::int64_t>(b.rows);
  const auto first = static_cast<std::int64_t>(first_axis(b));
  return first == 0 ? Sizes{rows} : Sizes{first, rows / first};
}

// A call under construction.
class Call {
 public:
  Call(const Binding& b, Plan& plan, OperatorStep& step) : b_(b), plan_(plan), step_(step) {}

  void matrix(const char* name, Role role, std::size_t pitch, std::size_t apart = 0) {
    Sizes sizes = row_axes(b_);
    Sizes strides(sizes.size());
    auto stride = static_cast<std::int64_t>(apart > 0 ? apart : pitch);
    for (std::size_t axis = sizes.size(); axis-- > 0; stride *= sizes[axis]) strides[axis] = stride;
    sizes.push_back(static_cast<std::int64_t>(b_.width));
    strides.push_back(1);
    add(name, *b_.format, b_.rows * pitch, role, sizes, strides);
    plan_.tensors.back().stretches = apart > 0 ? b_.rows : 1;
    plan_.tensors.back().apart = apart;
  }
  void per_row(const char* name, Role role) {
    const Sizes sizes = row_axes(b_);
    Sizes strides(sizes.size(), 1);
    if (sizes.size() == 2) strides[0] = sizes[1];
    add(name, kFp32, b_.rows, role, sizes, strides);
  }
  void per_column(const char* name, Role role) {
    add(name, *b_.format, b_.width, role, {static_cast<std::int64_t>(b_.width)}, {1});
  }

 private:
  void add(const char* name, const Format& format, std::size_t count, Role role, const Sizes& sizes,
           const Sizes& strides) {
    plan_.tensors.push_back({.name = name, .format = &format, .count = count, .role = role});
    step_.tensors.push_back(
        {.role = name, .tensor = name, .offset = 0, .sizes = sizes, .strides = strides});
  }

  const Binding& b_;
  Plan& plan_;
  OperatorStep& step_;
};

}  // namespace

Plan library_plan(const Case& c, const backends::DeviceInfo& device) {
  const Binding b = bind(c);
  const std::string_view provider = c.word("provider");
  Plan plan;
  OperatorStep* step = add_operator(plan, device, provider, operator_of(b));
  if (step == nullptr) return plan;
  step->scalars = {{"eps", static_cast<double>(std::bit_cast<float>(b.eps))}};
  Call call(b, plan, *step);
  call.matrix("x", Role::kInput, b.backward ? b.width : pitch_of(b),
              b.fill == "far" ? kFarApart : 0);
  if (b.has_gamma()) call.per_column("gamma", Role::kInput);
  if (b.backward) {
    call.matrix("dy", Role::kInput, b.width);
    if (b.centered) call.per_row("mean", Role::kInput);
    call.per_row("rstd", Role::kInput);
    call.matrix("dx", b.fill == "axes3" ? Role::kInOut : Role::kOutput, b.width);
    if (b.has_gamma()) call.per_column("dgamma", Role::kOutput);
    if (b.has_beta()) call.per_column("dbeta", Role::kOutput);
  } else {
    if (b.has_beta()) call.per_column("beta", Role::kInput);
    call.matrix("y", Role::kOutput, b.width);
    if (b.centered) call.per_row("mean", Role::kOutput);
    call.per_row("rstd", Role::kOutput);
  }
  return plan;
}

}  // namespace halfmark::suites::layernorm
