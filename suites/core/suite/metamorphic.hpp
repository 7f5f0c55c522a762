// SPDX-License-Identifier: Apache-2.0
// Metamorphic relations: two calls of one operator whose results follow from each other bit for
// bit, whatever arithmetic the device has (T. Y. Chen et al., "Metamorphic testing: a review of
// challenges and opportunities", ACM Computing Surveys 51(1), 2018). Decides how the operands of
// the second call are made from those of the first, and what its results must be; which relation
// holds for which operator, its suite says. Assumes: both calls have the same shapes, strides and
// alignment, so that nothing but the numbers may choose between two routes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"
#include "suites/core/case/contract.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

struct CaseResult;
struct Comparison;
class Problem;

/// A tensor of the second call: one of the first, times a power of two, with another sign, plus a
/// number. Operands must be exact so.
struct Image {
  std::string tensor;
  std::string source = {};  // empty: of the same name
  int exponent = 0;
  bool negated = false;
  std::int64_t added = 0;
};

struct Relation {
  const ContractRow* row = nullptr;      // what the case stands on where each call alone is right
  std::string first, second;             // results, for a reader: "softmax(x)", "softmax(x + 60)"
  std::vector<Image> operands, results;  // tensors that are not named are the same
};

/// The last letters of the names of the second call's tensors.
inline constexpr std::string_view kRelated = "_related";
[[nodiscard]] bool is_related(std::string_view tensor);
/// The name in the first call.
[[nodiscard]] std::string_view name_in_first(std::string_view tensor);

/// The problem's plan; for a problem with a relation, followed by the second call.
[[nodiscard]] Plan plan_of_calls(const Problem& problem, const backends::DeviceInfo& device);
/// The operands of all calls, from those of the first. Nothing: those of the second would not be
/// exact, and the relation means nothing.
[[nodiscard]] std::optional<TensorSet> operands_of_calls(const Problem& problem,
                                                         const TensorSet& first);

/// Takes the results of the second call out of those of both.
[[nodiscard]] TensorSet take_related(TensorSet& outputs);
/// What the second call must give after what the first one gave, by its own names.
[[nodiscard]] TensorSet related_results(const Relation& relation, const TensorSet& first);
/// Bit for bit, but for NaN and the sign of a zero: x - x is +0, and so is (-x) - (-x).
[[nodiscard]] Comparison compare_related(const TensorSet& expected, const TensorSet& second);

/// The verdict over both calls; `inputs` and `first` are of the first, which is right alone.
void judge_relation(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                    const TensorSet& first, const TensorSet& second);

}  // namespace halfmark::suites
