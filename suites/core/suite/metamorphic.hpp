// SPDX-License-Identifier: Apache-2.0
// Metamorphic relations: two calls of one operator whose results follow from each other bit for
// bit, whatever arithmetic the device uses (T. Y. Chen et al., "Metamorphic testing: a review of
// challenges and opportunities", ACM Computing Surveys 51(1), 2018). Decides how the operands of
// the second call derive from those of the first, and what its results must be; each suite decides
// which relation holds for its operator. Assumes: both calls have the same shapes, strides and
// alignment, so that only the numbers could make a device choose another route.
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

/// A tensor of the second call, derived from one of the first: times a power of two, or negated.
/// For operands this must be exact.
struct Image {
  std::string tensor;
  std::string source = {};  // empty: of the same name
  int exponent = 0;
  bool negated = false;
};

struct Relation {
  const ContractRow* row = nullptr;      // the row of the case if each call by itself is right
  std::string first, second;             // the two results as text: "8 sum(x)", "sum(8 x)"
  std::vector<Image> operands, results;  // tensors that are not named stay the same
  /// What a correct operator may lack that the relation needs: where each call by itself is right,
  /// a broken relation is then a deviation. Empty: none breaks it.
  std::string_view unpromised = {};
};

/// The suffix of the names of the second call's tensors.
inline constexpr std::string_view kRelated = "_related";
[[nodiscard]] bool is_related(std::string_view tensor);
/// The name of the same tensor in the first call.
[[nodiscard]] std::string_view name_in_first(std::string_view tensor);

/// The problem's plan, followed by the second call if the problem has a relation. Where something
/// is computed, it needs the full profile (provider.hpp), and groups as large as its launches have.
[[nodiscard]] Plan plan_of_calls(const Problem& problem, const backends::DeviceInfo& device);
/// The operands of all calls, derived from those of the first. Nothing if the second call's
/// operands would not be exact, which makes the relation meaningless.
[[nodiscard]] std::optional<TensorSet> operands_of_calls(const Problem& problem,
                                                         const TensorSet& first);

/// Moves the results of the second call out of `outputs`.
[[nodiscard]] TensorSet take_related(TensorSet& outputs);
/// What the second call must give, derived from the actual results of the first, under the second
/// call's names.
[[nodiscard]] TensorSet related_results(const Relation& relation, const TensorSet& first);
/// Bit for bit, except that NaN compares as a class and zeros of either sign are equal: x - x is
/// +0, and so is (-x) - (-x).
[[nodiscard]] Comparison compare_related(const TensorSet& expected, const TensorSet& second);

/// Judges both calls; `inputs` and `first` belong to the first call, which is right by itself.
void judge_relation(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                    const TensorSet& first, const TensorSet& second);

}  // namespace halfmark::suites
