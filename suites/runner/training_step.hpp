// SPDX-License-Identifier: Apache-2.0
// What the tensors of one training step look like, counted by the device itself: the largest step
// that passed in this run, executed again, and each of its results given to the kernels of the
// suite `statistics`. Decides which case and which figures; no verdict follows from them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/statistics/counted.hpp"

namespace halfmark::suites {

/// The case with the most weights among passed steps without a loss scale whose gradients are at
/// the lower end of fp16; "" if there is none.
[[nodiscard]] std::string step_to_count(const std::vector<CaseResult>& results);

/// The shares of fp16's zones once a tensor is multiplied by 2^scale, among numbers that are
/// neither zero nor infinite nor NaN, from the places of a histogram (statistics/counted.hpp).
struct ZoneShares {
  double normal = 0, subnormal = 0, lost = 0;
};
[[nodiscard]] ZoneShares zones_of(const std::vector<std::uint64_t>& histogram, int scale_log2);

/// The figures of one tensor that the step left, as listed in training_step(). They are the counts
/// of the device; where these are not the host's, they are the host's, and "counted_by_host" is
/// true: a wrong count may be no number at all, such as a greatest magnitude of NaN.
[[nodiscard]] nlohmann::json tensor_figures(const std::string& name, const formats::Tensor& tensor,
                                            const statistics::Counted& by_device,
                                            const TensorSet& inputs);

/// {"case", "step_ns", "counting_ns", "different": tensors whose counts are not the host's,
/// "tensors": [{"name", "format", "elements", "zeros", "not_finite", "first_not_finite", "amax",
/// "norm", "unchanged", "suggested_scale_log2", "scales": [{"scale_log2", "normal", "subnormal",
/// "lost"}], "histogram"}]}. Null if the device does not offer it, {"error", "lost": whether the
/// device is} if its driver failed. Times are those of a second execution. The host computes two
/// figures from the device's results: the Euclidean norm of the finite elements, in fp64, and how
/// many elements of a weight have the bits from before the step (null of a tensor that the step
/// makes).
[[nodiscard]] nlohmann::json training_step(Session& session, const std::string& name);

}  // namespace halfmark::suites
