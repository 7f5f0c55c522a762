// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/observe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/fast/convert.hpp"
#include "reference/fast/statistics.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/registry.hpp"
#include "suites/statistics/counted.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

// The histogram and the summary of kernels/statistics.hk, from the engine's own counts.
suites::TensorSet counts_of(const Tensor& tensor) {
  namespace counts = suites::statistics;
  const fast::Statistics s = fast::statistics(tensor);
  Tensor histogram = Tensor::zeros(kFp32, counts::kPlaces);
  histogram.set(counts::kZero, s.zeros);
  histogram.set(counts::kNotFinite, s.infinities + s.nans);
  for (const auto& [exponent, count] : s.exponents) {
    const int place =
        std::clamp(exponent - counts::kFirstBinade + 2, 1, static_cast<int>(counts::kAbove));
    const auto at = static_cast<std::size_t>(place);
    histogram.set(at, histogram.at(at) + count);
  }
  const Tensor amax = fast::convert(Tensor::from_bits(*tensor.format, std::array{s.amax}), kFp32);
  const Bits first = s.first_non_finite.value_or(tensor.count());
  return {{"histogram", std::move(histogram)},
          {"summary", Tensor::from_bits(kFp32, std::array{amax.at(0), first})}};
}

}  // namespace

bool is_observable(const formats::Format& format) {
  return format == formats::kFp16 || format == formats::kBf16 || format == formats::kFp32;
}

void observe(suites::Session& session, const Tensor& tensor, Observation& observation) {
  const suites::Case c = suites::parse_case(
      fmt::format("statistics.{}.portable.n{}.normal.s1", tensor.format->name, tensor.count()));
  const auto problem = suites::find_suite(c.suite).bind(c);
  const suites::Plan plan = problem->plan(session.device().info());
  if (plan.needs) return;
  const suites::DeviceResult got = suites::execute_once(session, plan, {{"x", tensor}});
  ++observation.tensors;
  observation.counting_ns += got.device_ns;
  const bool is_right =
      !got.error && suites::memory_fault(got).empty() && got.outputs == counts_of(tensor);
  if (!is_right) ++observation.different;
}

}  // namespace halfmark::tools::lab
