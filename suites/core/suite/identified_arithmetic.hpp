// SPDX-License-Identifier: Apache-2.0
// What an operator of a library turned out to compute, for one class of its cases: found by probes
// before a case of the class runs, and fixed from then on. Plain data and its JSON form, a line of
// the journal. How it is found is the suite's affair; what it means for a case is the line's.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::suites {

enum class Identity {
  kNamed,          // `arithmetic` is a name that models::parse_arithmetic reads, a way to scale
                   // behind it where gemm found one (gemm/scaling.hpp), or a recipe's
  kDescribed,      // every bit is explained, but by a description: `arithmetic` is words
  kUnexplained,    // no named arithmetic explains every bit
  kNotRepeatable,  // the same question had two answers
  kNotUniform,     // an output depends on its place
  kNotOffered,     // the library declined the probes
  kNoAnswer,       // the probes failed or ended their process
};
[[nodiscard]] std::string_view name_of(Identity);
[[nodiscard]] std::optional<Identity> parse_identity(std::string_view);

struct Identified {
  std::string key;  // cases of one key share the answer
  std::string suite, provider;
  std::string library = {}, formats = {}, shape = {};
  Identity identity = Identity::kNoAnswer;
  std::string arithmetic = {};
  std::string rounding = {},
              subnormals = {};  // of conversions into and out of the sum, where not the usual
  std::string evidence = {};    // a sentence or two
  std::vector<std::string> others = {};  // names that no probe told from it, or that came near
  std::vector<std::string> observed =
      {};  // single behaviours: "nan.operand 7fffffff: a quiet NaN in A"

  [[nodiscard]] bool named() const { return identity == Identity::kNamed; }
  bool operator==(const Identified&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const Identified&);
/// Throws std::runtime_error that names the member.
[[nodiscard]] Identified identified_from_json(const nlohmann::json&);

}  // namespace halfmark::suites
