// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
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

const suites::OperatorStep& only_step(const suites::Plan& plan) {
  if (plan.operators.size() == 1 && plan.launches.empty()) return plan.operators.front();
  throw NoProgram{fmt::format("it is {} calls", plan.operators.size() + plan.launches.size())};
}

void put(Words& words, const std::string& name, const GemmOperand& operand, std::size_t at,
         std::int64_t rows, std::int64_t columns) {
  words[name] = fmt::format("{}", at);
  words[name + ".rows"] = fmt::format("{}", operand.is_transposed ? columns : rows);
  words[name + ".columns"] = fmt::format("{}", operand.is_transposed ? rows : columns);
  words[name + ".bytes"] = fmt::format("{}", operand.offset_bytes);
  words[name + ".offset"] =
      fmt::format("{}", operand.offset_bytes / backends::element_bytes(operand.format));
  words[name + ".type"] = fmt::format("@type.{}@", operand.format);
  words[name + ".operation"] = operand.is_transposed ? "@operation.transpose@" : "@operation.none@";
  words[name + ".ld"] = fmt::format("{}", operand.leading_dimension);
  words[name + ".stride"] = fmt::format("{}", operand.batch_stride);
}

// A scalar as a C type and a literal, in the type that the library takes.
void put_scalars(Words& words, const GemmProblem& problem, const std::string& format) {
  const bool is_half = format == formats::kFp16.name;
  const bool is_float = format == formats::kFp32.name;
  words["scalar.type"] = fmt::format("@type.{}@", format);
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

// For a library that reads c from d: copies c there column by column, as copy_c_into_d() does.
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

bool is_narrow(const GemmOperand& operand) { return backends::element_bytes(operand.format) == 1; }

// Adds the epilogue, and the scales that 8-bit matrices need.
void put_extras(Words& words, const backends::ReproducerFrame& frame, const GemmProblem& problem,
                const std::string& epilogue) {
  words["epilogue"] = "@" + epilogue + "@";
  words["with.bias"] = problem.bias == nullptr ? "" : "@bias.part@";
  if (problem.bias != nullptr) {
    words["bias.bytes"] = fmt::format("{}", problem.bias->offset_bytes);
    words["bias.type"] = fmt::format("@type.{}@", problem.bias->format);
  }
  std::string scales;
  for (const auto& [name, operand] :
       {std::pair("first", &problem.first), {"second", &problem.second}, {"d", &problem.d}}) {
    if (!is_narrow(*operand)) continue;
    scales += scales.empty() ? "@scale.part@" : "";
    scales += fmt::format("@scale.part.{}@", name);
  }
  words["with.scales"] = scales;
  if (problem.beta == 0 && is_narrow(problem.d) && frame.words.contains("c.of_narrow_d"))
    words["c.type"] = "@c.of_narrow_d@";
}

// Uses the operands set by put(). A batch may be another call of the interface.
void put_sizes(Words& words, const GemmProblem& problem) {
  const bool is_batch = problem.batch > 1;
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
}

// A product in the form of a BLAS call.
std::optional<Words> product_words(const backends::ReproducerFrame& frame, const suites::Plan& plan,
                                   const suites::OperatorStep& step) {
  const auto scalars = frame.words.find("scalars." + step.compute);
  const backends::DriverOperatorCall call = call_of(plan, step);
  if (step.name != "gemm" || scalars == frame.words.end()) return std::nullopt;
  const GemmProblem problem = backends::gemm_problem(call);
  const bool is_plain = problem.bias == nullptr && problem.activation.empty();
  const std::string epilogue =
      fmt::format("epilogue.{}{}", problem.activation, problem.bias == nullptr ? "" : ".bias");
  if (problem.columns == 0 || (!is_plain && !frame.words.contains(epilogue))) return std::nullopt;
  const bool reads_c = problem.has_c && problem.beta != 0;
  Words words;
  const auto at = [&](const char* role) {
    const auto slice = std::ranges::find(step.tensors, role, &suites::TensorSlice::role);
    return place_of(plan, slice->tensor);
  };
  const std::int64_t rows = problem.rows, columns = problem.columns;
  put(words, "first", problem.first, at(problem.is_swapped ? "b" : "a"), rows, problem.depth);
  put(words, "second", problem.second, at(problem.is_swapped ? "a" : "b"), problem.depth, columns);
  put(words, "d", problem.d, at("d"), rows, columns);
  put(words, "c", reads_c ? problem.c : problem.d, at(reads_c ? "c" : "d"), rows, columns);
  if (problem.bias != nullptr) words["bias"] = fmt::format("{}", at("bias"));
  put_extras(words, frame, problem, epilogue);
  put_sizes(words, problem);
  words["compute"] = fmt::format("@compute.{}@", step.compute);
  words["lt.reductions"] = fmt::format("@lt.reductions.{}@", step.compute);
  words["modes"] = fmt::format("@modes.{}@", step.compute);
  words["prepare"] =
      reads_c && frame.words.contains("in_place") && at("c") != at("d") ? copied_c(problem) : "";
  put_scalars(words, problem, scalars->second);
  return words;
}

// Any operator as a table of views.
Words table_words(const suites::Plan& plan, const suites::OperatorStep& step, std::size_t columns) {
  std::vector<std::string> views;
  std::string scalars;
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
  return {{"views", "    " + packed(views, " ", columns)},
          {"scalar_list", scalars},
          {"option_list", quoted_pairs(step.options)},
          {"scalar_count", fmt::format("{}", step.scalars.size())},
          {"option_count", fmt::format("{}", step.options.size())},
          {"view_count", fmt::format("{}", step.tensors.size())},
          {"library", one_line(step.library)},
          {"operator", step.name},
          {"computes", step.compute}};
}

// A call that the backend writes itself: adds the indices and offsets of its operands.
Words told_words(const backends::ReproducerFrame& frame, const suites::Plan& plan,
                 const suites::OperatorStep& step) {
  Words words = frame.words_of_call(call_of(plan, step));
  for (const suites::TensorSlice& slice : step.tensors) {
    words["at." + slice.role] = fmt::format("{}", place_of(plan, slice.tensor));
    words["bytes." + slice.role] = fmt::format("{}", first_byte(plan, slice));
  }
  return words;
}

// A placeholder that no device has; it only identifies a tensor.
class NoBuffer final : public backends::DriverBuffer {
  void write(std::uint64_t, std::span<const std::byte>) override {}
  void read(std::uint64_t, std::span<std::byte>) override {}
};

}  // namespace

