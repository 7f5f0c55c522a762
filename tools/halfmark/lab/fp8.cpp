// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/fp8.hpp"

#include <algorithm>

#include "reference/fast/convert.hpp"
#include "reference/formats/classify.hpp"
#include "reference/operators/tensor_scaling.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

constexpr Bits kOne = 0x3f800000;

}  // namespace

Bits scale_of(const Fp8Recipe& recipe, const formats::Format& format, Bits amax, Bits before) {
  const bool is_current = recipe.history == 0;
  return operators::scale_to_largest(format, amax).value_or(is_current ? kOne : before);
}

Bits Scales::amax_of(const State& state) const {
  if (state.history.empty()) return 0;
  if (recipe_.most_recent) return state.history.front();
  return *std::max_element(state.history.begin(), state.history.end());
}

Bits Scales::expected(const std::string& key) const {
  const auto found = states_.find(key);
  return found == states_.end() ? 0 : amax_of(found->second);
}

Bits Scales::next(const std::string& key, const formats::Format& format, Bits amax) {
  State& state = states_.try_emplace(key, State{.scale = kOne, .history = {}}).first->second;
  if (recipe_.history == 0) {
    state.history = {amax};
    return state.scale = scale_of(recipe_, format, amax, state.scale);
  }
  state.scale = scale_of(recipe_, format, amax_of(state), state.scale);
  state.history.push_front(amax);
  if (state.history.size() > recipe_.history) state.history.pop_back();
  return state.scale;
}

std::uint64_t beyond(const Tensor& scaled, const formats::Format& format) {
  const Tensor rounded = fast::convert(scaled, format);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < scaled.count(); ++i) {
    const bool was_finite = formats::is_finite(kFp32, scaled.at(i));
    count += was_finite && !formats::is_finite(format, rounded.at(i)) ? 1U : 0U;
  }
  return count;
}

}  // namespace halfmark::tools::lab
