// SPDX-License-Identifier: Apache-2.0
// What all `halfmark ref OPERATOR` verbs share: tensors as JSON, fields with errors that name them,
// and the loop over lines. Decides the text of the errors and when output is flushed; knows no
// operator. Assumes one JSON object per line. Encodings are hex text, which cannot lose a bit.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reference/formats/tensor.hpp"

namespace halfmark::tools {

/// A problem that cannot be understood: names the field and the remedy. `each_problem` adds the
/// line number.
struct ProblemError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The member `field`; throws ProblemError when the problem lacks it.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& problem, std::string_view field);
[[nodiscard]] bool has(const nlohmann::json& problem, std::string_view field);

/// Parses {"format":"fp16","bits":["3c00",...]} with exactly `count` elements.
[[nodiscard]] formats::Tensor parse_tensor(const nlohmann::json& problem, std::string_view field,
                                           std::size_t count);
[[nodiscard]] nlohmann::json tensor_json(const formats::Tensor& tensor);

/// A non-negative whole number, at most 2^31 - 1.
[[nodiscard]] std::size_t parse_size(const nlohmann::json& problem, std::string_view field);
/// Refuses a tensor of the answer whose size no operand limits (k may be zero) and that memory
/// could not hold.
void require_elements(std::string_view what, std::size_t count);
/// One encoding of `format` as hex text.
[[nodiscard]] formats::Bits parse_bits(const nlohmann::json& problem, std::string_view field,
                                       const formats::Format& format);
/// The name of a format.
[[nodiscard]] const formats::Format& parse_format(const nlohmann::json& problem,
                                                  std::string_view field);
[[nodiscard]] std::string parse_string(const nlohmann::json& problem, std::string_view field);
/// Refuses members outside `known`, so that a misspelt optional field is never ignored silently.
void refuse_unknown(const nlohmann::json& problem, std::span<const std::string_view> known);

/// Answers each non-empty line of `in` with one line of `out`, in order. At the first bad line it
/// flushes the earlier answers, writes one line to `err` and returns 2; otherwise it returns 0.
/// `verb` is what the user typed, "ref gemm".
[[nodiscard]] int each_problem(std::string_view verb, std::istream& in, std::ostream& out,
                               std::ostream& err,
                               const std::function<nlohmann::json(const nlohmann::json&)>& answer);

}  // namespace halfmark::tools
