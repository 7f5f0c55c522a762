// SPDX-License-Identifier: Apache-2.0
// The launches and calls of one training step, in the order of its specification.
#include <bit>

#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/gemm/launch.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp32;

constexpr std::size_t kStrip = 4096;  // TRAINING_STRIP of kernels/loss_scaled_backward.hk
// Per work-group: HM_LANES where lanes are folded, an arbitrary choice elsewhere.
constexpr std::uint32_t kItems = 64;
static_assert(kItems == operators::kLanes);

PlanArgument scalar(formats::Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
PlanArgument tensor(const char* name) { return TensorRef{name}; }

gemm::View view_of(bool is_transposed, std::size_t rows, std::size_t columns) {
  return {.start = 0,
          .row = is_transposed ? 1 : columns,
          .column = is_transposed ? rows : 1,
          .batch = 0,
          .count = rows * columns};
}

// The gradients of one parameter and what is computed from them.
struct Parameter {
  const char *scaled, *unscaled, *weights;
  std::size_t count;
};

class Builder {
 public:
  Builder(const Binding& b, const backends::DeviceInfo& device, Plan& plan)
      : b_(b), p_(b.problem), device_(device), plan_(plan) {
    parameters_ = {{"09_dw1", "11_g1", "12_w1", p_.hidden * p_.in},
                   {"06_dw2", "11_g2", "13_w2", p_.out * p_.hidden}};
    if (!p_.has_biases) return;
    parameters_.push_back({"09_db1", "11_gb1", "12_b1", p_.hidden});
    parameters_.push_back({"06_db2", "11_gb2", "13_b2", p_.out});
  }

  void add_tensors() {
    const formats::Format* half = p_.format;
    const std::size_t w1 = p_.hidden * p_.in, w2 = p_.out * p_.hidden;
    const std::size_t bi = p_.batch * p_.in, bh = p_.batch * p_.hidden, bo = p_.batch * p_.out;
    plan_.tensors = {{"x", half, bi, Role::kInput},
                     {"t", half, bo, Role::kInput},
                     {"00_w1h", half, w1, Role::kOutput},
                     {"00_w2h", half, w2, Role::kOutput},
                     {"01_h", half, bh, Role::kOutput},
                     {"02_g", half, bh, Role::kOutput},
                     {"03_y", half, bo, Role::kOutput},
                     {"04_loss", &kFp32, 1, Role::kOutput},
                     {"05_dy", half, bo, Role::kOutput},
                     {"06_dw2", half, w2, Role::kOutput},
                     {"07_dg", half, bh, Role::kOutput},
                     {"08_dh", half, bh, Role::kOutput},
                     {"09_dw1", half, w1, Role::kOutput},
                     {"10_flags", &kFp32, strips() + scaled(), Role::kScratch},
                     {"10_found_inf", &kFp32, 1, Role::kOutput},
                     {"14_scale", &kFp32, 1, Role::kInOut},
                     {"15_growth", &kFp32, 1, Role::kInOut}};
    for (const Parameter& parameter : parameters_) {
      plan_.tensors.push_back({parameter.unscaled, &kFp32, parameter.count, Role::kOutput});
      plan_.tensors.push_back({parameter.weights, &kFp32, parameter.count, Role::kInOut});
    }
    if (p_.has_biases) add_tensors_of_biases();
    if (p_.has_scaled_products) add_scaled_tensors(b_, plan_);
  }

  void add_tensors_of_biases() {
    const formats::Format* half = p_.format;
    const std::size_t bh = p_.batch * p_.hidden, bo = p_.batch * p_.out;
    for (const TensorSpec& spec :
         std::initializer_list<TensorSpec>{{"00_b1h", half, p_.hidden, Role::kOutput},
                                           {"00_b2h", half, p_.out, Role::kOutput},
                                           {"01_acc", &kFp32, bh, Role::kOutput},
                                           {"03_acc", &kFp32, bo, Role::kOutput},
                                           {"06_db2", half, p_.out, Role::kOutput},
                                           {"09_db1", half, p_.hidden, Role::kOutput}})
      plan_.tensors.push_back(spec);
  }

  void add_passes() {
    const std::vector<Product> products = products_of(b_);
    const std::size_t bh = p_.batch * p_.hidden, bo = p_.batch * p_.out;
    each("training_cast_each", p_.hidden * p_.in, {tensor("12_w1"), tensor("00_w1h")});
    each("training_cast_each", p_.out * p_.hidden, {tensor("13_w2"), tensor("00_w2h")});
    if (p_.has_biases) {
      each("training_cast_each", p_.hidden, {tensor("12_b1"), tensor("00_b1h")});
      each("training_cast_each", p_.out, {tensor("13_b2"), tensor("00_b2h")});
    }
    for (const char* operand : {"x", "00_w1h", "00_w2h"}) bring_to_8_bits(operand);
    product(products[0]);
    add_bias("01_acc", "00_b1h", "01_h", p_.hidden);
    each("training_gelu_each", bh, {tensor("01_h"), tensor("02_g")});
    bring_to_8_bits("02_g");
    product(products[1]);
    add_bias("03_acc", "00_b2h", "03_y", p_.out);
    step("training_loss", 1, {tensor("03_y"), tensor("t"), tensor("04_loss"), whole(bo)});
    each("training_output_gradient_each", bo,
         {tensor("03_y"), tensor("t"), tensor("14_scale"), tensor("05_dy")});
    bring_to_8_bits("05_dy");
    product(products[2]);
    sum_columns("05_dy", "06_db2", p_.out);
    product(products[3]);
    each("training_hidden_gradient_each", bh, {tensor("07_dg"), tensor("01_h"), tensor("08_dh")});
    bring_to_8_bits("08_dh");
    product(products[4]);
    sum_columns("08_dh", "09_db1", p_.hidden);
  }

  void add_update() {
    std::size_t flags = 0;
    for (const Parameter& parameter : parameters_) {
      const std::uint32_t own = groups_of(parameter.count, kStrip);
      step("training_check", own,
           {tensor(parameter.scaled), tensor("10_flags"), whole(flags), whole(parameter.count)});
      flags += own;
    }
    step("training_found", 1,
         {tensor("10_flags"), tensor("10_found_inf"), whole(flags + scaled())});
    for (const Parameter& parameter : parameters_) {
      each("training_step_each", parameter.count,
           {tensor(parameter.scaled), tensor("14_scale"), tensor("10_found_inf"),
            tensor(parameter.unscaled), tensor(parameter.weights)});
      plan_.launches.back().arguments.push_back(scalar(p_.rate));
    }
    step("training_scaler", 1,
         {tensor("10_found_inf"), tensor("14_scale"), tensor("15_growth"), scalar(p_.growth_factor),
          scalar(p_.backoff_factor), whole(p_.growth_interval)});
  }

 private:
  [[nodiscard]] std::size_t strips() const {
    std::size_t all = 0;
    for (const Parameter& parameter : parameters_) all += groups_of(parameter.count, kStrip);
    return all;
  }

  // Flags of operands in 8 bits, behind those of gradients.
  [[nodiscard]] std::size_t scaled() const { return p_.has_scaled_products ? scaled_flags() : 0; }

  void step(const char* entry, std::uint32_t groups, std::vector<PlanArgument> arguments) {
    Launch launch{.family = "loss_scaled_backward",
                  .defines = operators::elementary_defines(),
                  .entry = entry,
                  .groups = {groups, 1, 1},
                  .items = {kItems, 1, 1},
                  .arguments = std::move(arguments)};
    launch.defines.emplace_back("HM_X_FORMAT", kernel_word(b_.half()));
    plan_.launches.push_back(std::move(launch));
  }

  // A kernel with one work-item per element; the count follows the tensors.
  void each(const char* entry, std::size_t count, std::vector<PlanArgument> arguments) {
    arguments.push_back(whole(count));
    step(entry, groups_of(count, kItems), std::move(arguments));
  }

  void add_bias(const char* sums, const char* bias, const char* biased, std::size_t columns) {
    if (!p_.has_biases) return;
    each("training_bias_each", p_.batch * columns,
         {tensor(sums), tensor(bias), tensor(biased), whole(columns)});
  }

  void sum_columns(const char* gradient, const char* of_bias, std::size_t columns) {
    if (!p_.has_biases) return;
    step("training_bias_gradient", static_cast<std::uint32_t>(columns),
         {tensor(gradient), tensor(of_bias), whole(p_.batch), whole(columns)});
  }

  void bring_to_8_bits(const char* operand) {
    if (p_.has_scaled_products) add_scaling(b_, operand, strips(), plan_);
  }

  void product(const Product& x) {
    const Product provided = p_.has_scaled_products ? with_scaled_operands(b_, x) : x;
    b_.is_portable() ? multiply(provided) : call(provided);
    if (p_.has_scaled_products) add_scaling_back(b_, x, plan_);
  }

  void multiply(const Product& x) {
    const bool is_mixed = *x.a.format != *x.b.format;
    plan_.launches.push_back(gemm::launch_of({.m = x.m,
                                              .n = x.n,
                                              .k = x.k,
                                              .operands = x.a.format,
                                              .operands_of_b = is_mixed ? x.b.format : nullptr,
                                              .accumulator = &kFp32,
                                              .output = x.output,
                                              .a = view_of(x.a.transposed, x.m, x.k),
                                              .b = view_of(x.b.transposed, x.k, x.n),
                                              .c = {},
                                              .d = view_of(false, x.m, x.n),
                                              .a_name = x.a.name,
                                              .b_name = x.b.name,
                                              .c_name = "",
                                              .d_name = x.d}));
  }

  // The library's operator, on the step's tensors.
  void call(const Product& x) {
    Plan of_product = gemm_of(b_, x)->plan(device_);
    if (of_product.needs) plan_.needs = of_product.needs;
    if (of_product.no_provider) plan_.no_provider = of_product.no_provider;
    for (OperatorStep& own : of_product.operators) {
      for (TensorSlice& slice : own.tensors)
        slice.tensor = slice.role == "a" ? x.a.name : slice.role == "b" ? x.b.name : x.d;
      own.launches_before = plan_.launches.size();
      plan_.operators.push_back(std::move(own));
    }
  }

  const Binding& b_;
  const operators::TrainingProblem& p_;
  const backends::DeviceInfo& device_;
  Plan& plan_;
  std::vector<Parameter> parameters_;
};

}  // namespace

Plan make_plan(const Case& c, const backends::DeviceInfo& device) {
  const Binding b = bind(c);
  Plan plan;
  if (!require_group(plan, device, gemm::kTile * gemm::kTile)) return plan;
  Builder builder(b, device, plan);
  builder.add_tensors();
  builder.add_passes();
  builder.add_update();
  if (!plan.needs && !plan.no_provider) return plan;
  Plan refused;
  refused.needs = plan.needs;
  refused.no_provider = plan.no_provider;
  return refused;
}

}  // namespace halfmark::suites::loss_scaled_backward
