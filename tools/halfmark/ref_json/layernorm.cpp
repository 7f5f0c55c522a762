// SPDX-License-Identifier: Apache-2.0
// `halfmark ref layernorm`: {"rows","n","x","gamma","beta","eps","y_format"} gives
// {"y","mean","rstd"}. Rows have no gaps, and eps is an fp32 encoding. With "operation":"backward"
// the fields are {"rows","n","x","gamma","dy","mean","rstd","y_format"}, with mean and rstd in
// fp32, and the answer is {"dx","dgamma","dbeta"}.
#include "reference/fast/layernorm.hpp"

#include <fmt/format.h>

#include <array>

#include "tools/halfmark/ref/shown.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 11> kFields = {
    "rows", "n", "x", "gamma", "beta", "eps", "y_format", "operation", "dy", "mean", "rstd"};

operators::LayernormParams parse_shape(const json& problem) {
  const operators::LayernormParams params{.rows = parse_size(problem, "rows"),
                                          .width = parse_size(problem, "n"),
                                          .output = &parse_format(problem, "y_format")};
  constexpr std::size_t kWidest = std::size_t{1} << 24;
  if (params.width == 0 || params.width > kWidest) {
    throw ProblemError(fmt::format("'n' is {}; a row has 1 to {} elements", params.width, kWidest));
  }
  return params;
}

// One statistic per row, in the only format that the operator takes.
formats::Tensor parse_statistic(const json& problem, std::string_view field, std::size_t rows) {
  formats::Tensor tensor = parse_tensor(problem, field, rows);
  if (*tensor.format != formats::kFp32) {
    throw ProblemError(
        fmt::format("'{}' is in {}; statistics are fp32", field, tensor.format->name));
  }
  return tensor;
}

json forward(const json& problem, operators::LayernormParams params) {
  params.eps = parse_bits(problem, "eps", formats::kFp32);
  const formats::Tensor x = parse_tensor(problem, "x", params.rows * params.width);
  const formats::Tensor gamma = parse_tensor(problem, "gamma", params.width);
  const formats::Tensor beta = parse_tensor(problem, "beta", params.width);
  const auto out = fast::layernorm_forward(params, x, gamma, beta, models::Machine{});
  return {
      {"y", tensor_json(out.y)}, {"mean", tensor_json(out.mean)}, {"rstd", tensor_json(out.rstd)}};
}

json backward(const json& problem, const operators::LayernormParams& params) {
  const formats::Tensor x = parse_tensor(problem, "x", params.rows * params.width);
  const formats::Tensor gamma = parse_tensor(problem, "gamma", params.width);
  const formats::Tensor dy = parse_tensor(problem, "dy", params.rows * params.width);
  const formats::Tensor mean = parse_statistic(problem, "mean", params.rows);
  const formats::Tensor rstd = parse_statistic(problem, "rstd", params.rows);
  const auto out = fast::layernorm_backward(
      params, {.x = x, .gamma = gamma, .dy = dy, .mean = mean, .rstd = rstd}, models::Machine{});
  return {{"dx", tensor_json(out.dx)},
          {"dgamma", tensor_json(out.dgamma)},
          {"dbeta", tensor_json(out.dbeta)}};
}

json answer(const json& problem) {
  refuse_unknown(problem, kFields);
  const operators::LayernormParams params = parse_shape(problem);
  const std::string operation =
      has(problem, "operation") ? parse_string(problem, "operation") : "forward";
  if (operation == "forward") return forward(problem, params);
  if (operation == "backward") return backward(problem, params);
  throw ProblemError(
      fmt::format("'operation' is \"{}\"; layernorm knows: forward, backward", shown(operation)));
}

}  // namespace

int ref_layernorm(std::istream& in, std::ostream& out, std::ostream& err) {
  return each_problem("ref layernorm", in, out, err, answer);
}

}  // namespace halfmark::tools
