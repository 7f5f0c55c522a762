// SPDX-License-Identifier: Apache-2.0
// `halfmark ref softmax`: {"rows","n","x","y_format","operation"?,"arithmetic"?} gives {"y"}. Rows
// have no gaps. "operation" is "forward" (the default), "log-forward", or "backward", which takes
// "y" and "dy" in place of "x" and gives {"dx"}. "arithmetic" is "specified" (the default), the
// sequence of reference/operators/softmax.hpp, or, for the forward operations, "exact": the exact
// value rounded once, of and in formats that do not go beyond fp32.
#include "reference/fast/softmax.hpp"

#include <fmt/format.h>

#include <array>

#include "reference/operators/softmax_exact.hpp"
#include "tools/halfmark/ref/shown.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 8> kFields = {"rows", "n",        "x",         "y",
                                                     "dy",   "y_format", "operation", "arithmetic"};

std::string word_of(const json& problem, std::string_view field, std::string_view usual) {
  return has(problem, field) ? parse_string(problem, field) : std::string(usual);
}

operators::SoftmaxParams parse_shape(const json& problem) {
  const operators::SoftmaxParams params{.rows = parse_size(problem, "rows"),
                                        .width = parse_size(problem, "n"),
                                        .output = &parse_format(problem, "y_format")};
  if (params.width == 0) throw ProblemError("'n' is 0; a row has at least one element");
  return params;
}

void require_exact(std::string_view field, const formats::Format& format) {
  if (operators::has_exact_softmax(format)) return;
  throw ProblemError(fmt::format(
      "'{}' is in {}, which goes beyond fp32; use another format, or \"specified\" arithmetic",
      field, format.name));
}

json answer(const json& problem) {
  refuse_unknown(problem, kFields);
  const operators::SoftmaxParams params = parse_shape(problem);
  const std::size_t count = params.rows * params.width;
  const std::string operation = word_of(problem, "operation", "forward");
  const std::string arithmetic = word_of(problem, "arithmetic", "specified");
  const bool exact = arithmetic == "exact";
  if (!exact && arithmetic != "specified") {
    throw ProblemError(
        fmt::format("'arithmetic' is \"{}\"; softmax knows: specified, exact", shown(arithmetic)));
  }
  const models::Machine ieee;
  if (operation == "backward") {
    if (exact) throw ProblemError("'arithmetic' is \"exact\"; backward knows: specified");
    const formats::Tensor y = parse_tensor(problem, "y", count);
    const formats::Tensor dy = parse_tensor(problem, "dy", count);
    return {{"dx", tensor_json(fast::softmax_backward(params, y, dy, ieee))}};
  }
  const formats::Tensor x = parse_tensor(problem, "x", count);
  if (exact) require_exact("x", *x.format);
  if (exact) require_exact("y_format", *params.output);
  if (operation == "forward") {
    return {{"y", tensor_json(exact ? operators::softmax_exact(params, x)
                                    : fast::softmax_forward(params, x, ieee))}};
  }
  if (operation == "log-forward") {
    return {{"y", tensor_json(exact ? operators::softmax_log_exact(params, x)
                                    : fast::softmax_log_forward(params, x, ieee))}};
  }
  throw ProblemError(fmt::format(
      "'operation' is \"{}\"; softmax knows: forward, log-forward, backward", shown(operation)));
}

}  // namespace

int ref_softmax(std::istream& in, std::ostream& out, std::ostream& err) {
  return each_problem("ref softmax", in, out, err, answer);
}

}  // namespace halfmark::tools
