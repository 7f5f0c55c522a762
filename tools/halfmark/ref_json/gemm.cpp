// SPDX-License-Identifier: Apache-2.0
// `halfmark ref gemm`: {"m","n","k","a","b","c"?,"d_format","alpha"?,"beta"?,"arithmetic"?,
// "a_scales"?,"b_scales"?,"report"?} gives {"d"}. Matrices are row-major without gaps. alpha and
// beta are fp32 encodings, both or neither; without them d = a*b + c, where c is the initial
// accumulator. "arithmetic" is a name that `halfmark ref arithmetics` lists; problems without one
// use that of the command line. Matrix units with block scales need both scales.
//
// With "report":true the answer also has a "report": see gemm_report.hpp.
#include "reference/fast/gemm.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "tools/halfmark/ref/shown.hpp"
#include "tools/halfmark/ref_json/gemm_report.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 13> kFields = {
    "m",     "n",    "k",          "a",        "b",        "c",     "d_format",
    "alpha", "beta", "arithmetic", "a_scales", "b_scales", "report"};

models::Arithmetic parse_arithmetic(const json& problem, std::size_t products,
                                    std::string_view usual) {
  const bool chosen = usual.empty() || has(problem, "arithmetic");
  const std::string name = chosen ? parse_string(problem, "arithmetic") : std::string(usual);
  auto read = models::read_arithmetic(name);
  if (const auto* error = std::get_if<models::NameError>(&read)) {
    throw ProblemError(
        fmt::format("'arithmetic' is \"{}\"; {}; `halfmark ref arithmetics` shows the names",
                    shown(name), error->message));
  }
  auto& arithmetic = std::get<models::Arithmetic>(read);
  try {
    models::require_products(arithmetic, products);
  } catch (const std::invalid_argument& error) {
    throw ProblemError(fmt::format("'arithmetic' does not fit 'k': {}", error.what()));
  }
  return std::move(arithmetic);
}

operators::GemmProblem parse_shape(const json& problem) {
  operators::GemmProblem shape{
      .m = parse_size(problem, "m"), .n = parse_size(problem, "n"), .k = parse_size(problem, "k")};
  require_elements("d ('m' times 'n')", shape.d_count());
  shape.d_format = &parse_format(problem, "d_format");
  if (has(problem, "alpha") != has(problem, "beta")) {
    throw ProblemError(fmt::format("'{}' is missing; give both alpha and beta, or none",
                                   has(problem, "alpha") ? "beta" : "alpha"));
  }
  if (has(problem, "alpha")) {
    shape.alpha = parse_bits(problem, "alpha", formats::kFp32);
    shape.beta = parse_bits(problem, "beta", formats::kFp32);
  }
  return shape;
}

// The scales of one operand; empty when the arithmetic takes none.
std::optional<formats::Tensor> parse_scales(const json& problem, std::string_view field,
                                            const models::Unit* unit, std::size_t k,
                                            std::size_t others) {
  const bool scaled = unit != nullptr && unit->scale != nullptr;
  if (!scaled) {
    if (!has(problem, field)) return std::nullopt;
    throw ProblemError(
        fmt::format("'{}' is given; only matrix units with block scales take it", field));
  }
  const auto block = static_cast<std::size_t>(unit->scale_block);
  if (!has(problem, field)) {
    throw ProblemError(fmt::format("'{}' is missing; {} takes one {} for every {} elements along k",
                                   field, unit->name, unit->scale->name, block));
  }
  formats::Tensor scales = parse_tensor(problem, field, (k + block - 1) / block * others);
  if (*scales.format != *unit->scale) {
    throw ProblemError(fmt::format("'{}.format' is \"{}\"; {} takes {}", field, scales.format->name,
                                   unit->name, unit->scale->name));
  }
  return scales;
}

void require_operands(const models::Unit* unit, const formats::Tensor& a,
                      const formats::Tensor& b) {
  if (unit == nullptr) return;
  try {
    models::require_operands(*unit, *a.format, *b.format);
  } catch (const std::invalid_argument& error) {
    throw ProblemError(fmt::format("'a' and 'b' do not fit 'arithmetic': {}", error.what()));
  }
}

formats::Tensor multiply(const operators::GemmProblem& shape, const formats::Tensor& a,
                         const formats::Tensor& b, const formats::Tensor* c,
                         const models::Arithmetic& arithmetic, const GemmOptions& options) {
  if (options.engine == Engine::kSoft) {
    return operators::gemm(shape, a, b, c, arithmetic, models::Machine{});
  }
  const fast::Options how{.threads = options.threads};
  const fast::Target target = how.chosen_target();
  if (options.engine == Engine::kFast &&
      !fast::covers(*a.format, *b.format, arithmetic, models::Machine{}, target)) {
    throw ProblemError(fmt::format(
        "the fast engine ({}) has nothing for \"{}\" of {} and {}; use --engine auto or soft",
        to_string(target), models::print(arithmetic), a.format->name, b.format->name));
  }
  return fast::gemm(shape, a, b, c, arithmetic, models::Machine{}, how);
}

bool parse_report(const json& problem) {
  if (!has(problem, "report")) return false;
  const json& report = problem["report"];
  if (!report.is_boolean()) {
    throw ProblemError(fmt::format("'report' is {}; write true or false", report.type_name()));
  }
  const bool plain = !has(problem, "alpha") && !has(problem, "a_scales");
  if (report.get<bool>() && !plain) {
    throw ProblemError("'report' is for problems without alpha, beta and block scales");
  }
  return report.get<bool>();
}

json answer(const json& problem, const GemmOptions& options) {
  refuse_unknown(problem, kFields);
  operators::GemmProblem shape = parse_shape(problem);
  const bool report = parse_report(problem);
  const models::Arithmetic arithmetic = parse_arithmetic(problem, shape.k, options.arithmetic);
  const formats::Tensor a = parse_tensor(problem, "a", shape.a_count());
  const formats::Tensor b = parse_tensor(problem, "b", shape.b_count());
  require_operands(arithmetic.unit, a, b);
  const auto a_scales = parse_scales(problem, "a_scales", arithmetic.unit, shape.k, shape.m);
  const auto b_scales = parse_scales(problem, "b_scales", arithmetic.unit, shape.k, shape.n);
  if (a_scales) shape.a_scales = &*a_scales;
  if (b_scales) shape.b_scales = &*b_scales;
  std::optional<formats::Tensor> c;
  if (has(problem, "c")) c = parse_tensor(problem, "c", shape.c_count());
  if (!c && shape.beta && (*shape.beta & formats::kFp32.magnitude_mask()) != 0) {
    throw ProblemError("'c' is missing; beta is not zero, so add it to the problem");
  }
  const formats::Tensor d = multiply(shape, a, b, c ? &*c : nullptr, arithmetic, options);
  if (!report) return {{"d", tensor_json(d)}};
  return {{"d", tensor_json(d)},
          {"report", gemm_report(shape, a, b, c ? &*c : nullptr, arithmetic, d)}};
}

}  // namespace

int ref_gemm(std::istream& in, std::ostream& out, std::ostream& err, const GemmOptions& options) {
  return each_problem("ref gemm", in, out, err,
                      [&](const json& problem) { return answer(problem, options); });
}

}  // namespace halfmark::tools