void make_kernel(const backends::ReproducerFrame& frame, Remnant& left,
                 const backends::DeviceInfo& device) {
  suites::Plan& plan = left.plan;
  const suites::OperatorStep step = only_step(plan);
  std::vector<NoBuffer> buffers(plan.tensors.size());
  backends::DriverOperatorCall call = call_of(plan, step);
  for (std::size_t i = 0; i < step.tensors.size(); ++i)
    call.tensors[i].buffer = &buffers[place_of(plan, step.tensors[i].tensor)];
  const auto kernel = frame.kernel_of_call(call, device);
  if (!kernel) throw NoProgram{fmt::format("{} has no such instruction", step.library)};
  suites::Launch launch{.family = {},
                        .defines = {},
                        .entry = kernel->entry,
                        .groups = kernel->grid.groups,
                        .items = kernel->grid.items,
                        .arguments = {}};
  for (const backends::DriverArgument& argument : kernel->arguments) {
    if (const auto* buffer = std::get_if<backends::DriverBuffer*>(&argument)) {
      const auto place = static_cast<const NoBuffer*>(*buffer) - buffers.data();
      launch.arguments.emplace_back(
          suites::TensorRef{plan.tensors.at(static_cast<std::size_t>(place)).name});
    } else if (const auto* whole = std::get_if<std::int32_t>(&argument)) {
      launch.arguments.emplace_back(*whole);
    } else {
      throw NoProgram{"its launch takes more than buffers and whole numbers"};
    }
  }
  plan.operators.clear();
  plan.launches = {std::move(launch)};
  left.kernel = kernel->text;
  left.feature = kernel->feature;
}

Words call_words(const backends::ReproducerFrame& frame, const Remnant& left) {
  const suites::Plan& plan = left.plan;
  const suites::OperatorStep& step = only_step(plan);
  const bool is_any = frame.library == "*";
  Words words = memory_words(left, frame.words.contains("is_cpp"));
  std::optional<Words> made;
  try {
    made = is_any                ? table_words(plan, step, columns_of(left))
           : frame.words_of_call ? told_words(frame, plan, step)
                                 : product_words(frame, plan, step);
  } catch (const backends::NotOffered& none) {
    throw NoProgram{none.what()};
  } catch (const backends::BackendError&) {  // then the library was not called either
  }
  if (!made)
    throw NoProgram{fmt::format("there is no program for {} of {}", step.name, step.library)};
  words.merge(*made);
  const auto own = words.find("operate");
  words["run"] = run_text(left, frame, own != words.end() ? own->second : frame.words.at("operate"),
                          words.contains("prepare") ? words.at("prepare") : "");
  return words;
}

}  // namespace halfmark::tools
