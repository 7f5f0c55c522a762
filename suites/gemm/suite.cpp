// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/evaluation.hpp"
#include "suites/gemm/launch.hpp"
#include "suites/gemm/library.hpp"
#include "suites/gemm/modelled.hpp"

namespace halfmark::suites::gemm {
namespace {

Product product(const Binding& bound) {
  const operators::GemmProblem& p = bound.problem;
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .batch = p.batch,
          .operands = bound.operands,
          .operands_of_b = bound.is_mixed() ? bound.operands_of_b : nullptr,
          .accumulator = bound.accumulator,
          .output = bound.output,
          .alpha = p.alpha,
          .beta = p.beta,
          .a = bound.a,
          .b = bound.b,
          .c = bound.c,
          .d = bound.d,
          .a_name = "a",
          .b_name = "b",
          .c_name = bound.has_c() ? "c" : "",
          .d_name = "d"};
}

// The memory around D belongs to the case where it has contents of its own.
Role role_of_d(const Binding& bound) {
  return bound.variant->padded || bound.variant->start > 0 ? Role::kInOut : Role::kOutput;
}

TensorSpec spec_of(const char* name, const formats::Format* format, const View& view, Role role) {
  TensorSpec spec{.name = name, .format = format, .count = view.count, .role = role};
  if (view.apart > 0) spec.stretches = view.count / view.row;
  spec.apart = view.apart;
  return spec;
}

Plan launches(const Binding& bound, const backends::DeviceInfo& device) {
  Plan made;
  if (*bound.accumulator != formats::kFp32 && !device.offers("fp16.arithmetic")) {
    made.needs = "fp16.arithmetic";
  } else if (require_group(made, device, kTile * kTile)) {
    made.launches.push_back(launch_of(product(bound)));
  }
  return made;
}

Plan plan(const Binding& bound, const backends::DeviceInfo& device) {
  Plan made = bound.is_portable() ? launches(bound, device) : library_plan(bound, device);
  if (made.needs || made.no_provider) return made;
  made.repeats = bound.variant->repeats;
  made.concurrency = bound.variant->concurrency;
  made.tensors = {spec_of("a", bound.operands, bound.a, Role::kInput),
                  spec_of("b", bound.operands_of_b, bound.b, Role::kInput),
                  spec_of("d", bound.output, bound.d, role_of_d(bound))};
  if (bound.variant->shared_a && bound.variant->shared_b)
    made.tensors.back().alike = bound.problem.batch;
  if (bound.has_c()) made.tensors.push_back({"c", bound.output, bound.c.count, Role::kInput});
  if (bound.variant->bias) {
    made.tensors.push_back({"bias", bound.output, bound.problem.n, Role::kInput});
  }
  return made;
}

TensorSet refer(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  const Binding bound = bind(c);
  return stored_output(bound, inputs,
                       evaluate(bound, operands_of(bound, inputs),
                                operators::specified_arithmetic(*bound.accumulator), machine));
}

// The output that an element of the stored D holds; nothing if it belongs to none.
struct Output {
  std::size_t item, i, j;
};
std::optional<Output> output_at(const Binding& bound, std::size_t index) {
  const operators::GemmProblem& p = bound.problem;
  if (index < bound.d.start) return std::nullopt;
  const std::size_t row = (index - bound.d.start) / bound.d.row;
  const Output output{row / p.m, row % p.m, (index - bound.d.start) % bound.d.row};
  if (output.item >= p.batch || output.j >= p.n) return std::nullopt;
  return output;
}

// The row and column of one output: the first few terms that are not plain zeros, and C.
std::vector<Operand> operands(const Case& c, const TensorSet& inputs, std::string_view,
                              std::size_t index) {
  constexpr std::size_t kTerms = 4;
  const Binding bound = bind(c);
  std::vector<Operand> shown;
  const std::optional<Output> output = output_at(bound, index);
  if (!output) return shown;  // this place should not have been written
  const auto [item, i, j] = *output;
  for (std::size_t x = 0; x < bound.problem.k && shown.size() < 2 * kTerms; ++x) {
    const formats::Bits a = inputs.at("a").at(bound.a.at(item, i, x));
    const formats::Bits b = inputs.at("b").at(bound.b.at(item, x, j));
    if (a == 0 || b == 0) continue;
    shown.push_back({fmt::format("a[{},{}]", i, x), bound.operands, a});
    shown.push_back({fmt::format("b[{},{}]", x, j), bound.operands_of_b, b});
  }
  if (bound.has_c()) {
    shown.push_back(
        {fmt::format("c[{},{}]", i, j), bound.output, inputs.at("c").at(bound.c.at(item, i, j))});
  }
  if (bound.variant->bias) {
    shown.push_back({fmt::format("bias[{}]", j), bound.output, inputs.at("bias").at(j)});
  }
  return shown;
}

// Rows of the whole batch.
std::optional<std::size_t> padded_row(const Binding& bound, std::string_view, std::size_t index) {
  const bool is_between = bound.variant->padded && index >= bound.d.start;
  if (!is_between || output_at(bound, index)) return std::nullopt;
  return (index - bound.d.start) / bound.d.row;
}

Extent extent(const Case& c, std::string_view) {
  const View d = bind(c).d;
  return {.rows = d.count / d.row, .columns = d.row};
}

// Whether `elements` are exactly those whose index (of a column, row or batch) is at least the
// first's, and that index is a grid limit: a large power of two, or not a tile boundary.
template <typename Number>
bool lie_behind_a_limit(const Binding& bound, const std::vector<std::size_t>& elements,
                        std::size_t count, Number number) {
  constexpr std::size_t kLeastPower = 256;
  const std::size_t limit = number(*output_at(bound, elements.front()));
  const bool power = limit >= kLeastPower && std::has_single_bit(limit);
  if (limit == 0 || !(power || !may_be_last_tile(limit, count))) return false;
  const auto is_behind = [&](std::size_t index) {
    const std::optional<Output> output = output_at(bound, index);
    return output && number(*output) >= limit;
  };
  std::size_t behind = 0;
  for (std::size_t index = 0; index < bound.d.count; ++index) behind += is_behind(index) ? 1u : 0u;
  return behind == elements.size() && std::all_of(elements.begin(), elements.end(), is_behind);
}

FindingClassName unwritten_class(const Binding& bound, const std::vector<std::size_t>& elements) {
  const operators::GemmProblem& p = bound.problem;
  if (p.k == 0) return "zero_dim";
  if (bound.variant->far == "d") return "index_ovf";
  const bool limited =
      output_at(bound, elements.front()) &&
      (lie_behind_a_limit(bound, elements, p.n, [](const Output& o) { return o.j; }) ||
       lie_behind_a_limit(bound, elements, p.m, [](const Output& o) { return o.i; }) ||
       lie_behind_a_limit(bound, elements, p.batch, [](const Output& o) { return o.item; }));
  if (limited) return "grid_limit";
  return "uninit";
}

// The sizes of the calls, or the lowest batch index, with a wrong element.
std::vector<Hypothesis> located_hypotheses(const Binding& bound, const Places& wrong) {
  const auto of_d = wrong.find("d");
  if (of_d == wrong.end()) return {};
  if (bound.variant->pieces != Pieces::kNone) {
    const bool by_rows = bound.variant->pieces == Pieces::kRows;
    std::set<std::size_t> sizes;
    for (const std::size_t index : of_d->second) {
      if (const std::optional<Output> output = output_at(bound, index))
        sizes.insert(stretch_of(by_rows ? output->i : output->j).length);
    }
    return hypotheses_of_pieces(bound, sizes);
  }
  const std::optional<Output> first = output_at(bound, of_d->second.front());
  return first ? hypotheses_from_batch(bound, first->item) : std::vector<Hypothesis>{};
}

}  // namespace

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  if (machine != models::Machine{}) return {refer(c, inputs, machine)};
  Expectation around = with_zeros_of_relu(bind(c), refer(c, inputs, machine));
  if (!around.enclosure) around.enclosure = enclose(c, inputs);
  return around;
}

class GemmProblem final : public Problem {
 public:
  explicit GemmProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return gemm::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override { return gemm::plan(b_, device); }
  TensorSet inputs() const override { return gemm::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return gemm::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return gemm::hypotheses(c()); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return gemm::operands(c(), inputs, tensor, index);
  }
  FindingClassName unwritten_class(const std::vector<std::size_t>& elements) const override {
    return gemm::unwritten_class(b_, elements);
  }
  std::vector<Hypothesis> mistakes_seen_in(const Places& wrong, const TensorSet&) const override {
    return gemm::located_hypotheses(b_, wrong);
  }
  Extent extent(std::string_view tensor) const override { return gemm::extent(c(), tensor); }
  std::optional<Relation> relation() const override { return gemm::relation(c()); }
  std::optional<std::size_t> padded_row(std::string_view tensor, std::size_t index) const override {
    return gemm::padded_row(b_, tensor, index);
  }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "gemm",
      .summary = "matrix multiplication: order, width and rounding of every sum",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<GemmProblem>,
      .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::gemm
