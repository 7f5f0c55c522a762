// SPDX-License-Identifier: Apache-2.0
// The portable provider: the tensors of a case, and the launches of kernels/layernorm.hk and
// kernels/rmsnorm.hk that compute it.
#include <bit>
#include <initializer_list>
#include <string>
#include <utility>

#include "reference/operators/lanes.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/layernorm/binding.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Format;
using formats::kFp32;

// A launch under construction; each tensor becomes its next argument.
class Builder {
 public:
  Builder(const Binding& b, std::string entry) {
    launch_.family = b.centered ? "layernorm" : "rmsnorm";
    launch_.defines = {{"HM_X_FORMAT", kernel_word(*b.format)},
                       {"HM_Y_FORMAT", kernel_word(*b.format)}};
    launch_.entry = std::move(entry);
    launch_.items = {static_cast<std::uint32_t>(operators::kLanes), 1, 1};
  }

  Builder& over(std::size_t groups) {
    launch_.groups = {static_cast<std::uint32_t>(groups), 1, 1};
    return *this;
  }
  Builder& tensors(std::initializer_list<const char*> names) {
    for (const char* name : names) launch_.arguments.emplace_back(TensorRef{name});
    return *this;
  }
  Builder& scalar(PlanArgument value) {
    launch_.arguments.push_back(std::move(value));
    return *this;
  }
  [[nodiscard]] Launch done() { return std::move(launch_); }

 private:
  Launch launch_;
};

std::vector<Launch> launches(const Binding& b) {
  const auto width = static_cast<std::int32_t>(b.width);
  if (!b.backward) {
    return {Builder(b, "layernorm_forward")
                .over(b.rows)
                .tensors({"x", "gamma", "beta", "y", "mean", "rstd"})
                .scalar(width)
                .scalar(std::bit_cast<float>(b.eps))
                .done()};
  }
  return {Builder(b, "layernorm_backward")
              .over(b.rows)
              .tensors({"x", "gamma", "dy", "mean", "rstd", "dx"})
              .scalar(width)
              .done(),
          Builder(b, "layernorm_weights")
              .over((b.width + operators::kLanes - 1) / operators::kLanes)
              .tensors({"x", "dy", "mean", "rstd", "dgamma", "dbeta"})
              .scalar(static_cast<std::int32_t>(b.rows))
              .scalar(width)
              .done()};
}

std::vector<Launch> rms_launches(const Binding& b) {
  const auto width = static_cast<std::int32_t>(b.width);
  if (!b.backward) {
    return {Builder(b, "rmsnorm_forward")
                .over(b.rows)
                .tensors({"x", "gamma", "y", "rstd"})
                .scalar(width)
                .scalar(std::bit_cast<float>(b.eps))
                .done()};
  }
  return {Builder(b, "rmsnorm_backward")
              .over(b.rows)
              .tensors({"x", "gamma", "dy", "rstd", "dx"})
              .scalar(width)
              .done(),
          Builder(b, "rmsnorm_weights")
              .over((b.width + operators::kLanes - 1) / operators::kLanes)
              .tensors({"x", "dy", "rstd", "dgamma"})
              .scalar(static_cast<std::int32_t>(b.rows))
              .scalar(width)
              .done()};
}

}  // namespace

std::vector<TensorSpec> tensors_of(const Binding& b) {
  std::vector<TensorSpec> all;
  const auto add = [&](const char* name, const Format& f, std::size_t count, Role role) {
    all.push_back({.name = name, .format = &f, .count = count, .role = role});
  };
  const Format& f = *b.format;
  const Role statistics = b.backward ? Role::kInput : Role::kOutput;
  add("x", f, b.count(), Role::kInput);
  add("gamma", f, b.width, Role::kInput);
  if (b.centered && !b.backward) add("beta", f, b.width, Role::kInput);
  if (b.backward) add("dy", f, b.count(), Role::kInput);
  if (b.centered) add("mean", kFp32, b.rows, statistics);
  add("rstd", kFp32, b.rows, statistics);
  if (!b.backward) {
    add("y", f, b.count(), Role::kOutput);
    return all;
  }
  add("dx", f, b.count(), Role::kOutput);
  add("dgamma", f, b.width, Role::kOutput);
  if (b.centered) add("dbeta", f, b.width, Role::kOutput);
  return all;
}

std::vector<Launch> launches_of(const Binding& b) {
  return b.centered ? launches(b) : rms_launches(b);
}

}  // namespace halfmark::suites::layernorm
