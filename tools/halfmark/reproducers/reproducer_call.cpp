// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "backends/gemm_problem.hpp"
#include "reference/formats/format.hpp"
#include "reference/formats/text.hpp"
#include "tools/halfmark/reproducers/reproducer_text.hpp"

namespace halfmark::tools {
namespace {

using backends::GemmOperand;
using backends::GemmProblem;
using backends::Words;
using formats::Format;

const Format& format_of(const suites::Plan& plan, const suites::TensorSlice& slice) {
  const Format* own = slice.format.empty() ? nullptr : formats::find_format(slice.format);
  return own != nullptr ? *own : *plan.tensors.at(place_of(plan, slice.tensor)).format;
}

std::uint64_t first_byte(const suites::Plan& plan, const suites::TensorSlice& slice) {
  return slice.offset * plan.tensors.at(place_of(plan, slice.tensor)).format->storage_bytes();
}

backends::DriverOperatorCall call_of(const suites::Plan& plan, const suites::OperatorStep& step) {
  backends::DriverOperatorCall call{.library = step.library,
                                    .name = step.name,
                                    .compute = step.compute,
                                    .tensors = {},
                                    .scalars = {},
                                    .options = {}};
  for (const suites::TensorSlice& slice : step.tensors) {
    call.tensors.push_back({.role = slice.role,
                            .buffer = nullptr,
                            .offset_bytes = first_byte(plan, slice),
                            .format = std::string(format_of(plan, slice).name),
                            .sizes = slice.sizes,
                            .strides = slice.strides});
  }
  for (const auto& [name, value] : step.scalars) call.scalars.push_back({name, value});
  for (const auto& [name, value] : step.options) call.options.push_back({name, value});
  return call;
}

void put(Words& words, const std::string& name, const GemmOperand& operand, std::size_t at) {
  words[name] = fmt::format("{}", at);
  words[name + ".bytes"] = fmt::format("{}", operand.offset_bytes);
  words[name + ".offset"] =
      fmt::format("{}", operand.offset_bytes / backends::element_bytes(operand.format));
  words[name + ".type"] = fmt::format("@type.{}@", operand.format);
  words[name + ".operation"] = operand.is_transposed ? "@operation.transpose@" : "@operation.none@";
  words[name + ".ld"] = fmt::format("{}", operand.leading_dimension);
  words[name + ".stride"] = fmt::format("{}", operand.batch_stride);
}

// A scalar in the type that the library takes it in, as a C type and a literal.
void put_scalars(Words& words, const GemmProblem& problem, const std::string& format) {
  const bool is_half = format == formats::kFp16.name;
  const bool is_float = format == formats::kFp32.name;
  words["scalars"] = is_half ? "unsigned short" : is_float ? "float" : "double";
  const auto literal = [&](double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, backends::scalar_bytes(value, format).data(), sizeof bits);
    return is_half ? fmt::format("0x{:04x}", bits)
                   : fmt::format("{:a}{}", value, is_float ? "f" : "");
  };
  words["alpha"] = literal(problem.alpha);
  words["beta"] = literal(problem.beta);
}

// Where a library reads c in the place of d: column by column, as copy_c_into_d() does it.
std::string copied_c(const GemmProblem& problem) {
  const auto column = [](const char* name, const GemmOperand& operand, std::int64_t columns) {
    return fmt::format("{} + {} + j / {} * {} + j % {} * {}", name,
                       operand.offset_bytes / backends::element_bytes(operand.format), columns,
                       operand.batch_stride, columns, operand.leading_dimension);
  };
  const std::int64_t columns = problem.columns;
  return fmt::format("for (size_t j = 0; j < {}; ++j) memcpy({}, {}, {} * sizeof *d);",
                     problem.batch * columns, column("d", problem.d, columns),
                     column("c", problem.c, columns), problem.rows);
}

// A product as a BLAS takes it.
std::optional<Words> product_words(const backends::ReproducerFrame& frame, const suites::Plan& plan,
                                   const suites::OperatorStep& step) {
  const auto scalars = frame.words.find("scalars." + step.compute);
  const backends::DriverOperatorCall call = call_of(plan, step);
  if (step.name != "gemm" || scalars == frame.words.end()) return std::nullopt;
  const GemmProblem problem = backends::gemm_problem(call);
  const bool is_plain =
      problem.bias == nullptr && problem.activation.empty() && problem.columns > 0;
  if (!is_plain) return std::nullopt;
  const bool reads_c = problem.has_c && problem.beta != 0;
  const bool is_batch = problem.batch > 1;
  Words words;
  const auto at = [&](const char* role) {
    const auto slice = std::ranges::find(step.tensors, role, &suites::TensorSlice::role);
    return place_of(plan, slice->tensor);
  };
  put(words, "first", problem.first, at(problem.is_swapped ? "b" : "a"));
  put(words, "second", problem.second, at(problem.is_swapped ? "a" : "b"));
  put(words, "d", problem.d, at("d"));
  put(words, "c", reads_c ? problem.c : problem.d, at(reads_c ? "c" : "d"));
  for (const char* operand : {"first", "second", "d"}) {
    const std::string name = operand;
    words[name + ".step"] = is_batch ? ", " + words[name + ".stride"] : "";
  }
  words["m"] = fmt::format("{}", problem.rows);
  words["n"] = fmt::format("{}", problem.columns);
  words["k"] = fmt::format("{}", problem.depth);
  words["batch"] = fmt::format("{}", problem.batch);
  words["batch.step"] = is_batch ? ", " + words["batch"] : "";
  words["variant"] = is_batch ? "@variant.batch@" : "@variant.one@";
  words["compute"] = fmt::format("@compute.{}@", step.compute);
  words["modes"] = fmt::format("@modes.{}@", step.compute);
  words["prepare"] =
      reads_c && frame.words.contains("in_place") && at("c") != at("d") ? copied_c(problem) : "";
  put_scalars(words, problem, scalars->second);
  return words;
}

// Any operator as a table of views.
Words table_words(const suites::Plan& plan, const suites::OperatorStep& step, std::size_t columns) {
  std::vector<std::string> views;
  std::string scalars, options;
  for (const suites::TensorSlice& slice : step.tensors) {
    const std::string format =
        slice.format.empty() ? std::string(format_of(plan, slice).name) : slice.format;
    views.push_back(fmt::format("{{{}, at[{}], {}, {}, {}, 0, {{{}}}, {{{}}}}},",
                                quoted(slice.role), place_of(plan, slice.tensor),
                                first_byte(plan, slice), quoted(format), slice.sizes.size(),
                                fmt::join(slice.sizes, ", "), fmt::join(slice.strides, ", ")));
  }
  for (const auto& [name, value] : step.scalars)
    scalars += fmt::format("{{{}, {:a}}}, ", quoted(name), value);
  for (const auto& [name, value] : step.options)
    options += fmt::format("{{{}, {}}}, ", quoted(name), quoted(value));
  return {{"views", "    " + packed(views, " ", columns)},
          {"scalar_list", scalars},
          {"option_list", options},
          {"scalar_count", fmt::format("{}", step.scalars.size())},
          {"option_count", fmt::format("{}", step.options.size())},
          {"view_count", fmt::format("{}", step.tensors.size())},
          {"library", one_line(step.library)},
          {"operator", step.name},
          {"computes", step.compute}};
}

}  // namespace

Words call_words(const backends::ReproducerFrame& frame, const Remnant& left) {
  const suites::Plan& plan = left.plan;
  if (plan.operators.size() != 1 || !plan.launches.empty())
    throw NoProgram{fmt::format("it is {} calls", plan.operators.size() + plan.launches.size())};
  const suites::OperatorStep& step = plan.operators.front();
  const bool is_any = frame.library == "*";
  if (!is_any && frame.library != step.library)
    throw NoProgram{fmt::format("there is no program that calls {}", step.library)};
  Words words = memory_words(left, false);
  std::optional<Words> made;
  try {
    made = is_any ? table_words(plan, step, columns_of(left)) : product_words(frame, plan, step);
  } catch (const backends::NotOffered&) {  // then the library was not called either
  } catch (const backends::BackendError&) {
  }
  if (!made)
    throw NoProgram{fmt::format("there is no program for {} of {}", step.name, step.library)};
  words.merge(*made);
  words["run"] = run_text(left, frame, frame.words.at(is_any ? "operate" : "multiply"),
                          words.contains("prepare") ? words.at("prepare") : "");
  return words;
}

}  // namespace halfmark::tools
