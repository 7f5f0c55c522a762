// SPDX-License-Identifier: Apache-2.0
// The arithmetic that a library operator was found to use, for one class of its cases: probes
// find it before a case of the class runs, and it is fixed from then on. Plain data and its JSON
// form, a line of the journal. The suite decides how to find it; run_case() decides what it means
// for a case.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/suite/own_functions.hpp"

namespace halfmark::suites {

enum class Identity {
  kNamed,  // `arithmetic` is a name that models::parse_arithmetic reads, followed by a way to scale
           // where gemm found one (gemm/scaling.hpp), or the name of a recipe
  kDescribed,      // every bit is explained, but only by a description: `arithmetic` is prose
  kUnexplained,    // no named arithmetic explains every bit
  kNotRepeatable,  // the same call gave two results
  kNotUniform,     // an element's result depends on its position
  kNotOffered,     // the library declined the probes
  kNoAnswer,       // the probes failed or ended their process
};
[[nodiscard]] std::string_view name_of(Identity);
[[nodiscard]] std::optional<Identity> parse_identity(std::string_view);

/// Ends a probe that the library declines, in the library's words.
struct NotOffered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Identified {
  std::string key;  // cases with the same key share the answer
  std::string suite, provider;
  std::string library = {}, formats = {}, shape = {};
  Identity identity = Identity::kNoAnswer;
  std::string arithmetic = {};
  std::string rounding = {}, subnormals = {};  // of conversions into and out of the sum, if unusual
  std::string evidence = {};                   // a sentence or two
  std::vector<std::string> others = {};        // names that no probe excluded, or that came close
  std::vector<std::string> observed = {};  // behaviours: "nan.operand 7fffffff: a quiet NaN in A"
  /// What the name's functions are if it has those of the device. No part of the JSON form: whoever
  /// has the device sets it.
  std::shared_ptr<OwnFunctions> functions = {};

  [[nodiscard]] bool named() const { return identity == Identity::kNamed; }
  bool operator==(const Identified&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const Identified&);
/// Throws std::runtime_error that names the faulty member.
[[nodiscard]] Identified identified_from_json(const nlohmann::json&);

}  // namespace halfmark::suites
